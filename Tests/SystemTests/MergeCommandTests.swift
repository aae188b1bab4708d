import Foundation
import TestSupport
import Testing

/// An administrator merges two athlete ids that are one person, while the logbook runs.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct MergeCommandTests {
    private let broker: PrivateBroker
    private let logbook: LogbookTests.Logbook

    init() async throws {
        broker = try await PrivateBroker.running()
        logbook = try await LogbookTests.Logbook(broker, hasStore: true)
    }

    /// Runs the logbook's command line; returns its output.
    private func run(_ command: String, status: Int32 = 0) async throws -> String {
        let process = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"), command.words + ["--config", logbook.path])
        let found = await process.waitForExit()
        #expect(found == status, "\(command): \(process.text)")
        return process.text
    }

    private func publish(_ messages: [Traffic.Message], of athlete: String) async throws {
        for message in messages {
            let payload = String(decoding: message.payload, as: UTF8.self)
            let named = message.stream?.kind == .session || message.stream?.kind == .summary
            try await broker.publish(
                named
                    ? payload.replacing(
                        "\"session_id\":", with: "\"athlete_id\":\"\(athlete)\",\"session_id\":")
                    : payload, to: message.topic)
        }
    }

    private func sessions(of athlete: String) async throws -> Int {
        let text = try await run("sessions --json --athlete \(athlete)")
        let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any]
        return try #require(list, "\(text)").count
    }

    private func request(_ path: String, _ token: String) async throws -> String {
        let process = try ChildProcess(
            "curl", ["-s", "-H", "Authorization: Bearer \(token)", logbook.address + "api/v1/" + path])
        _ = await process.waitForExit()
        return process.text
    }

    @Test(.timeLimit(.minutes(30)))
    func mergesSeparatesAndForgets() async throws {
        var traffic = Traffic()
        _ = try await run("athlete add Meier --birth-year 2006")
        _ = try await run("athlete add Meyer --gender female --note knee")
        _ = try await run("group set juniors --name Juniors --athletes meyer")
        try await publish(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 2), of: "meyer")
        #expect(try await eventually { try await sessions(of: "meyer") == 1 })
        let created = try await run("token add phone --role athlete --athlete meyer")
        let token = try #require(created.firstMatch(of: /([0-9a-z]{4}-){4}[0-9a-z]{4}/), "\(created)").0
        #expect(try await request("me", String(token)).contains(#""athlete_id":"meyer""#))

        #expect(try await run("athlete merge meier meier", status: 2).contains("choose two athletes"))
        #expect(
            try await run("athlete merge meier nobody", status: 2).contains("there is no athlete \"nobody\""))
        #expect(try await run("athlete unmerge meyer", status: 2).contains("is not merged"))
        let preview = try await run("athlete merge meier meyer --dry-run")
        #expect(
            preview.contains("NOT MERGED: 1 session of Meyer (meyer) would count for Meier"), "\(preview)")
        #expect(try await run("athlete merges") == "no merges\n")
        let merged = try await run("athlete merge meier meyer")
        #expect(merged.contains("MERGED: 1 session of Meyer (meyer) counts for Meier"), "\(merged)")
        #expect(merged.contains("changed details of Meier: gender, note"), "\(merged)")
        #expect(merged.contains("rowgate-logbook athlete unmerge meyer"), "\(merged)")
        #expect(try await run("athlete merge meier meyer", status: 2).contains("meyer was merged into meier"))
        #expect(try await run("athlete merges --json").contains(#""kept_athlete_id":"meier""#))
        #expect(try await run("group list").contains("meier"))
        #expect(try await !run("athletes").contains("meyer"))

        // The gateway still has the former id; a later session and the running logbook follow.
        try await publish(traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 2), of: "meyer")
        #expect(try await eventually { try await sessions(of: "meier") == 2 })
        let isMeier = try await eventually(within: .seconds(60)) {
            try await request("me", String(token)).contains(#""athlete_id":"meier""#)
        }
        #expect(isMeier)
        let copy = logbook.folder.path("copy.db")
        #expect(try await run("backup \(copy)").contains("EQUAL"))
        #expect(
            try await run("athlete forget meyer --yes", status: 2).contains(
                "athlete forget meier erases both"))

        #expect(try await run("athlete unmerge meyer --json").contains(#""sessions":2"#))
        #expect(try await sessions(of: "meier") == 0)
        #expect(try await sessions(of: "meyer") == 2)
        #expect(try await run("group list").contains("meyer"))
        _ = try await run("athlete merge meier meyer")
        let erased = try await run("athlete forget meier --yes")
        #expect(erased.contains("2 sessions") && erased.contains("erased ids: meier, meyer"), "\(erased)")
        #expect(try await run("athletes") == "no athletes\n")
        #expect(try await run("athlete merges") == "no merges\n")
        #expect(try await !run("token list").contains("phone"))
        #expect(await logbook.process.terminate() == 0)
        for file in ["logbook.db", "tokens"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: logbook.folder.path(file)))
            #expect(
                bytes.range(of: Data("meyer".utf8)) == nil && bytes.range(of: Data("Meyer".utf8)) == nil,
                "\(file)")
        }
        await broker.stop()
    }
}
