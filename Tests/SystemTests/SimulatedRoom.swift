import Foundation
import Synchronization
import TestSupport
import Testing

/// The real programs together: dbus-daemon, pm5sim, mosquitto, rowgate, and a mosquitto_sub that records
/// messages.
final class SimulatedRoom: Sendable {
    let folder: TemporaryFolder
    let bus: PrivateBus
    let broker: PrivateBroker
    let simulator: ChildProcess
    let ergs: Int
    /// Broker host in the gateway's configuration.
    private let brokerHost: String
    /// The gateway's id.
    let gateway: String
    /// Additional lines of an `[[erg]]`, by its number.
    private let ergLines: [Int: String]
    /// Additional sections of the configuration.
    private let sections = Mutex("")
    /// Slugs set by `rename`, by erg number; empty for a removed erg.
    private let slugs = Mutex<[Int: String]>([:])
    private let subscriber = Mutex<ChildProcess?>(nil)

    /// Starts bus, simulator, broker and subscriber, but not the daemon.
    init(
        ergs: Int = 8, simulator arguments: [String], ergLines: [Int: String] = [:],
        brokerOptions: [String] = ["allow_anonymous true"], brokerRuns: Bool = true,
        brokerHost: String = "127.0.0.1", gateway: String = "test"
    ) async throws {
        self.gateway = gateway
        self.ergs = ergs
        self.brokerHost = brokerHost
        self.ergLines = ergLines
        folder = try TemporaryFolder()
        bus = try await PrivateBus()
        broker = try PrivateBroker(options: brokerOptions)
        if brokerRuns { try await broker.start() }
        simulator = try ChildProcess(
            Self.program("pm5sim"),
            [
                "--ergs", "\(ergs)", "--adapters", "hci0:7,hci1:5",
                "--control", folder.path("pm5.sock"), "--truth", folder.path("truth.jsonl"),
            ] + arguments,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
        let simulator = simulator
        guard await eventually({ simulator.text.contains("READY") }) else {
            throw TestSupportError("pm5sim did not start: \(simulator.text)")
        }
        if brokerRuns { try await subscribe() }
    }

    /// Writes received messages for `packaging/test`, which validates them.
    deinit {
        guard let folder = ProcessInfo.processInfo.environment["ROWGATE_TEST_MESSAGES"] else {
            return
        }
        let file = "\(folder)/\(UUID().uuidString).jsonl"
        try? received.write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// Starts the broker and the subscriber of a room without a broker. The gateway is stopped meanwhile,
    /// because messages without a subscriber are lost.
    ///
    /// - Parameter listening: returns once all other subscribers are ready.
    func startBroker(
        aheadOf gateway: ChildProcess, listening: () async throws -> Void = {}
    ) async throws {
        gateway.signal(SIGSTOP)
        defer { gateway.signal(SIGCONT) }
        try await broker.start()
        try await subscribe()
        try await listening()
    }

    /// Subscribes to all topics except commands, some of which have megabytes. Returns once the broker has
    /// confirmed the subscription.
    private func subscribe() async throws {
        let process = try ChildProcess(
            "mosquitto_sub",
            [
                "-V", "mqttv5", "-i", "everything", "-h", "127.0.0.1", "-p", "\(broker.port)",
                "-q", "1", "-t", "#", "-F", "%j", "-T", "rowgate/v1/+/cmd/+", "-T",
                "rowgate/v1/+/erg/+/cmd/+",
            ])
        subscriber.withLock { $0 = process }
        guard await eventually({ broker.text.contains("Sending SUBACK to everything") }) else {
            throw TestSupportError("mosquitto_sub did not subscribe: \(process.text)")
        }
    }

    /// Returns the path of a built program, next to the test bundle.
    static func program(_ name: String) -> String {
        let argument = CommandLine.arguments.first { $0.hasSuffix(".xctest") }
        let bundle = URL(fileURLWithPath: argument ?? CommandLine.arguments[0])
        return bundle.deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// Starts the daemon and waits until it is ready. Each start uses the same ring.
    func startGateway(
        environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        let gateway = try launchGateway(environment: environment)
        guard await eventually({ gateway.text.contains("ready") }) else {
            throw TestSupportError("rowgate did not start: \(gateway.text)")
        }
        return gateway
    }

    /// Starts the daemon and waits until it has published `count` strokes of every erg.
    func startGateway(untilStrokes count: Int) async throws -> ChildProcess {
        let gateway = try await startGateway()
        let haveStrokes = await eventually {
            strokeCounts.allSatisfy { $0 >= count }
        }
        try #require(haveStrokes, "\(gateway.text)")
        return gateway
    }

    /// Starts the daemon and waits until it has published all records of `count` ended sessions.
    func startGateway(untilSessions count: Int) async throws -> ChildProcess {
        let gateway = try await startGateway()
        try await waitForSessions(count, gateway)
        return gateway
    }

    private func waitForSessions(_ count: Int, _ gateway: ChildProcess) async throws {
        let areOver = await eventually {
            messages(ofKind: "summary").count { $0.fields["revision"] as? Int == 1 } == count
                && messages(ofKind: "manifest").count == count
        }
        try #require(areOver, "\(gateway.text)")
    }

    /// Starts the daemon, sends a workout once every monitor streams, and waits for the sessions' records.
    ///
    /// Simulated rowers otherwise start 1.5 s after the connection. A busy machine may subscribe later, and
    /// lose strokes.
    func startGateway(untilAllCompleted meters: Int) async throws -> ChildProcess {
        try configure("[commands]\nenabled = true\n")
        let gateway = try await startGateway()
        let allStream = await eventually {
            let ergs = (try? await status())?["ergs"] as? [[String: Any]] ?? []
            return ergs.count { ($0["link"] as? [String: Any])?["phase"] as? String == "streaming" }
                == self.ergs
        }
        try #require(allStream, "\(gateway.text)")
        try await broker.publish(
            #"{"request_id":"w-1","type":"distance","distance_m":\#(meters)}"#,
            to: "rowgate/v1/\(self.gateway)/erg/all/cmd/workout")
        try await waitForSessions(ergs, gateway)
        return gateway
    }

    /// Environment variables of rowgate.service.
    private static let unitEnvironment: [String: String] = {
        let unit = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../systemd/rowgate.service")
        let lines = ((try? String(contentsOf: unit, encoding: .utf8)) ?? "").split(separator: "\n")
        let pairs = lines.filter { $0.hasPrefix("Environment=") }.map {
            $0.split(separator: "=", maxSplits: 2).map(String.init)
        }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[1], $0[2]) })
    }()

    /// Starts the daemon's process without waiting. Uses the heap settings of the unit, because the default
    /// settings make memory use depend on the load of the machine.
    func launchGateway(environment: [String: String] = [:]) throws -> ChildProcess {
        let file = try writeConfiguration()
        let allVariables = ["DBUS_SYSTEM_BUS_ADDRESS": bus.address]
            .merging(Self.unitEnvironment) { $1 }
            .merging(environment) { $1 }
        return try ChildProcess(
            Self.program("rowgate"), ["--config", file], environment: allVariables)
    }

    /// Replaces the additional sections of the configuration.
    func configure(_ sections: String) throws {
        self.sections.withLock { $0 = sections }
        try writeConfiguration()
    }

    /// Changes the slug of an erg, or removes its `[[erg]]`, from the next start on.
    func rename(erg number: Int, to slug: String?) {
        slugs.withLock { $0[number] = slug ?? "" }
    }

    /// Writes the configuration and returns its path.
    @discardableResult
    private func writeConfiguration() throws -> String {
        let file = folder.path("rowgate.toml")
        try configuration.write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    private var configuration: String {
        var text = """
            [gateway]
            id = "\(gateway)"
            [broker]
            host = "\(brokerHost)"
            port = \(broker.port)
            [ring]
            path = "\(folder.path("ring.log"))"
            size_mib = 16
            [control]
            socket = "\(folder.path("control.sock"))"

            """
        for number in 1...ergs {
            let slug = slugs.withLock { $0[number] } ?? "erg-\(number)"
            if slug.isEmpty { continue }
            text += "[[erg]]\nslug = \"\(slug)\"\nserial = \"\(430_000_000 + number)\"\n"
            if let lines = ergLines[number] { text += lines + "\n" }
        }
        return text + sections.withLock { $0 }
    }

    /// Sends a command with mosquitto_rr, and returns the text of the reply.
    func request(_ topic: String, _ payload: String) async throws -> String {
        let client = try ChildProcess(
            "mosquitto_rr",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-W", "120",
                "-t", "rowgate/v1/\(gateway)/\(topic)", "-e", "coach/\(UUID().uuidString)", "-m",
                payload,
            ])
        // The output can arrive after the process has ended.
        guard await client.waitForExit() == 0, await eventually({ client.text.hasSuffix("\n") })
        else { throw TestSupportError("no reply to \(topic): \(client.text)") }
        return client.text.trimmingCharacters(in: .newlines)
    }

    /// Sends a command and returns the fields of the reply.
    func reply(_ topic: String, _ payload: String) async throws -> [String: Any] {
        let text = try await request(topic, payload)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    /// Writes a configuration file into conf.d for the next start; nil removes it.
    func configure(_ text: String?, inFile name: String) throws {
        let folder = folder.path("conf.d")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let file = "\(folder)/\(name)"
        if let text {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
    }

    /// Sends a request to the simulator's control socket.
    func command(_ request: String) async throws {
        let process = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import socket, sys
                s = socket.socket(socket.AF_UNIX)
                s.connect(sys.argv[1])
                s.sendall(sys.argv[2].encode() + b"\\n")
                print(s.makefile().readline())
                """, folder.path("pm5.sock"), request,
            ])
        let status = await process.waitForExit()
        guard status == 0, process.text.contains("\"ok\":true") else {
            throw TestSupportError("pm5sim refused \(request): \(process.text)")
        }
    }

    /// Runs rowgatectl, and returns its output and exit status.
    func control(_ arguments: [String]) async throws -> (text: String, status: Int32?) {
        let (process, status) = try await ChildProcess.retryingTimeouts {
            try ChildProcess(
                Self.program("rowgatectl"), arguments,
                environment: ["ROWGATE_SOCKET": folder.path("control.sock")])
        }
        return (process.text, status)
    }

    /// Received messages, one line of mosquitto_sub's JSON each.
    var received: String { subscriber.withLock { $0?.text } ?? "" }

    /// Received messages.
    var messages: [ReceivedMessage] {
        received.split(separator: "\n").map(String.init).compactMap(ReceivedMessage.init)
    }

    /// Returns received messages of a kind, of one erg or of all topics.
    func messages(ofKind kind: String, of erg: String? = nil) -> [ReceivedMessage] {
        messages.filter { $0.kind == kind && (erg == nil || $0.erg == erg) }
    }

    /// Number of received strokes per erg.
    var strokeCounts: [Int] {
        let ergs = messages(ofKind: "stroke").compactMap(\.erg)
        return (1...self.ergs).map { number in ergs.count { $0 == "erg-\(number)" } }
    }

    /// Returns each received record once, in the order of arrival.
    ///
    /// Fails if two records of one identity differ in more than `historical`. Also fails for a repeated
    /// record unless `allowingRepeats`: restarts and broken connections may repeat records.
    @discardableResult
    func expectUniqueRecords(
        allowingRepeats: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) -> [ReceivedMessage] {
        var seen: [String: String] = [:]
        return messages.filter { message in
            guard let identity = message.identity else { return false }
            let record = message.payload
                .replacingOccurrences(of: #","historical":true"#, with: "")
                .replacingOccurrences(of: #","historical":false"#, with: "")
            guard let first = seen.updateValue(record, forKey: identity) else { return true }
            #expect(
                first == record, "\(identity) names two records", sourceLocation: sourceLocation)
            #expect(allowingRepeats, "\(identity) was published twice", sourceLocation: sourceLocation)
            return false
        }
    }

    /// Returns the output of `rowgatectl status --json`.
    func status() async throws -> [String: Any] {
        let (text, _) = try await control(["status", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(object as? [String: Any])
    }

    /// Returns the `link` object of an erg's status.
    func link(of erg: String) async throws -> [String: Any] {
        let ergs = try await status()["ergs"] as? [[String: Any]] ?? []
        return ergs.first { $0["slug"] as? String == erg }?["link"] as? [String: Any] ?? [:]
    }

    /// Number of simulated strokes without a subscriber.
    var unsentStrokes: Int { truth.count { $0["kind"] as? String == "unsent_stroke" } }

    /// Returns the number of simulated strokes of an erg, sent or not.
    func simulatedStrokes(by erg: String) -> Int {
        let serial = "\(430_000_000 + (Int(erg.dropFirst(4)) ?? 0))"
        return truth.count {
            $0["erg"] as? String == serial && ($0["kind"] as? String)?.hasSuffix("stroke") == true
        }
    }

    /// The simulator's log of strokes and sessions.
    var truth: [[String: Any]] {
        let text = (try? String(contentsOfFile: folder.path("truth.jsonl"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}

extension ChildProcess {
    /// Runs rowgatectl to its end. Retries a timeout of 5 s, which occurs on a busy machine.
    static func retryingTimeouts(
        _ start: () throws -> ChildProcess
    ) async throws -> (process: ChildProcess, status: Int32?) {
        for _ in 0..<10 {
            let process = try start()
            let status = await process.waitForExit()
            if !process.text.contains("rowgate did not answer within 5 s") {
                return (process, status)
            }
        }
        throw TestSupportError("rowgate did not answer ten times")
    }
}

extension String {
    /// Arguments of a command without quotes.
    var words: [String] { split(separator: " ").map(String.init) }
}

/// One message as mosquitto_sub prints it (`-F %j`).
struct ReceivedMessage {
    let topic: String
    let isRetained: Bool
    let payload: String

    init?(line: String) {
        guard
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8))
                as? [String: Any],
            let topic = object["topic"] as? String
        else { return nil }
        self.topic = topic
        // A message that clears a retained one has no payload.
        payload = object["payload"] as? String ?? ""
        isRetained = (object["retain"] as? Int) == 1
    }

    /// The last level of the topic.
    var kind: String { String(topic.split(separator: "/").last ?? "") }

    var fields: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]) ?? [:]
    }

    /// Whether this is a gap without strokes. The simulator pauses for seconds on a busy machine, and the
    /// gateway reports that.
    var isPauseGap: Bool {
        kind == "gap" && fields["reason"] as? String == "notifications_lost"
            && fields["recovered"] as? Bool == true && fields["from_stroke"] == nil
    }

    /// Slug of the erg, or nil for a topic of the gateway.
    var erg: String? {
        let levels = topic.split(separator: "/")
        return levels.count > 4 && levels[3] == "erg" ? String(levels[4]) : nil
    }

    /// Epoch, topic and sequence number, which identify a record.
    var identity: String? {
        let fields = fields
        guard let epoch = fields["epoch"] as? String, let sequence = fields["seq"] as? Int else {
            return nil
        }
        return "\(epoch) \(topic) \(sequence)"
    }
}

extension ChildProcess {
    /// Whether a logbook has subscribed with all its connections: one, or two if it stores records. Only then does
    /// the broker queue messages for it.
    func hasSubscribed(connections: Int = 2) -> Bool {
        text.components(separatedBy: "listening to the broker").count > connections
    }
}
