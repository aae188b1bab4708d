import Foundation
import TestSupport
import Testing

/// `rowgate-logbook plan` with a running logbook.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct PlanCommandTests {
    @Test(.timeLimit(.minutes(30)))
    func importsAndExportsAPlan() async throws {
        let broker = try await PrivateBroker.running()
        let logbook = try await LogbookTests.Logbook(broker, hasStore: true)
        func run(_ arguments: String...) async throws -> Answer {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["plan"] + arguments + ["--config", logbook.path])
            let status = await process.waitForExit()
            return Answer(status: status, text: process.text)
        }
        let table = logbook.folder.path("winter.csv")
        let lines =
            "day,workout,machine,name,note,id,shown_from\r\n"
            + "2026-12-01,2000m,ski,Test,,20261201-1,18:00 -1d\r\n"
        try lines.write(toFile: table, atomically: true, encoding: .utf8)
        #expect(try await run("import", "winter", table, "--athletes", "ben,anna").status == 0)
        let bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "coach"))
        let answer = try ChildProcess(
            "curl", ["-s", "-H", bearer, logbook.address + "api/v1/plans/winter"])
        #expect(await answer.waitForExit() == 0)
        #expect(answer.text.contains(#""athletes":["anna","ben"]"#), "\(answer.text)")
        let calendar = logbook.folder.path("winter.ics")
        #expect(try await run("export", "winter", "--format", "ics", "-o", calendar).status == 0)
        #expect(try await run("import", "winter", calendar, "--title", "Winter").status == 0)
        let copy = logbook.folder.path("copy.csv")
        #expect(try await run("export", "winter", "-o", copy).status == 0)
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == lines)
        let shown = try await run("show", "winter").text
        #expect(shown.contains("winter, Winter") && shown.contains("anna, ben"), "\(shown)")
        #expect(shown.contains("SHOWN FROM") && shown.contains("18:00 -1d"), "\(shown)")
        let adherence = try await run("adherence", "winter").text
        #expect(adherence.contains("anna: 0 done, 0 partly, "), "\(adherence)")
        try "day,workout\n2026-12-01,x\n".write(toFile: table, atomically: true, encoding: .utf8)
        let wrong = try await run("import", "winter", table)
        #expect(
            wrong.status == 2
                && wrong.text.contains("line 2, column 2 (workout): \"x\" is not a valid workout"))
        let reserved = try await run("import", "intervals-icu-0123456789abcdef01", table)
        #expect(reserved.status == 64 && reserved.text.contains("is read from intervals.icu"), "\(reserved)")
        #expect(try await run("remove", "winter").status == 0)
        #expect(try await run("remove", "winter").status == 2)
        #expect(await logbook.process.terminate() == 0)
        await broker.stop()
    }

    private struct Answer {
        let status: Int32?
        let text: String
    }
}
