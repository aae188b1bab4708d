import Contract
import Testing

@testable import Insights

@Suite struct CrewRosterTests {
    private func crew(_ name: String, _ ergs: String...) -> Crew {
        Crew(CrewID(name)!, ergs.map { StationID($0)! })!
    }

    @Test func replacesConfiguredCrewByCommand() {
        // A configured crew, a commanded crew, and a crew of both kinds.
        var roster = CrewRoster(configured: [crew("a", "1", "2"), crew("b", "3")])
        let areDefined = [roster.define(crew("c", "4")), roster.define(crew("a", "5"))]
        #expect(areDefined == [true, true])
        #expect(roster.all == [crew("a", "5"), crew("b", "3"), crew("c", "4")])
        #expect(roster.commanded == [crew("c", "4"), crew("a", "5")])
        #expect(CrewRoster(configured: [], commanded: roster.commanded).all.count == 2)
        let configured = ["a", "c", "z"].map { roster.removeCommanded(CrewID($0)!) }
        #expect(configured == [crew("a", "1", "2"), nil, nil])
        #expect(roster.all == [crew("a", "1", "2"), crew("b", "3")] && roster.commanded == [])
    }

    @Test func limitsNumberOfCrews() {
        // One crew too many, by command and from the last process; crews without ergs, with too many, and
        // with one erg twice.
        var roster = CrewRoster(configured: [crew("a", "1")])
        let others = (1..<Crew.mostCrews).map { crew("c-\($0)", "1") }
        let areDefined = (others + [crew("z", "1"), crew("c-1", "2")]).map { roster.define($0) }
        #expect(areDefined == others.map { _ in true } + [false, true])
        let restored = CrewRoster(
            configured: [crew("a", "1"), crew("b", "1")], commanded: others)
        #expect(restored.all.count == Crew.mostCrews)
        let ergs = (0...CrewID.maximumMembers).map { StationID("e\($0)")! }
        for wrong in [[], ergs, [ergs[0], ergs[0]]] { #expect(Crew(CrewID("a")!, wrong) == nil) }
        for name in ["", "A", "a/b", "#", "+", String(repeating: "a", count: 33)] {
            #expect(CrewID(name) == nil)
        }
    }
}
