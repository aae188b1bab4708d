import Foundation
import TestSupport
import Testing

/// rowgate-logbook with a store, a real broker and a real gateway.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LogbookKeepingTests {
    /// A logbook whose store outlives it.
    struct Logbook {
        let folder: TemporaryFolder
        let configuration: String

        /// - Parameter store: lines of its section; without them a file in its folder.
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
            try #require(
                await eventually { process.text.contains("listening to the broker") },
                "\(process.text)")
            return process
        }

        func ask(_ arguments: String...) async throws -> (text: String, status: Int32?) {
            try await ask(arguments)
        }

        func ask(_ arguments: [String]) async throws -> (text: String, status: Int32?) {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                arguments + ["--config", configuration])
            let status = await process.waitForExit()
            return (process.text, status)
        }
    }

    /// Goal: a logbook that was killed, and away for 1500 strokes, has every record, and says so.
    /// Method: of what a gateway publishes meanwhile the broker holds 1000 messages and drops the rest
    /// in silence; the logbook asks the gateway for it.
    @Test(.timeLimit(.minutes(30)))
    func awayFor1500Strokes() async throws {
        let room = try await SimulatedRoom(ergs: 1, simulator: [])
        try await DeliveryTests().fillRing(of: room, strokes: 1_500)
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
        #expect(after.text.contains("missing, and asked for"), "\(after.text)")
        // Beside the program, which keeps the store open.
        let sessions = try await logbook.ask("sessions", "--json")
        #expect(sessions.status == 0)
        #expect(sessions.text.contains(#""strokes":1500"#), "\(sessions.text)")
        let session = try await logbook.ask("session", "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        #expect(session.status == 0 && session.text.contains("verified: all"), "\(session.text)")
        let metrics = try await logbook.ask("metrics")
        #expect(metrics.status == 0 && metrics.text.contains("{gateway="), "\(metrics.text)")
        let doctor = try await logbook.ask("doctor")
        #expect(doctor.text.contains("lets us hear rowgate/v1/+/#"), "\(doctor.text)")
        #expect(doctor.text.contains("nothing is missing"), "\(doctor.text)")
        let copy = logbook.folder.path("copy.db")
        let backup = try await logbook.ask("backup", copy)
        #expect(backup.status == 0 && backup.text.contains("THE SAME: "), "\(backup.text)")
        let early = try await logbook.ask("restore", copy)
        #expect(early.status == 2 && early.text.contains("has it open"), "\(early.text)")
        let forgotten = try await logbook.ask("athlete", "forget", "nobody-we-know", "--yes")
        #expect(
            forgotten.status == 0 && forgotten.text.contains("ERASED: 0 records"),
            "\(forgotten.text)")
        #expect(try await logbook.ask("compact").status == 0)
        #expect(await after.terminate() == 0)
        let check = try await logbook.ask("check")
        #expect(check.status == 0 && check.text.hasPrefix("COMPLETE: "), "\(check.text)")
        #expect(check.text.contains("1 session verified"), "\(check.text)")
        let list = try await logbook.ask("sessions", "--erg", "erg-1")
        #expect(list.status == 0 && list.text.contains(" verified"), "\(list.text)")
        try await exports(of: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", from: logbook)
        let lines = logbook.folder.path("session.jsonl")
        let file = ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "--format", "jsonl", "--output", lines]
        #expect(try await logbook.ask(["export"] + file).status == 0)
        let imported = try await logbook.ask(
            "import", lines, "--store", logbook.folder.path("other.db"))
        #expect(imported.status == 0 && imported.text.contains("IMPORTED"), "\(imported.text)")
        let again = try await logbook.ask("import", lines)
        #expect(again.status == 0 && again.text.contains(" 0 records new"), "\(again.text)")
        let restored = try await logbook.ask("restore", copy)
        #expect(restored.status == 0 && restored.text.contains("COMPLETE: "), "\(restored.text)")
        #expect(restored.text.contains("the store that was there is"), "\(restored.text)")
        #expect(await gateway.terminate() == 0)
    }

    /// Every format of a session of 1500 strokes, to a file and to standard output; and what cannot be.
    private func exports(of session: String, from logbook: Logbook) async throws {
        let strokes = try await logbook.ask("export", session, "--format", "csv")
        #expect(strokes.status == 0)
        #expect(strokes.text.split(separator: "\r\n").count == 1501)
        let records = try await logbook.ask("export", session, "--format", "jsonl")
        #expect(
            records.text.split(separator: "\n").count { $0.contains(#""kind":"stroke""#) } == 1500)
        let document = try await logbook.ask("export", session)
        // A point for each stroke, and one at 0 m.
        #expect(document.text.split(separator: "<Trackpoint>").count == 1502)
        let file = logbook.folder.path("session.fit")
        let fit = try await logbook.ask(
            "export", session, "--format", "fit", "--output", file)
        #expect(fit.status == 0 && fit.text == "", "\(fit.text)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(bytes.dropFirst(8).prefix(4) == Data(".FIT".utf8) && bytes.count > 1500 * 10)

        let several = try await logbook.ask("export", "--format", "csv", "--gateway", "test")
        #expect(several.status == 0 && several.text.hasSuffix(strokes.text.suffix(2000)))
        let none = try await logbook.ask("export", "--format", "csv", "--to", "2001-01-01")
        #expect(none.status == 0 && none.text.split(separator: "\r\n").count == 1)
        try await cannotBeExported(session, from: logbook)
    }

    private func cannotBeExported(_ session: String, from logbook: Logbook) async throws {
        for (arguments, status, complaint) in [
            ([session, "--erg", "erg-1"], 64, "name a session, or choose by"),
            (["--format", "fit"], 64, "a fit file holds one session: name it"),
            (["--from", "yesterday"], 64, "--from takes a day, as 2026-09-05, not 'yesterday'"),
        ] as [([String], Int32, String)] {
            let refused = try await logbook.ask(["export"] + arguments)
            #expect(refused.status == status, "\(refused.text)")
            #expect(refused.text.contains(complaint), "\(refused.text)")
        }
        for (arguments, complaint) in [
            (["01J7ZK3Q5XQ4W8G9T2V6B0C1DX"], "there is no session 01J7ZK3Q5XQ4W8G9T2V6B0C1DX"),
            (
                [session, "--output", "/absent/x.tcx"],
                "/absent/x.tcx cannot be written: No such file"
            ),
        ] {
            let refused = try await logbook.ask(["export"] + arguments)
            #expect(refused.status == 2 && refused.text.contains(complaint), "\(refused.text)")
        }
    }

    /// Goal: a logbook that dies again and again while ergs are rowed has every record once. Method: two
    /// ergs row 200 m; the logbook is killed eight times meanwhile, each time after another while; at
    /// the end its check, and what a subscriber heard.
    @Test(.timeLimit(.minutes(30)))
    func killedAgainAndAgain() async throws {
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
            let sessions = try await logbook.ask("sessions", "--json").text
            return sessions.components(separatedBy: #""state":"verified""#).count == 3
        }
        #expect(isVerified, "\(last.text)\(gateway.text)")
        // What comes behind the manifest: a late revision of the summary, the marks.
        let isComplete = try await eventually {
            try await logbook.ask("check").status == 0
        }
        let check = try await logbook.ask("check")
        #expect(isComplete && check.text.contains("2 sessions verified"), "\(check.text)")
        #expect(await last.terminate() == 0)
        let heard = Set(
            room.messages(ofKind: "stroke").map { message in
                let number = message.payload.firstMatch(of: /"seq":(\d+)/).map { String($0.1) }
                return "\(message.topic) \(number ?? "")"
            })
        let sessions = try await logbook.ask("sessions", "--json").text
        let kept = sessions.matches(of: /"strokes":(\d+)/).compactMap { Int($0.1) }
        #expect(kept.count == 2 && kept.reduce(0, +) == heard.count, "\(sessions)")
        #expect(await gateway.terminate() == 0)
    }

    /// Goal: records that come while the logbook is away wait at the broker, and a store that cannot
    /// be used ends the start with a sentence. Method: a record published between two runs; a file
    /// that is no store, a folder that is not there, a configuration without a store.
    @Test(.timeLimit(.minutes(30)))
    func theBrokerRemembersAndAWrongStoreIsRefused() async throws {
        let broker = try await PrivateBroker.running()
        let logbook = try Logbook(broker)
        #expect(await (try logbook.start()).terminate() == 0)
        var traffic = Traffic()
        let event = traffic.event()
        try await broker.publish(
            String(decoding: event.payload, as: UTF8.self), to: event.topic, ["-q", "1"])
        let again = try await logbook.start()
        #expect(
            await eventually {
                let check = try? await logbook.ask("check", "--json")
                return check?.text.contains(#""records":1,"#) == true
            })
        #expect(await again.terminate() == 0)

        let store = logbook.folder.path("logbook.db")
        for name in ["logbook.db-wal", "logbook.db-shm"] {
            try? FileManager.default.removeItem(atPath: logbook.folder.path(name))
        }
        try Data(repeating: 65, count: 8192).write(to: URL(fileURLWithPath: store))
        let damaged = try await logbook.ask()
        #expect(damaged.status == 78)
        #expect(damaged.text.contains("it is damaged, or no store"), "\(damaged.text)")
        let looked = try await logbook.ask("check", "--store", "/nowhere/logbook.db")
        #expect(looked.status == 2, "\(looked.text)")
        try "[broker]\n".write(
            toFile: logbook.configuration, atomically: true, encoding: .utf8)
        let without = try await logbook.ask("sessions")
        #expect(without.status == 2 && without.text.contains("has no [store]"), "\(without.text)")
        await broker.stop()
    }
}
