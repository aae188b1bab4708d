import Foundation
import TestSupport
import Testing

/// The HTTP interface of rowgate-logbook, with a store that a real gateway filled.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LogbookInterfaceTests {
    /// Returns the body that curl gets, followed by status and content type.
    private func request(_ url: String, _ options: String...) async throws -> String {
        let process = try ChildProcess(
            "curl",
            ["-sg", "--path-as-is", "-w", " %{http_code} %{content_type}"] + options + [url])
        let status = await process.waitForExit()
        return status == 0 ? process.text : "curl: \(String(describing: status))"
    }

    /// A room in which two athletes rowed 200 m each, and a logbook with their records.
    private struct FilledRoom {
        let room: SimulatedRoom
        let gateway: ChildProcess
        let logbook: LogbookTests.Logbook
        let bearer: String
    }

    private func makeFilledRoom() async throws -> FilledRoom {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 200m --speed 4 --link-speed 8 --seed 5".words)
        let roster = room.folder.path("roster.toml")
        let athletes = (1...2).map { "[[athlete]]\nid = \"a-\($0)\"\nerg = \"erg-\($0)\"\n" }
        try athletes.joined().write(toFile: roster, atomically: true, encoding: .utf8)
        try room.configure("[athletes]\nroster = \"\(roster)\"\n")
        let logbook = try await LogbookTests.Logbook(room.broker, hasStore: true)
        let bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "captain"))
        let gateway = try await room.startGateway(untilSessions: 2)
        let list = logbook.address + "api/v1/sessions?state=verified"
        let areStored = try await eventually(within: .seconds(300)) {
            try await request(list, "-H", bearer).components(separatedBy: "\"session_id\"").count > 2
        }
        try #require(areStored, "\(logbook.process.text)\(gateway.text)")
        return FilledRoom(room: room, gateway: gateway, logbook: logbook, bearer: bearer)
    }

    /// schemathesis derives some hundred requests from the OpenAPI document; the test adds hostile ones.
    @Test(.enabled(if: PythonPackage.hasSchemathesis, "schemathesis from PyPI is needed"))
    func everyAnswerMatchesTheDocument() async throws {
        let filled = try await makeFilledRoom()
        let (logbook, bearer) = (filled.logbook, filled.bearer)
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/ask_everything.py").path
        let client = try ChildProcess(
            "python3",
            [
                program, logbook.address, String(bearer.dropFirst("Authorization: Bearer ".count)),
                logbook.folder.path(""),
            ], environment: ["PYTHONPATH": PythonPackage.folder])
        #expect(await client.waitForExit(within: .seconds(1200)) == 0, "\(client.text)")
        // schemathesis tests every operation except the endless stream.
        let document = try await request(logbook.address + "api/v1/openapi.json")
        let operations = document.components(separatedBy: "\"operationId\"").count - 1
        #expect(client.text.contains("Tested: \(operations - 1)\n"), "\(client.text)")
        try await expectRefusals(logbook, bearer)
        try await expectSameOutputAsCommands(logbook, bearer)
        let errors = logbook.process.lines.filter {
            $0.contains("error:") || $0.contains("cannot be answered")
        }
        #expect(errors == [])
        // The logbook can learn a sequence number before it receives the record.
        let isComplete = try await eventually(within: .seconds(300)) {
            let check = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"), ["check", "--config", logbook.path])
            return await check.waitForExit() == 0
        }
        #expect(isComplete)
        #expect(await logbook.process.terminate() == 0)
        #expect(await filled.gateway.terminate() == 0)
        await filled.room.broker.stop()
    }

    /// Sends path traversals, SQL injections, excessive values and unsupported methods.
    private func expectRefusals(
        _ logbook: LogbookTests.Logbook, _ bearer: String
    ) async throws {
        for (path, status) in [
            ("../../etc/passwd", 404), ("assets/..%2f..%2f..%2fetc%2fpasswd", 404),
            ("assets/%2e%2e/wall/wall.html", 404), ("api/v1/sessions/..%2f..%2fetc/passwd", 404),
            ("api/v1/sessions/boathouse%00/x", 404), ("api/v1/gateways%00", 404),
            ("api/v1/sessions//", 404), ("api/v1/sessions/test/%27%20OR%20%271%27=%271", 404),
            ("api/v1/sessions?erg=%27%3B%20DROP%20TABLE%20session%3B--", 400),
            ("api/v1/sessions?limit=999999999999999999999999", 400),
            ("api/v1/sessions?limit=1e3", 400), ("api/v1/sessions?limit[]=1", 400),
            ("api/v1/sessions?cursor=\(String(repeating: "ab", count: 3000))", 400),
            ("api/v1/sessions?cursor=%FF%FE", 400), ("api/v1/sessions?&&&=&", 400),
            ("api/v1/athletes?cursor=73657373696f6e73", 400),
        ] {
            let answer = try await request(logbook.address + path, "-H", bearer)
            #expect(answer.hasSuffix("} \(status) application/problem+json"), "\(path): \(answer)")
        }
        for method in ["DELETE", "PATCH", "TRACE", "X"] {
            let answer = try await request(
                logbook.address + "api/v1/sessions", "-H", bearer, "-X", method)
            #expect(answer.hasSuffix("} 405 application/problem+json"), "\(method): \(answer)")
        }
        let sessions = try await request(logbook.address + "api/v1/sessions", "-H", bearer)
        #expect(sessions.hasSuffix("} 200 application/json") && sessions.contains("verified"))
    }

    /// Checks that the interface and the command return the same bytes.
    private func expectSameOutputAsCommands(
        _ logbook: LogbookTests.Logbook, _ bearer: String
    ) async throws {
        let sessions = try await request(
            logbook.address + "api/v1/sessions?athlete_id=a-1&state=verified", "-H", bearer)
        let found = try #require(sessions.firstMatch(of: /"session_id":"(\w+)"/))
        for format in ["tcx", "csv", "jsonl", "concept2"] {
            let answer = try await request(
                logbook.address + "api/v1/sessions/test/\(found.1)/export?format=\(format)", "-H",
                bearer)
            let command = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["export", String(found.1), "--format", format, "--config", logbook.path])
            #expect(await command.waitForExit() == 0)
            #expect(command.text.count > 300 && answer.hasPrefix(command.text), "\(answer)")
        }
        for (command, path, name, expected) in [
            ("bests", "", "bests", #""event":"100m""#),
            ("training", "/training", "machines", "no_ranked_2000m"),
            ("suggestions", "/suggestions", "open", #""past":[]"#),
        ] {
            let answer = try await request(logbook.address + "api/v1/athletes/a-1\(path)", "-H", bearer)
            let command = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                [command, "a-1", "--json", "--config", logbook.path])
            #expect(await command.waitForExit() == 0)
            let text = command.text.trimmingCharacters(in: .newlines)
            let values = text.split(separator: "\"\(name)\":", maxSplits: 1).last ?? ""
            #expect(values.contains(expected) && answer.contains(values), "\(answer)")
        }
    }
}
