import Foundation
import HostRuntime
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import LogbookStores
@testable import WebServer

/// All parts of the logbook accept the same athlete ids.
@Suite struct AthleteIDPlacesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func tokensOfAthletes() throws {
        let file = TokenFile(path: folder.path("tokens"))
        func holder(_ id: String) -> TokenHolder {
            TokenHolder(
                name: "one", role: .athlete, athlete: id,
                digest: String(repeating: "0", count: 64), createdMilliseconds: 1)
        }
        for id in AthleteIDs.valid {
            try file.replace(with: [holder(id)])
            #expect(try file.read() == [holder(id)])
        }
        // A line feed would start a new line in the file.
        for id in AthleteIDs.invalid where !id.contains("\n") {
            try file.replace(with: [holder(id)])
            #expect(throws: TokenFile.Fault.self, "\(id)") { try file.read() }
        }
    }

    @Test func tokensOfAFileThatWasEditedElsewhere() throws {
        let path = folder.path("tokens")
        let file = TokenFile(path: path)
        let digest = String(repeating: "0", count: 64)
        let text = "\u{FEFF}one coach \(digest) 1\r\n\r\ntwo wall \(digest) 2\r\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try file.read().map(\.name) == ["one", "two"])
    }

    @Test func erasuresThatWait() throws {
        for (index, id) in AthleteIDs.valid.enumerated() {
            let file = ErasureRequestFile(path: folder.path("erasures-\(index)"))
            try file.add(id, at: [GatewayID("boathouse")!], now: 1)
            #expect(try file.read().map(\.athlete) == [id])
        }
    }

    @Test func addressesAndParameters() async throws {
        let fixture = try InterfaceFixture()
        var traffic = Traffic()
        // The fixture does not decode percent escapes.
        let plain = AthleteIDs.valid.filter { id in !id.contains { "?&=%+#".contains($0) } }
        for (index, id) in plain.enumerated() {
            let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1\(index + 10)"
            try fixture.save(traffic.session(session, strokes: 2).map { $0.assigned(to: id) })
            let response = try await fixture.object("/sessions?athlete_id=\(id)")
            let sessions = try #require(response["sessions"] as? [[String: Any]])
            #expect(sessions.map { $0["athlete_id"] as? String } == [id])
            let athlete = try await fixture.object("/athletes/\(id)")["athlete"] as? [String: Any]
            #expect(athlete?["athlete_id"] as? String == id)
        }
        for id in AthleteIDs.invalid where !id.isEmpty {
            let refusal = await fixture.refusal("/sessions?athlete_id=\(id)")
            #expect(
                refusal?.status.hasPrefix("400") == true, "\(id): \(String(describing: refusal))")
            if id.contains("/") { continue }
            let unknown = await fixture.refusal("/athletes/\(id)")
            #expect(unknown?.status.hasPrefix("404") == true, "\(id)")
        }
    }
}
