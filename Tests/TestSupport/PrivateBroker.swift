import Foundation

/// A real mosquitto of the test's own, on a free port of the loopback.
package final class PrivateBroker: @unchecked Sendable {  // `process` is guarded by `lock`
    package let port: UInt16
    private let folder: TemporaryFolder
    private let lock = NSLock()
    private var process: ChildProcess?

    /// A broker that is not running yet: call `start`.
    ///
    /// - Parameter options: further lines of mosquitto.conf; by default, every client may do everything.
    package init(options: [String] = ["allow_anonymous true"]) throws {
        folder = try TemporaryFolder()
        port = try Self.freePort()
        let lines = ["listener \(port) 127.0.0.1", "persistence false", "user root"] + options
        try (lines.joined(separator: "\n") + "\n")
            .write(toFile: folder.path("mosquitto.conf"), atomically: true, encoding: .utf8)
    }

    /// A running broker without access control.
    package static func running(
        options: [String] = ["allow_anonymous true"]
    ) async throws -> PrivateBroker {
        let broker = try PrivateBroker(options: options)
        try await broker.start()
        return broker
    }

    /// Writes a password file with mosquitto_passwd, and returns its path.
    ///
    /// - Parameter users: the names and passwords.
    package static func passwordFile(
        _ users: KeyValuePairs<String, String>, in folder: TemporaryFolder
    ) async throws -> String {
        let path = folder.path("passwords")
        for (number, (user, password)) in users.enumerated() {
            let options = number == 0 ? ["-c", "-b"] : ["-b"]
            let maker = try ChildProcess("mosquitto_passwd", options + [path, user, password])
            guard await maker.waitForExit() == 0 else {
                throw TestSupportError("mosquitto_passwd failed: \(maker.text)")
            }
        }
        return path
    }

    /// Starts it, and returns once it listens.
    package func start() async throws {
        let process = try ChildProcess(Self.program, ["-v", "-c", folder.path("mosquitto.conf")])
        lock.withLock { self.process = process }
        guard await eventually({ process.text.contains("running") }) else {
            throw TestSupportError("mosquitto did not start: \(process.text)")
        }
    }

    /// Ends it, retained messages and sessions included; `start` begins afresh on the same port.
    package func stop() async {
        let process = lock.withLock { self.process }
        process?.signal(SIGKILL)
        await process?.waitForExit()
        lock.withLock { self.process = nil }
    }

    /// Makes it hang: connections stand and nothing is answered, until `resume`.
    package func pause() { lock.withLock { process }?.signal(SIGSTOP) }

    package func resume() { lock.withLock { process }?.signal(SIGCONT) }

    /// Its log output since the start.
    package var text: String { lock.withLock { process?.text ?? "" } }

    /// A file beside the configuration, for an access list or passwords; returns its path.
    package static func file(_ content: String, named name: String, in folder: TemporaryFolder)
        throws -> String
    {
        let path = folder.path(name)
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Publishes one message as a stranger would, with `mosquitto_pub`.
    package func publish(
        _ payload: String, to topic: String, _ options: [String] = []
    ) async throws {
        let publisher = try ChildProcess(
            "mosquitto_pub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", String(port), "-q", "1", "-t", topic, "-m",
                payload,
            ]
                + options)
        guard await publisher.waitForExit() == 0 else {
            throw TestSupportError("mosquitto_pub failed: \(publisher.text)")
        }
    }

    /// Debian keeps it out of a user's PATH.
    private static var program: String {
        FileManager.default.isExecutableFile(atPath: "/usr/sbin/mosquitto")
            ? "/usr/sbin/mosquitto" : "mosquitto"
    }

    /// An unused loopback port.
    package static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestSupportError("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else { throw TestSupportError("no free port") }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// `mosquitto_sub` as an independent subscriber.
package final class MosquittoSubscriber: Sendable {
    /// A message as mosquitto_sub shows it.
    package struct Message: Sendable {
        package let topic: String
        package let payload: String
        package let isRetained: Bool
        package let qos: Int
        /// MQTT 5 properties as JSON text; user properties keep their order in `user`.
        package let contentType: String?
        package let expirySeconds: Int?
        package let correlationData: String?
        package let userProperties: [String: String]

        /// The payload as a JSON object; nil when it is none.
        package var object: [String: Any]? {
            try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
        }
    }

    private let process: ChildProcess
    private static let readyTopic = "test/subscriber-ready"

    /// Subscribes, and returns once the broker serves the subscription.
    ///
    /// - Parameter keepsRetained: whether the broker keeps messages for later.
    package init(
        _ broker: PrivateBroker, _ filter: String, _ options: [String] = [],
        supportsRetained: Bool = true
    ) async throws {
        if supportsRetained { try await broker.publish("ready", to: Self.readyTopic, ["-r"]) }
        process = try ChildProcess(
            "mosquitto_sub",
            [
                "-V", "5", "-h", "127.0.0.1", "-p", String(broker.port), "-q", "1", "-F", "%j",
                "-t", filter, "-t", Self.readyTopic,
            ] + options)
        let process = process
        let isReady = await eventually {
            if !supportsRetained { try? await broker.publish("ready", to: Self.readyTopic) }
            return process.text.contains(Self.readyTopic)
        }
        guard isReady else {
            throw TestSupportError("mosquitto_sub did not subscribe: \(process.text)")
        }
    }

    /// Every message so far, in the order of arrival.
    package var messages: [Message] {
        process.lines.compactMap(Self.parse).filter { $0.topic != Self.readyTopic }
    }

    /// Ends the subscriber; the broker forgets it.
    ///
    /// By SIGKILL: a child may inherit a blocked SIGTERM from the thread that started it.
    package func stop() async {
        process.signal(SIGKILL)
        await process.waitForExit()
    }

    private static func parse(_ line: String) -> Message? {
        guard
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
            let topic = object["topic"] as? String
        else { return nil }
        let properties = object["properties"] as? [String: Any] ?? [:]
        return Message(
            topic: topic, payload: object["payload"] as? String ?? "",
            isRetained: object["retain"] as? Int == 1, qos: object["qos"] as? Int ?? 0,
            contentType: properties["content-type"] as? String,
            expirySeconds: properties["message-expiry-interval"] as? Int,
            correlationData: properties["correlation-data"] as? String,
            userProperties: properties["user-properties"] as? [String: String] ?? [:])
    }
}
