import Foundation
import TestSupport
import Testing

/// Checks config/examples with the real programs that Debian packages.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed)) struct ExampleTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let examples = root.appendingPathComponent("config/examples").path

    /// Uses mosquitto with the example access list: tests each user's publications, then subscriptions.
    @Test func accessListSeparatesUsers() async throws {
        let folder = try TemporaryFolder()
        let passwords = try await PrivateBroker.passwordFile(
            [
                "boathouse": "secret", "erghall": "secret", "coach": "secret", "dashboard": "secret",
                "homeassistant": "secret",
            ], in: folder)
        let broker = try await PrivateBroker.running(options: [
            "allow_anonymous false", "password_file \(passwords)",
            "acl_file \(Self.examples)/mosquitto.acl",
        ])
        /// Returns whether the broker accepts a message of a user on a topic.
        func canWrite(_ user: String, to topic: String) async throws -> Bool {
            let publisher = try ChildProcess(
                "mosquitto_pub",
                [
                    "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-u", user,
                    "-P", "secret", "-t", topic, "-m", "x", "-d",
                ])
            // The output can arrive after the process has ended.
            try #require(await eventually { publisher.text.contains("received PUBACK") })
            return !publisher.text.contains("RC:135")
        }
        let root = "rowgate/v1/"
        // Permission for this topic permits answers for every athlete.
        let answers = "rowgate-logbook/v1/club/cmd/suggestion"
        let allowed = [
            ("boathouse", root + "boathouse/erg/1/stroke"), ("boathouse", root + "boathouse/birth"),
            ("boathouse", "homeassistant/device/rowgate-boathouse-1/config"),
            ("coach", root + "boathouse/cmd/ping"), ("coach", root + "erghall/erg/all/cmd/workout"),
            ("homeassistant", "homeassistant/status"), ("coach", answers),
        ]
        let denied = [
            ("boathouse", root + "erghall/erg/1/stroke"), ("boathouse", "homeassistant/status"),
            ("boathouse", "anything"), ("erghall", root + "boathouse/cmd/ping"),
            ("coach", root + "boathouse/erg/1/stroke"), ("coach", root + "boathouse/birth"),
            ("dashboard", root + "boathouse/cmd/ping"),
            ("homeassistant", root + "boathouse/erg/1/cmd/workout"),
            ("boathouse", answers), ("dashboard", answers), ("homeassistant", answers),
        ]
        for (user, topic) in allowed {
            #expect(try await canWrite(user, to: topic), "\(user) \(topic)")
        }
        for (user, topic) in denied {
            #expect(try await !canWrite(user, to: topic), "\(user) \(topic)")
        }
        try await expectReading(broker, root)
    }

    /// A gateway receives only its own commands; a coach and a dashboard receive those of all rooms.
    private func expectReading(_ broker: PrivateBroker, _ root: String) async throws {
        func listener(_ user: String) throws -> ChildProcess {
            try ChildProcess(
                "mosquitto_sub",
                [
                    "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-u", user,
                    "-P", "secret", "-t", root + "+/cmd/+", "-t", "$SYS/broker/version", "-v",
                ])
        }
        let listeners = try ["boathouse", "coach", "dashboard"].map(listener)
        for (room, last) in [("erghall", false), ("boathouse", true)] {
            // Publishes until each subscription is active.
            _ = await eventually {
                try? await broker.publish(
                    room, to: root + "\(room)/cmd/ping", ["-u", "coach", "-P", "secret"])
                return listeners.dropFirst(last ? 0 : 1).allSatisfy { $0.text.contains(room) }
            }
        }
        #expect(!listeners[0].text.contains("erghall"))
        #expect(listeners.allSatisfy { $0.text.contains("boathouse") })
    }

    /// Checks the Telegraf and Node-RED configurations and Grafana's queries, which no installed program
    /// can run.
    @Test(.enabled(if: PythonPackage.hasJSONSchema, "python3 -m pip install jsonschema"))
    func examplesMatchTheSchemas() async throws {
        let program = Self.root.appendingPathComponent(
            "Tests/SystemTests/Interop/check_examples.py")
        let process = try ChildProcess(
            "python3",
            [
                program.path, Self.examples,
                Self.root.appendingPathComponent("config/schema/v1").path,
            ], environment: ["PYTHONPATH": PythonPackage.folder])
        #expect(await process.waitForExit() == 0, "\(process.text)")
    }

    /// systemd-analyze checks the units; the test runs their command without a daemon.
    @Test func metricsTimerRuns() async throws {
        let folder = try TemporaryFolder()
        let replacements = [
            ("/usr/bin/rowgatectl", SimulatedRoom.program("rowgatectl")),
            ("/var/lib/prometheus/node-exporter", folder.path),
        ]
        var units: [String: String] = [:]
        for name in ["rowgate-metrics.service", "rowgate-metrics.timer"] {
            let file = Self.root.appendingPathComponent("packaging/examples/\(name)")
            let text = replacements.reduce(try String(contentsOf: file, encoding: .utf8)) {
                $0.replacingOccurrences(of: $1.0, with: $1.1)
            }
            try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
            units[name] = text
        }
        let verifier = try ChildProcess(
            "systemd-analyze", ["verify", "--man=no"] + units.keys.sorted().map(folder.path))
        #expect(await verifier.waitForExit() == 0)
        #expect(verifier.text == "", "no warning about unknown settings")
        let service = try #require(units["rowgate-metrics.service"])
        let line = try #require(service.firstMatch(of: /\nExecStart=(.*)/)?.1)
        let process = try ChildProcess(
            "sh", ["-c", String(line)], environment: ["ROWGATE_SOCKET": folder.path("none")])
        let status = try #require(await process.waitForExit())
        #expect(service.contains("\nSuccessExitStatus=\(status)\n"))
        let page = try String(contentsOfFile: folder.path("rowgate.prom"), encoding: .utf8)
        #expect(page.hasSuffix("rowgate_up 0\n"))
    }

    /// Publishes one record twice, kills the subscriber, publishes another record and restarts the
    /// subscriber.
    @Test(
        .enabled(
            if: PrivatePostgreSQL.hasPythonLibraries,
            "apt install postgresql python3-paho-mqtt python3-psycopg2"))
    func postgreSQLStoresEachRecordOnce() async throws {
        let database = try await PrivatePostgreSQL()
        let broker = try await PrivateBroker.running()
        func subscribe() async throws -> ChildProcess {
            let subscriber = try ChildProcess(
                "/usr/bin/python3",
                ["\(Self.examples)/postgresql-subscriber.py", database.connection],
                environment: ["MQTT_HOST": "127.0.0.1", "MQTT_PORT": "\(broker.port)"])
            let seen = broker.text.count { $0 == "\n" }
            let isSubscribed = await eventually {
                broker.text.split(separator: "\n").dropFirst(seen)
                    .contains { $0.contains("Sending SUBACK to rowgate-postgresql") }
            }
            #expect(isSubscribed, "\(subscriber.text)")
            return subscriber
        }
        func publish(_ seq: Int, historical: Bool) async throws {
            try await broker.publish(
                #"{"v":1,"kind":"stroke","gw":"boathouse","erg":"erg-1","#
                    + #""epoch":"01J0EP0CH","seq":\#(seq),"ts_ms":1788627900120,"#
                    + #""time":"2026-09-05T17:05:00.120Z","clock":"synced","power_w":179,"#
                    + #""historical":\#(historical)}"#,
                to: "rowgate/v1/boathouse/erg/erg-1/stroke")
        }
        let first = try await subscribe()
        try await publish(1, historical: false)
        try await publish(1, historical: true)
        #expect(await eventually { await database.ask("select count(*) from record") == "1" })
        first.signal(SIGKILL)
        await first.waitForExit()
        try await publish(2, historical: false)
        let second = try await subscribe()
        #expect(await eventually { await database.ask("select max(seq) from record") == "2" })
        #expect(await database.ask("select count(*) from record") == "2", "\(second.text)")
        #expect(await database.ask("select body->>'power_w' from record where seq = 2") == "179")

        try await expectEveryQueryRuns(database)
    }

    private func expectEveryQueryRuns(_ database: PrivatePostgreSQL) async throws {
        let file = URL(fileURLWithPath: "\(Self.examples)/grafana-dashboard.json")
        let dashboard =
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        let panels = try #require(dashboard?["panels"] as? [[String: Any]])
        #expect(panels.count == 6)
        for panel in panels {
            let targets = panel["targets"] as? [[String: Any]]
            let sql = try #require(targets?.first?["rawSql"] as? String)
                .replacing("$__timeFilter(time)", with: "time > '2026-01-01'")
                .replacing("$gw", with: "boathouse")
            let answer = await database.ask(sql)
            #expect(!answer.contains("ERROR"), "\(sql): \(answer)")
            if panel["title"] as? String == "Power" { #expect(answer.contains("erg-1|179")) }
        }
    }
}

extension PrivatePostgreSQL {
    /// Whether the subscriber's Python libraries are installed too.
    fileprivate static let hasPythonLibraries: Bool = {
        let imports = ["/usr/bin/python3", "-c", "import paho.mqtt, psycopg2"]
        return isThere
            && SpawnedProcess.status(
                of: imports, environment: ProcessInfo.processInfo.environment) == 0
    }()
}
