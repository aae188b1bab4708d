import Contract
import Foundation
import TestSupport
import Testing

/// Faults of the store and the disk, and interrupted or concurrent commands of rowgate-logbook.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LogbookStoreFaultTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"

    /// A folder with a configuration, which starts commands and daemons.
    private struct LogbookFolder {
        let folder: TemporaryFolder
        let port: UInt16
        var store: String
        var configuration: String { folder.path("logbook.toml") }

        init(broker: UInt16 = 1, store: String? = nil) throws {
            folder = try TemporaryFolder()
            port = try PrivateBroker.freePort()
            self.store = store ?? folder.path("logbook.db")
            try configure(broker: broker, as: "logbook.toml")
        }

        func configure(broker: UInt16, as name: String) throws {
            try """
            [broker]
            host = "127.0.0.1"
            port = \(broker)
            [http]
            listen = "127.0.0.1:\(port)"
            tokens_file = "\(folder.path("state/tokens"))"
            [store]
            path = "\(store)"
            """.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        }

        func run(
            _ arguments: [String], through prefix: [String] = []
        ) async throws -> (text: String, status: Int32?) {
            let process = try start(arguments, through: prefix)
            let status = await process.waitForExit()
            return (process.text, status)
        }

        func start(_ arguments: [String] = [], through prefix: [String] = []) throws -> ChildProcess {
            let command =
                prefix + [SimulatedRoom.program("rowgate-logbook")] + arguments
                + ["--config", configuration]
            return try ChildProcess(command[0], Array(command.dropFirst()))
        }

        func daemon(_ arguments: [String] = []) async throws -> ChildProcess {
            let process = try start(arguments)
            try #require(await eventually { process.hasSubscribed() }, "\(process.text)")
            return process
        }

        func get(_ address: String, bearer: String? = nil) async throws -> String {
            let header = bearer.map { ["-H", "Authorization: Bearer \($0)"] } ?? []
            let process = try ChildProcess(
                "curl", ["-s"] + header + ["http://127.0.0.1:\(port)\(address)"])
            await process.waitForExit()
            return process.text
        }

        /// Writes a file for `import`, and returns its path.
        func write(_ messages: [Traffic.Message], to name: String) throws -> String {
            let lines = messages.map {
                $0.topic + " " + String(decoding: $0.payload, as: UTF8.self) + "\n"
            }
            let path = folder.path(name)
            try lines.joined().write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        func files(in name: String = "") throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
        }
    }

    private func publish(_ messages: [Traffic.Message], to broker: PrivateBroker) async throws {
        for message in messages {
            try await broker.publish(
                String(decoding: message.payload, as: UTF8.self), to: message.topic)
        }
    }

    // MARK: Two daemons

    @Test(.timeLimit(.minutes(10)))
    func refusesASecondDaemonOnTheStore() async throws {
        let broker = try await PrivateBroker.running()
        let place = try LogbookFolder(broker: broker.port)
        let first = try await place.daemon()
        let other = try place.start(["--listen", "127.0.0.1:0"])
        let status = await other.waitForExit(within: .seconds(30))
        #expect(status == 1, "\(other.text)")
        #expect(
            other.text.contains(
                "\(place.store): cannot open: process \(first.identifier) has it open"),
            "\(other.text)")
        // A read-only command does not block a daemon.
        #expect(try await place.run(["sessions"]).status == 0)
        #expect(await first.terminate() == 0)
        let restarted = try await place.daemon()
        #expect(await restarted.terminate() == 0)
        await broker.stop()
    }

    // MARK: Removed stores

    @Test(.timeLimit(.minutes(20)), arguments: ["removed", "moved", "replaced"])
    func refillsARemovedStore(_ what: String) async throws {
        let room = try await SimulatedRoom(ergs: 1, simulator: [])
        try await DeliveryTests().recordSession(of: room, strokes: 150)
        let place = try LogbookFolder(broker: room.broker.port)
        let logbook = try await place.daemon()
        let gateway = try await room.startGateway()
        func isVerified() async throws -> Bool {
            try await eventually(within: .seconds(120)) {
                let list = try await place.run(["sessions", "--json"]).text
                return list.contains(#""state":"verified""#) && list.contains(#""strokes":150"#)
            }
        }
        #expect(try await isVerified(), "\(logbook.text)\(gateway.text)")
        let copy = place.folder.path("aside.db")
        if what == "replaced" {
            let empty = try LogbookFolder()
            #expect(try await empty.run(["import", "/dev/null"]).status == 0)
            try FileManager.default.removeItem(atPath: place.store)
            try FileManager.default.moveItem(atPath: empty.store, toPath: place.store)
        } else if what == "moved" {
            try FileManager.default.moveItem(atPath: place.store, toPath: copy)
        } else {
            try FileManager.default.removeItem(atPath: place.store)
        }
        let isReported = await eventually(within: .seconds(10)) {
            logbook.lines.contains {
                $0.contains("error: ") && $0.contains(place.store)
                    && $0.contains(
                        what == "replaced" ? "file now at its path is used" : "removed or moved away")
            }
        }
        #expect(isReported, "\(logbook.text)")
        #expect(try await isVerified(), "\(logbook.text)\(gateway.text)")
        let check = try await place.run(["check"])
        #expect(check.status == 0 && check.text.contains("1 session verified"), "\(check.text)")
        let health = try await place.get("/api/v1/health")
        #expect(health.contains(#""status":"degraded""#), "\(health)")
        #expect(health.contains(#""replaced_ms":"#), "\(health)")
        let doctor = try await place.run(["doctor"])
        #expect(doctor.text.contains("the store's file was"), "\(doctor.text)")
        if what == "moved" {
            // The moved file is complete without its write-ahead log.
            try? FileManager.default.removeItem(atPath: copy + "-wal")
            let old = try await place.run(["sessions", "--json", "--store", copy])
            #expect(old.text.contains(#""strokes":150"#), "\(old.text)")
        }
        #expect(await logbook.terminate() == 0)
        #expect(await gateway.terminate() == 0)
        await room.broker.stop()
    }

    // MARK: Disks

    /// Returns a command prefix that mounts a small file system at `disk` in a new namespace.
    private func mounted(_ disk: String, _ options: String, then script: String = "true") -> [String] {
        OwnFileSystem.begin + [
            "sh", "-c",
            "mount -t tmpfs -o \(options) tmpfs '\(disk)' && { \(script); } && exec \"$@\"", "sh",
        ]
    }

    @Test(.timeLimit(.minutes(20)), .enabled(if: OwnFileSystem.isAllowed, "needs namespaces"))
    func countsRecordsRefusedByAFullDisk() async throws {
        let broker = try await PrivateBroker.running()
        let disk = try TemporaryFolder()
        let place = try LogbookFolder(broker: broker.port, store: disk.path("logbook.db"))
        let token = try await place.run(["token", "add", "anna", "--role", "coach"])
        let bearer = try #require(token.text.split(separator: "\n").last.map(String.init))
        let logbook = try place.start(through: mounted(disk.path, "size=4m"))
        #expect(await eventually { logbook.hasSubscribed() })
        var traffic = Traffic()
        try await publish(traffic.session(Self.first, strokes: 3), to: broker)
        #expect(
            await eventually { logbook.text.contains("is verified") }, "\(logbook.text)")
        _ = try await OwnFileSystem.run(
            ["sh", "-c", "cat /dev/zero > \(disk.path("ballast"))"], inNamespaceOf: logbook)
        // 20 MB in the events of one stream.
        let padding = String(repeating: "x", count: 16_000)
        let events = (0..<1300).map { _ -> String in
            String(decoding: traffic.event().payload, as: UTF8.self)
                .replacingOccurrences(of: #""event":"#, with: #""filling":"\#(padding)","event":"#)
        }
        let lines = place.folder.path("lines")
        try (events.joined(separator: "\n") + "\n")
            .write(toFile: lines, atomically: true, encoding: .utf8)
        let publisher = try ChildProcess(
            "sh",
            [
                "-c",
                "mosquitto_pub -V 5 -h 127.0.0.1 -p \(broker.port) -q 1 -t rowgate/v1/boathouse/event -l < \(lines)",
            ])
        #expect(await publisher.waitForExit() == 0, "\(publisher.text)")
        #expect(
            await eventually(within: .seconds(60)) { logbook.text.contains("is refused") },
            "\(logbook.text)")

        func number(_ pattern: Regex<(Substring, Substring)>, _ text: String) -> Int {
            text.firstMatch(of: pattern).flatMap { Int($0.1) } ?? 0
        }
        var health = ""
        let isCounted = try await eventually(within: .seconds(60)) {
            health = try await place.get("/api/v1/health")
            return number(/"reason":"disk_full","count":(\d+)/, health) > 50
        }
        #expect(isCounted, "\(health)")
        #expect(health.contains(#""status":"failed""#), "\(health)")
        let gateways = try await place.get("/api/v1/gateways", bearer: bearer)
        #expect(number(/"refused":(\d+)/, gateways) > 50, "\(gateways)")
        #expect(number(/"reason":"disk_full","count":(\d+)/, gateways) > 50, "\(gateways)")
        func run(_ command: String) async throws -> String {
            try await OwnFileSystem.run(
                [
                    SimulatedRoom.program("rowgate-logbook"), command, "--config",
                    place.configuration,
                ], inNamespaceOf: logbook)
        }
        let metrics = try await run("metrics")
        #expect(
            number(/refused_records_total\{reason="disk_full"\} (\d+)/, metrics) > 50, "\(metrics)")
        let doctor = try await run("doctor")
        #expect(doctor.contains("records refused since") && doctor.contains("disk is full"), "\(doctor)")
        #expect(await logbook.terminate() == 0)
        await broker.stop()
    }

    /// Faults of a store path and their messages.
    private static let causes: [(set: String, script: String, store: String, message: String)] = [
        ("size=4m", "mount -o remount,ro DISK", "DISK/logbook.db", "the file system is read-only"),
        ("size=4m", "chmod 555 DISK", "DISK/logbook.db", "permission denied"),
        ("size=4m", "true", "DISK/absent/logbook.db", "there is no folder DISK/absent"),
        ("size=4m", "touch DISK/file", "DISK/file/logbook.db", "DISK/file is not a folder"),
        ("size=4m", "mkdir DISK/logbook.db", "DISK/logbook.db", "it is a folder"),
        ("size=4m", "echo no store > DISK/logbook.db", "DISK/logbook.db", "it is damaged, or not a store"),
        ("size=32k", "cat /dev/zero > DISK/full 2>/dev/null; true", "DISK/logbook.db", "the disk is full"),
    ]

    @Test(
        .timeLimit(.minutes(10)), .enabled(if: OwnFileSystem.isAllowed, "needs namespaces"),
        arguments: causes.indices)
    func namesTheCauseOfAFailedOpen(_ index: Int) async throws {
        let cause = Self.causes[index]
        let disk = try TemporaryFolder()
        func withDisk(_ text: String) -> String {
            text.replacingOccurrences(of: "DISK", with: disk.path)
        }
        let place = try LogbookFolder(store: withDisk(cause.store))
        let prefix =
            mounted(disk.path, cause.set, then: withDisk(cause.script))
            + (cause.message == "permission denied"
                ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [])
        // Every user can reach the disk and read the configuration.
        for path in [place.folder.path, disk.path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        }
        let empty = place.folder.path("empty")
        try Data().write(to: URL(fileURLWithPath: empty))
        for arguments in [[], ["import", empty]] {
            let found = try await place.run(arguments, through: prefix)
            #expect(found.text.contains(withDisk(cause.message)), "\(arguments): \(found.text)")
            #expect(!found.text.contains("has to exist"), "\(arguments): \(found.text)")
        }
    }

    @Test(.timeLimit(.minutes(10)), .enabled(if: OwnFileSystem.isAllowed, "needs namespaces"))
    func namesTheCauseForOtherCommands() async throws {
        let disk = try TemporaryFolder()
        let place = try LogbookFolder(store: disk.path("logbook.db"))
        let whole = try LogbookFolder()
        var traffic = Traffic()
        let lines = try whole.write(traffic.session(Self.first, strokes: 3), to: "lines")
        #expect(try await whole.run(["import", lines]).status == 0)
        let readOnly = mounted(
            disk.path, "size=4m",
            then: "cp \(whole.store) \(disk.path) && mount -o remount,ro \(disk.path)")
        let full = mounted(
            disk.path, "size=400k",
            then: "cp \(whole.store) \(disk.path); cat /dev/zero > \(disk.path("full")) 2>/dev/null; true")
        for (prefix, arguments, message) in [
            (readOnly, ["check"], "the file system is read-only"),
            (readOnly, ["doctor"], "the file system is read-only"),
            (readOnly, ["restore", whole.store], "the file system is read-only"),
            (readOnly, ["compact"], "the file system is read-only"),
            (full, ["restore", whole.store], "the disk is full"),
        ] {
            let found = try await place.run(arguments, through: prefix)
            #expect(found.text.contains(message), "\(arguments): \(found.text)")
            #expect(!found.text.contains("to belong to the user"), "\(arguments): \(found.text)")
        }
        for (prefix, message) in [
            (readOnly, "the file system is read-only"), (full, "the disk is full"),
        ] {
            let found = try await whole.run(["backup", disk.path("copy.db")], through: prefix)
            #expect(found.status == 2 && found.text.contains(message), "\(found.text)")
            #expect(!found.text.contains("to belong to the user"), "\(found.text)")
        }
    }

    // MARK: Signals

    @Test(.timeLimit(.minutes(20)))
    func removesUnfinishedCopies() async throws {
        let place = try LogbookFolder()
        var traffic = Traffic()
        let lines = try place.write(traffic.session(Self.first, strokes: 8000), to: "lines")
        #expect(try await place.run(["import", lines]).status == 0)
        let backup = place.folder.path("whole.db")
        #expect(try await place.run(["backup", backup]).status == 0)
        func unfinished() throws -> [String] {
            try place.files().filter { $0.contains(".partial") || $0.contains(".restoring") }
        }
        func signal(_ number: Int32, _ arguments: [String]) async throws -> Int32? {
            let process = try place.start(arguments)
            let end = arguments[0] == "backup" ? ".partial" : ".restoring"
            #expect(
                try await eventually {
                    try unfinished().contains { $0.hasSuffix(end) } || !process.isRunning
                })
            process.signal(number)
            return await process.waitForExit()
        }
        for number in [SIGTERM, SIGINT, SIGHUP] {
            for arguments in [["backup", place.folder.path("copy.db")], ["restore", backup]] {
                let status = try await signal(number, arguments)
                #expect(status == number, "\(arguments)")
                #expect(try unfinished() == [], "\(arguments) \(number)")
            }
        }
        // The next command or start removes files that a killed process left.
        _ = try await signal(SIGKILL, ["backup", place.folder.path("copy.db")])
        _ = try await signal(SIGKILL, ["restore", backup])
        #expect(try unfinished().contains("copy.db.partial"))
        #expect(try unfinished().contains("logbook.db.restoring"))
        try age(try unfinished(), in: place)
        let broker = try await PrivateBroker.running()
        try place.configure(broker: broker.port, as: "logbook.toml")
        let logbook = try await place.daemon()
        #expect(try unfinished().contains("copy.db.partial"))
        #expect(try !unfinished().contains { $0.contains(".restoring") }, "\(logbook.text)")
        #expect(try await place.run(["backup", place.folder.path("other.db")]).status == 0)
        #expect(try unfinished() == [])
        #expect(await logbook.terminate() == 0)
        await broker.stop()
    }

    /// Sets the modification time to one hour ago.
    private func age(_ names: [String], in place: LogbookFolder) throws {
        for name in names {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3600)],
                ofItemAtPath: place.folder.path(name))
        }
    }

    // MARK: Imports

    @Test(.timeLimit(.minutes(10)))
    func importsRecordsInAnyOrder() async throws {
        var traffic = Traffic()
        let messages = traffic.session(Self.first, strokes: 12)
        var found: [String] = []
        for (name, order) in [
            ("forwards", messages), ("backwards", Array(messages.reversed())),
            ("mixed", Array(messages.dropFirst(9) + messages.prefix(9))),
        ] {
            let place = try LogbookFolder()
            #expect(try await place.run(["import", place.write(order, to: name)]).status == 0)
            let list = try await place.run(["sessions", "--json"]).text
            #expect(list.contains(#""state":"verified""#), "\(name): \(list)")
            let sheet = try await place.run(["session", Self.first]).text
            #expect(sheet.contains("verified: all"), "\(name): \(sheet)")
            #expect(!sheet.contains("missing"), "\(name): \(sheet)")
            let check = try await place.run(["check", "--json"]).text
            let streams = check.matches(of: /"kind":"(\w+)","from_seq":(\d+),"to_seq":(\d+)/)
            found.append(streams.map { "\($0.1) \($0.2)-\($0.3)" }.joined(separator: ", "))
        }
        #expect(found[0] == "session 1-2, stroke 1-12, force 1-12, manifest 1-1")
        #expect(Set(found).count == 1, "\(found)")
    }

    // MARK: Files that commands change

    @Test(.timeLimit(.minutes(10)))
    func addsAndRemovesTokensConcurrently() async throws {
        let place = try LogbookFolder()
        let names = (1...12).map { "coach-\($0)" }
        let processes = try names.map {
            try place.start(["token", "add", $0, "--role", "coach"])
        }
        for process in processes { #expect(await process.waitForExit() == 0, "\(process.text)") }
        let list = try await place.run(["token", "list"]).text
        #expect(names.filter { !list.contains($0 + "  ") } == [], "\(list)")
        let removals = try names.dropLast().map { try place.start(["token", "remove", $0]) }
        for process in removals { #expect(await process.waitForExit() == 0, "\(process.text)") }
        let rest = try await place.run(["token", "list"]).text
        #expect(rest.split(separator: "\n").count == 1, "\(rest)")
    }

    /// Twelve processes each erase another athlete and request it from the gateway.
    @Test(.timeLimit(.minutes(10)))
    func requestsErasuresConcurrently() async throws {
        let place = try LogbookFolder()
        var traffic = Traffic()
        let messages = traffic.session(Self.first, strokes: 3)
        #expect(try await place.run(["import", place.write(messages, to: "day")]).status == 0)
        let athletes = (1...12).map { "a-\($0)" }
        let processes = try athletes.map {
            try place.start(["athlete", "forget", $0, "--yes"])
        }
        for (athlete, process) in zip(athletes, processes) where await process.waitForExit() != 0 {
            // An erasure rewrites the store, which another process may be reading.
            #expect(process.text.contains("repeat the command"), "\(process.text)")
            let repeated = try await place.run(["athlete", "forget", athlete, "--yes"])
            #expect(repeated.status == 0, "\(repeated.text)")
        }
        let erasures = try await place.run(["athlete", "erasures", "--json"]).text
        let requested = erasures.matches(of: /"athlete_id" ?: ?"([^"]+)"/).map { String($0.1) }
        #expect(requested.sorted() == athletes.sorted(), "\(erasures)")
    }

    // MARK: Moves

    @Test(
        .timeLimit(.minutes(10)), .enabled(if: PrivatePostgreSQL.isThere, "apt install postgresql"))
    func repeatedMoveTransfersNewRecords() async throws {
        let server = try await PrivatePostgreSQL()
        let database = try await server.makeDatabase()
        let place = try LogbookFolder()
        var traffic = Traffic()
        let session = traffic.session(Self.first, strokes: 20)
        #expect(try await place.run(["import", place.write(session, to: "one")]).status == 0)
        func move() async throws -> (text: String, status: Int32?) {
            try await place.run(["move", "--to", database])
        }
        #expect(try await move().status == 0)
        let same = try await move()
        #expect(same.status == 0 && same.text.contains("EQUAL: \(session.count) records"), "\(same.text)")

        let more = traffic.session(Self.second, strokes: 30)
        #expect(try await place.run(["import", place.write(more, to: "two")]).status == 0)
        let newer = try await move()
        let all = session.count + more.count
        #expect(newer.status == 0 && newer.text.contains("EQUAL: \(all) records"), "\(newer.text)")
        #expect(await server.ask("SELECT count(*) FROM record", of: database) == "\(all)")

        // Removes a record in the middle and the last one.
        for number in ["5", "(SELECT max(id) FROM record)"] {
            let removed = await server.ask(
                "DELETE FROM record WHERE id = \(number)", of: database)
            #expect(removed == "DELETE 1", "\(removed)")
        }
        let incomplete = try await move()
        #expect(incomplete.status == 1 && incomplete.text.contains("DIFFERENT"), "\(incomplete.text)")
        #expect(!incomplete.text.contains("moved already"), "\(incomplete.text)")
    }

    @Test(
        .timeLimit(.minutes(10)), .enabled(if: PrivatePostgreSQL.isThere, "apt install postgresql"))
    func moveOnlyComparesWithAUsedDatabase() async throws {
        let server = try await PrivatePostgreSQL()
        let database = try await server.makeDatabase()
        let place = try LogbookFolder()
        var traffic = Traffic()
        let session = traffic.session(Self.first, strokes: 5)
        #expect(try await place.run(["import", place.write(session, to: "one")]).status == 0)
        #expect(try await place.run(["move", "--to", database]).status == 0)
        let used = try LogbookFolder()
        try """
        [broker]
        host = "127.0.0.1"
        [store]
        postgres = "\(database)"
        """.write(toFile: used.configuration, atomically: true, encoding: .utf8)
        let later = traffic.session(Self.second, strokes: 5)
        #expect(try await used.run(["import", used.write(later, to: "two")]).status == 0)
        let repeated = try await place.run(["move", "--to", database])
        #expect(repeated.status == 1 && repeated.text.contains("DIFFERENT"), "\(repeated.text)")
        #expect(repeated.text.contains("nothing was moved"), "\(repeated.text)")
        let count = await server.ask("SELECT count(*) FROM record", of: database)
        #expect(count == "\(session.count + later.count)")
    }
}
