import Foundation
import TestSupport
import Testing

/// `rowgate-logbook plan` beside a logbook that runs.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct PlanCommandTests {
    /// Goal: an administrator takes a plan from a spreadsheet or a calendar, gets it back, and the running
    /// logbook tells it. Method: the programs themselves, with a store in a file.
    @Test(.timeLimit(.minutes(30)))
    func aPlanGoesInAndComesOut() async throws {
        let broker = try await PrivateBroker.running()
        let logbook = try await LogbookTests.Logbook(broker, keeps: true)
        func ask(_ arguments: String...) async throws -> Answer {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["plan"] + arguments + ["--config", logbook.path])
            let status = await process.waitForExit()
            return Answer(status: status, text: process.text)
        }
        let table = logbook.folder.path("winter.csv")
        let lines = "day,workout,machine,name,note,id\r\n2026-12-01,2000m,ski,Test,,20261201-1\r\n"
        try lines.write(toFile: table, atomically: true, encoding: .utf8)
        #expect(try await ask("import", "winter", table, "--athletes", "ben,anna").status == 0)
        let bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "coach"))
        let told = try ChildProcess(
            "curl", ["-s", "-H", bearer, logbook.address + "api/v1/plans/winter"])
        #expect(await told.waitForExit() == 0)
        #expect(told.text.contains(#""athletes":["anna","ben"]"#), "\(told.text)")
        let calendar = logbook.folder.path("winter.ics")
        #expect(try await ask("export", "winter", "--format", "ics", "-o", calendar).status == 0)
        #expect(try await ask("import", "winter", calendar, "--title", "Winter").status == 0)
        let again = logbook.folder.path("again.csv")
        #expect(try await ask("export", "winter", "-o", again).status == 0)
        #expect(try String(contentsOfFile: again, encoding: .utf8) == lines)
        let shown = try await ask("show", "winter").text
        #expect(shown.contains("winter, Winter") && shown.contains("anna, ben"), "\(shown)")
        let held = try await ask("adherence", "winter").text
        #expect(held.contains("anna: 0 done, 0 partly, "), "\(held)")
        try "day,workout\n2026-12-01,x\n".write(toFile: table, atomically: true, encoding: .utf8)
        let wrong = try await ask("import", "winter", table)
        #expect(wrong.status == 2 && wrong.text.contains("line 2, column 2 (workout): \"x\" is no"))
        #expect(try await ask("remove", "winter").status == 0)
        #expect(try await ask("remove", "winter").status == 2)
        #expect(await logbook.process.terminate() == 0)
        await broker.stop()
    }

    private struct Answer {
        let status: Int32?
        let text: String
    }
}
