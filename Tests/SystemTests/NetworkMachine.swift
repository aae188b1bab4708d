import Foundation
import Synchronization
import TestSupport

/// A machine of a small network: with a separate network, host name, mounts, bus and avahi-daemon.
///
/// It is made of namespaces, so it needs root, or a kernel that lets users create them.
final class NetworkMachine: Sendable {
    private static let isRoot = getuid() == 0

    let address: String
    let bus: PrivateBus
    let folder: TemporaryFolder
    private let hostName: String
    /// Keeps the namespaces.
    private let holder: ChildProcess
    private let enter: [String]
    private let avahi = Mutex<ChildProcess?>(nil)

    /// A machine without cable, or with one to another machine.
    ///
    /// - Parameter number: the last part of its address.
    init(_ hostName: String, number: Int, connectedTo other: NetworkMachine? = nil) async throws {
        address = "192.0.2.\(number)"
        self.hostName = hostName
        folder = try TemporaryFolder()
        let setUp = """
            ip link set lo up && hostname \(hostName) && mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon && \
            echo READY && exec sleep infinity
            """
        let unshare = ["unshare", "--net", "--uts", "--mount", "sh", "-c", setUp]
        let command: [String]
        if let other {
            command = other.enter + unshare
        } else {
            command = [unshare[0]] + (Self.isRoot ? [] : ["--map-root-user"]) + unshare.dropFirst()
        }
        let holder = try ChildProcess(command[0], Array(command.dropFirst()))
        self.holder = holder
        guard await eventually({ holder.text.contains("READY") || !holder.isRunning }), holder.isRunning
        else {
            throw TestSupportError("no namespaces: \(holder.text)")
        }
        enter =
            ["nsenter", "--target", "\(holder.identifier)", "--net", "--uts", "--mount"]
            + (Self.isRoot ? [] : ["--user", "--preserve-credentials"])
        bus = try await PrivateBus(launcher: enter)
        if let other {
            try await other.finish([
                "ip", "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns",
                "\(holder.identifier)",
            ])
            for machine in [other, self] {
                try await machine.finish(["ip", "address", "add", "\(machine.address)/24", "dev", "cable"])
                try await machine.finish(["ip", "link", "set", "cable", "up"])
            }
        }
    }

    /// Starts a program on this machine.
    func start(_ command: [String]) throws -> ChildProcess {
        try ChildProcess(
            enter[0], enter.dropFirst() + command, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
    }

    /// Runs a program on this machine until it ends. Throws if it fails.
    @discardableResult
    func finish(_ command: [String]) async throws -> String {
        let process = try start(command)
        let status = await process.waitForExit()
        guard status == 0 else {
            throw TestSupportError("\(command) ended with \(status.map(String.init) ?? "-"): \(process.text)")
        }
        return process.text
    }

    // MARK: - Avahi

    /// Starts avahi-daemon and waits until it has a host name.
    func startAvahi() async throws {
        let file = folder.path("avahi-daemon.conf")
        try """
        [server]
        host-name=\(hostName)
        use-ipv6=no
        allow-interfaces=cable
        [rlimits]
        """.write(toFile: file, atomically: true, encoding: .utf8)
        let process = try start([
            "/usr/sbin/avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "--file", file,
        ])
        avahi.withLock { $0 = process }
        guard await eventually({ process.text.contains("startup complete") || !process.isRunning }),
            process.isRunning
        else { throw TestSupportError("avahi-daemon did not start: \(process.text)") }
    }

    func stopAvahi(_ signal: Int32) async throws {
        let process = avahi.withLock { $0 }
        process?.signal(signal)
        await process?.waitForExit()
        // A killed one leaves it, and the next one would not start.
        try await finish(["rm", "-f", "/run/avahi-daemon/pid"])
    }

    /// A service that avahi-browse has found and resolved.
    struct Found: Hashable {
        var name: String
        var host: String
        var address: String
        var port: String
        /// In the order of the alphabet.
        var text: [String]
    }

    /// The services of a type as avahi-browse of this machine finds them now, by name.
    func browse(_ type: String) async throws -> [Found] {
        let output = try await finish(["avahi-browse", "--resolve", "--parsable", "--terminate", type])
        let found = output.split(separator: "\n").compactMap { line -> Found? in
            let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false)
            guard fields.count == 10, fields[0] == "=" else { return nil }
            let text = fields[9].split(separator: "\"").map(String.init).filter { $0 != " " }
            return Found(
                name: fields[3].replacingOccurrences(of: "\\032", with: " ")
                    .replacingOccurrences(of: "\\035", with: "#"),
                host: String(fields[6]), address: String(fields[7]), port: String(fields[8]),
                text: text.sorted())
        }
        return Set(found).sorted { $0.name < $1.name }
    }
}
