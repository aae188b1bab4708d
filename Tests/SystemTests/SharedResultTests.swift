import Foundation
import TestSupport
import Testing

/// A group result that is shared by a link, with curl as browser.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct SharedResultTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private let broker: PrivateBroker
    private let logbook: LogbookTests.Logbook

    init() async throws {
        broker = try await PrivateBroker.running()
        logbook = try await LogbookTests.Logbook(broker, hasStore: true)
    }

    /// Returns the headers and the body that curl gets.
    private func request(_ address: String, _ options: String...) async throws -> String {
        let process = try ChildProcess("curl", ["-si"] + options + [address])
        _ = await process.waitForExit()
        return process.text
    }

    private func share(_ root: String, _ bearer: String) async throws -> (id: String, code: String) {
        let answer = try await request(
            root + "/links", "-H", bearer, "-H", "Content-Type: application/json", "-d", "{}")
        let id = try #require(answer.firstMatch(of: /"link_id":"([0-9a-f]{12})"/), "\(answer)").1
        let code = try #require(answer.firstMatch(of: /\/shared\/([0-9a-z-]{24})"/), "\(answer)").1
        return (String(id), String(code))
    }

    /// The page of a link as a browser gets it.
    private func page(_ code: String, of address: String) async throws -> String {
        try await request("\(address)shared/\(code)", "-H", "Accept: text/html", "-H", "Accept-Language: en")
    }

    @Test func guestsSeeTheResultUntilItsLinkIsRevokedOrTheAthleteErased() async throws {
        var traffic = Traffic()
        for message in traffic.session(Self.session, strokes: 3) {
            let payload = String(decoding: message.payload, as: UTF8.self)
                .replacing("\"started_ms\"", with: "\"athlete_id\":\"anna\",\"started_ms\"")
            try await broker.publish(payload, to: message.topic)
        }
        let bearer = "Authorization: Bearer " + (try await logbook.token("kim", role: "coach"))
        let path = "api/v1/pieces/boathouse/\(Self.session)"
        let isStored = try await eventually(within: .seconds(120)) {
            try await request(logbook.address + path, "-H", bearer).contains("\"athlete_id\":\"anna\"")
        }
        try #require(isStored, "\(logbook.process.text)")
        let (first, second) = (
            try await share(logbook.address + path, bearer), try await share(logbook.address + path, bearer)
        )
        let shown = try await page(first.code, of: logbook.address)
        #expect(shown.hasPrefix("HTTP/1.1 200") && shown.contains("/assets/group/shared.js"), "\(shown)")
        for header in [
            "Cache-Control: no-store", "X-Robots-Tag: noindex, nofollow", "Referrer-Policy: no-referrer",
        ] {
            #expect(shown.contains(header + "\r\n"), "\(header)")
        }
        #expect(shown.matches(of: /Cache-Control/).count == 1)
        let result = try await request(logbook.address + "api/v1/shared/" + first.code)
        #expect(result.contains("\"athlete_name\":\"anna\"") && !result.contains(Self.session))
        let table = try await request(logbook.address + "api/v1/shared/\(first.code)/export")
        #expect(table.contains("place,athlete_name,gw,erg,complete"))

        // The log names the link and the coach, and never has the code.
        let lines = logbook.process.lines.filter { $0.contains("link \(first.id)") }
        #expect(lines.count == 1 && lines[0].contains("shared group result boathouse/\(Self.session)"))
        #expect(lines.allSatisfy { $0.contains("by kim") })
        #expect(!logbook.process.text.contains(first.code))
        #expect(await logbook.process.terminate() == 0)

        let next = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"), ["--config", logbook.path, "--listen", "127.0.0.1:0"])
        #expect(await eventually { next.hasSubscribed(connections: 2) })
        let address = String(try #require(next.text.firstMatch(of: /http:\/\/[0-9.:]+\//)).0)
        #expect(try await page(first.code, of: address).hasPrefix("HTTP/1.1 200"), "after a restart")
        let revoked = try await request(
            address + path + "/links/\(first.id)", "-H", bearer, "-X", "DELETE")
        #expect(revoked.hasPrefix("HTTP/1.1 200"), "\(revoked)")
        let eraser = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"),
            ["athlete", "forget", "anna", "--yes", "--config", logbook.path])
        #expect(await eraser.waitForExit() == 0, "\(eraser.text)")
        // Revoked, without an athlete, wrong: the same page.
        for code in [first.code, second.code, "k7m2-9xqd-4t8w-hz3c-6vnp", "x"] {
            let refused = try await page(code, of: address)
            #expect(refused.hasPrefix("HTTP/1.1 404") && refused.contains("noindex"), "\(refused)")
            #expect(refused.contains("This link has expired or was revoked. Ask the coach for a new one."))
            #expect(!refused.contains("<a "))
        }
        #expect(
            next.text.contains("revoked link \(first.id) to group result boathouse/\(Self.session), by kim"))
        #expect(await next.terminate() == 0)
        await broker.stop()
    }
}
