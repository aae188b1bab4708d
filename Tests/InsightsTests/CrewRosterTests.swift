import Contract
import Testing

@testable import Insights

@Suite struct CrewRosterTests {
    private func crew(_ name: String, _ ergs: String...) -> Crew {
        Crew(CrewID(name)!, ergs.map { StationID($0)! })!
    }

    @Test func aCommandStandsInPlaceOfTheConfiguration() {
        // Goal: what was commanded holds until it is taken back. Method: one crew of each sort, and one of
        // both.
        var roster = CrewRoster(configured: [crew("a", "1", "2"), crew("b", "3")])
        let named = [roster.name(crew("c", "4")), roster.name(crew("a", "5"))]
        #expect(named == [true, true])
        #expect(roster.all == [crew("a", "5"), crew("b", "3"), crew("c", "4")])
        #expect(roster.commanded == [crew("c", "4"), crew("a", "5")])
        #expect(CrewRoster(configured: [], commanded: roster.commanded).all.count == 2)
        let left = ["a", "c", "z"].map { roster.forget(CrewID($0)!) }
        #expect(left == [crew("a", "1", "2"), nil, nil])
        #expect(roster.all == [crew("a", "1", "2"), crew("b", "3")] && roster.commanded == [])
    }

    @Test func thereIsAnEndOfThem() {
        // Goal: what anybody may send takes bounded room. Method: one crew too many, by command and by
        // what the last process knew; a crew without ergs, with too many, with one twice.
        var roster = CrewRoster(configured: [crew("a", "1")])
        let others = (1..<Crew.mostCrews).map { crew("c-\($0)", "1") }
        let named = (others + [crew("z", "1"), crew("c-1", "2")]).map { roster.name($0) }
        #expect(named == others.map { _ in true } + [false, true])
        let kept = CrewRoster(
            configured: [crew("a", "1"), crew("b", "1")], commanded: others)
        #expect(kept.all.count == Crew.mostCrews)
        let ergs = (0...CrewID.mostMembers).map { StationID("e\($0)")! }
        for wrong in [[], ergs, [ergs[0], ergs[0]]] { #expect(Crew(CrewID("a")!, wrong) == nil) }
        for name in ["", "A", "a/b", "#", "+", String(repeating: "a", count: 33)] {
            #expect(CrewID(name) == nil)
        }
    }
}
