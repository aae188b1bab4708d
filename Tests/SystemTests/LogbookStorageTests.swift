import Foundation
import TestSupport
import Testing

/// rowgate-logbook with a store, a real broker and a real gateway.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LogbookStorageTests {
    /// A logbook whose store survives its process.
    struct Logbook {
        let folder: TemporaryFolder
        let configuration: String

        /// - Parameter store: lines of the `[store]` section; by default a file in the folder.
        init(_ broker: PrivateBroker, store: String? = nil) throws {
            folder = try TemporaryFolder()
            configuration = folder.path("logbook.toml")
            try """
            [broker]
            host = "127.0.0.1"
            port = \(broker.port)
            [http]
            tokens_file = "\(folder.path("tokens"))"
            [store]
            \(store ?? #"path = "\#(folder.path("logbook.db"))""#)
            """.write(toFile: configuration, atomically: true, encoding: .utf8)
        }

        func start() async throws -> ChildProcess {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["--config", configuration, "--listen", "127.0.0.1:0"])
            try #require(await eventually { process.hasSubscribed() }, "\(process.text)")
            return process
        }

        func run(_ arguments: String...) async throws -> (text: String, status: Int32?) {
            try await run(arguments)
        }

        func run(_ arguments: [String]) async throws -> (text: String, status: Int32?) {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                arguments + ["--config", configuration])
            let status = await process.waitForExit()
            return (process.text, status)
        }
    }

    /// The logbook is killed and misses 1500 strokes. The broker queues 1000 messages and drops the rest
    /// silently; the logbook requests those from the gateway.
    @Test(.timeLimit(.minutes(30)))
    func recoversStrokesAfterAnAbsence() async throws {
        let room = try await SimulatedRoom(ergs: 1, simulator: [])
        try await DeliveryTests().recordSession(of: room, strokes: 1_500)
        let logbook = try Logbook(room.broker)
        let before = try await logbook.start()
        before.signal(SIGKILL)
        await before.waitForExit()
        let gateway = try await room.startGateway()
        #expect(
            await eventually { room.messages(ofKind: "manifest").count == 1 }, "\(gateway.text)")

        let after = try await logbook.start()
        #expect(
            await eventually {
                after.text.contains("01J7ZK3Q5XQ4W8G9T2V6B0C1DE is verified")
            }, "\(after.text)\(gateway.text)")
        #expect(after.text.contains("missing; requested"), "\(after.text)")
        // The daemon still has the store open.
        let sessions = try await logbook.run("sessions", "--json")
        #expect(sessions.status == 0)
        #expect(sessions.text.contains(#""strokes":1500"#), "\(sessions.text)")
        let session = try await logbook.run("session", "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        #expect(session.status == 0 && session.text.contains("verified: all"), "\(session.text)")
        let metrics = try await logbook.run("metrics")
        #expect(metrics.status == 0 && metrics.text.contains("{gateway="), "\(metrics.text)")
        let doctor = try await logbook.run("doctor")
        #expect(doctor.text.contains("accepted the subscription to rowgate/v1/+/#"), "\(doctor.text)")
        #expect(doctor.text.contains("nothing is missing"), "\(doctor.text)")
        let copy = logbook.folder.path("copy.db")
        let backup = try await logbook.run("backup", copy)
        #expect(backup.status == 0 && backup.text.contains("EQUAL: "), "\(backup.text)")
        let whileOpen = try await logbook.run("restore", copy)
        #expect(whileOpen.status == 2 && whileOpen.text.contains("has it open"), "\(whileOpen.text)")
        let forgotten = try await logbook.run("athlete", "forget", "nobody-we-know", "--yes")
        #expect(
            forgotten.status == 0 && forgotten.text.contains("ERASED: 0 records"),
            "\(forgotten.text)")
        #expect(try await logbook.run("compact").status == 0)
        #expect(await after.terminate() == 0)
        let check = try await logbook.run("check")
        #expect(check.status == 0 && check.text.hasPrefix("COMPLETE: "), "\(check.text)")
        #expect(check.text.contains("1 session verified"), "\(check.text)")
        let list = try await logbook.run("sessions", "--erg", "erg-1")
        #expect(list.status == 0 && list.text.contains(" verified"), "\(list.text)")
        try await expectExports(of: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", from: logbook)
        let lines = logbook.folder.path("session.jsonl")
        let file = ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "--format", "jsonl", "--output", lines]
        #expect(try await logbook.run(["export"] + file).status == 0)
        let imported = try await logbook.run(
            "import", lines, "--store", logbook.folder.path("other.db"))
        #expect(imported.status == 0 && imported.text.contains("IMPORTED"), "\(imported.text)")
        let repeated = try await logbook.run("import", lines)
        #expect(repeated.status == 0 && repeated.text.contains(" 0 records new"), "\(repeated.text)")
        let restored = try await logbook.run("restore", copy)
        #expect(restored.status == 0 && restored.text.contains("COMPLETE: "), "\(restored.text)")
        #expect(restored.text.contains("the old store is now"), "\(restored.text)")
        #expect(await gateway.terminate() == 0)
    }

    /// Checks each export format of a session of 1500 strokes, and refused exports.
    private func expectExports(of session: String, from logbook: Logbook) async throws {
        let strokes = try await logbook.run("export", session, "--format", "csv")
        #expect(strokes.status == 0)
        #expect(strokes.text.split(separator: "\r\n").count == 1501)
        let records = try await logbook.run("export", session, "--format", "jsonl")
        #expect(
            records.text.split(separator: "\n").count { $0.contains(#""kind":"stroke""#) } == 1500)
        let document = try await logbook.run("export", session)
        // A point for each stroke, and one at 0 m.
        #expect(document.text.split(separator: "<Trackpoint>").count == 1502)
        let file = logbook.folder.path("session.fit")
        let fit = try await logbook.run(
            "export", session, "--format", "fit", "--output", file)
        #expect(fit.status == 0 && fit.text == "", "\(fit.text)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.dropFirst(8).prefix(4) == Data(".FIT".utf8) && bytes.count > 1500 * 10)

        let several = try await logbook.run("export", "--format", "csv", "--gateway", "test")
        #expect(several.status == 0 && several.text.hasSuffix(strokes.text.suffix(2000)))
        let none = try await logbook.run("export", "--format", "csv", "--to", "2001-01-01")
        #expect(none.status == 0 && none.text.split(separator: "\r\n").count == 1)
        try await expectRefusedExports(session, from: logbook)
    }

    private func expectRefusedExports(_ session: String, from logbook: Logbook) async throws {
        for (arguments, status, problem) in [
            ([session, "--erg", "erg-1"], 64, "give either a session or"),
            (["--format", "fit"], 64, "a fit file holds one session: name it"),
            (["--from", "yesterday"], 64, "--from takes a day, as 2026-09-05, not 'yesterday'"),
        ] as [([String], Int32, String)] {
            let refused = try await logbook.run(["export"] + arguments)
            #expect(refused.status == status, "\(refused.text)")
            #expect(refused.text.contains(problem), "\(refused.text)")
        }
        for (arguments, problem) in [
            (["01J7ZK3Q5XQ4W8G9T2V6B0C1DX"], "there is no session 01J7ZK3Q5XQ4W8G9T2V6B0C1DX"),
            (
                [session, "--output", "/absent/x.tcx"],
                "/absent/x.tcx cannot be written: No such file"
            ),
        ] {
            let refused = try await logbook.run(["export"] + arguments)
            #expect(refused.status == 2 && refused.text.contains(problem), "\(refused.text)")
        }
    }

    /// Kills the logbook eight times while two ergs row 200 m, and compares its store with a subscriber's
    /// messages.
    @Test(.timeLimit(.minutes(30)))
    func storesEachRecordOnceDespiteKills() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 200m --speed 3 --link-speed 8 --seed 3".words)
        let logbook = try Logbook(room.broker)
        let gateway = try await room.startGateway()
        for kill in 0..<8 {
            let process = try await logbook.start()
            try await Task.sleep(for: .milliseconds(700 + 450 * (kill % 4)))
            process.signal(SIGKILL)
            await process.waitForExit()
        }
        let last = try await logbook.start()
        let isVerified = try await eventually {
            let sessions = try await logbook.run("sessions", "--json").text
            return sessions.components(separatedBy: #""state":"verified""#).count == 3
        }
        #expect(isVerified, "\(last.text)\(gateway.text)")
        // A late revision of the summary and the marks follow the manifest.
        let isComplete = try await eventually {
            try await logbook.run("check").status == 0
        }
        let check = try await logbook.run("check")
        #expect(isComplete && check.text.contains("2 sessions verified"), "\(check.text)")
        #expect(await last.terminate() == 0)
        let received = Set(
            room.messages(ofKind: "stroke").map { message in
                let number = message.payload.firstMatch(of: /"seq":(\d+)/).map { String($0.1) }
                return "\(message.topic) \(number ?? "")"
            })
        let sessions = try await logbook.run("sessions", "--json").text
        let counts = sessions.matches(of: /"strokes":(\d+)/).compactMap { Int($0.1) }
        #expect(counts.count == 2 && counts.reduce(0, +) == received.count, "\(sessions)")
        #expect(await gateway.terminate() == 0)
    }

    /// Publishes a record between two runs, then starts with a damaged store, a missing folder and a
    /// configuration without a store.
    @Test(.timeLimit(.minutes(30)))
    func receivesQueuedRecordsAndRefusesAWrongStore() async throws {
        let broker = try await PrivateBroker.running()
        let logbook = try Logbook(broker)
        #expect(await (try logbook.start()).terminate() == 0)
        var traffic = Traffic()
        let event = traffic.event()
        try await broker.publish(
            String(decoding: event.payload, as: UTF8.self), to: event.topic, ["-q", "1"])
        let restarted = try await logbook.start()
        #expect(
            await eventually {
                let check = try? await logbook.run("check", "--json")
                return check?.text.contains(#""records":1,"#) == true
            })
        #expect(await restarted.terminate() == 0)

        let store = logbook.folder.path("logbook.db")
        for name in ["logbook.db-wal", "logbook.db-shm"] {
            try? FileManager.default.removeItem(atPath: logbook.folder.path(name))
        }
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: store))
        let damaged = try await logbook.run()
        #expect(damaged.status == 78)
        #expect(damaged.text.contains("it is damaged, or not a store"), "\(damaged.text)")
        let missing = try await logbook.run("check", "--store", "/nowhere/logbook.db")
        #expect(missing.status == 2, "\(missing.text)")
        try "[broker]\n".write(
            toFile: logbook.configuration, atomically: true, encoding: .utf8)
        let without = try await logbook.run("sessions")
        #expect(without.status == 2 && without.text.contains("has no [store]"), "\(without.text)")
        await broker.stop()
    }
}
