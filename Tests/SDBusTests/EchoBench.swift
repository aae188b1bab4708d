import HostRuntime
import SDBus
import Synchronization
import TestSupport

/// Two connections of ours on a real dbus-daemon, one of which answers the calls of the other.
final class EchoBench: Sendable {
    static let name = "org.example.Bench"

    let bus: PrivateBus
    let server: BusConnection
    let caller: BusConnection
    /// The arguments of each call, as specified by their signature.
    private let arrived = Mutex<[String]>([])

    var signatures: [String] { arrived.withLock { $0 } }

    /// - Parameter answer: on the server's queue, for each call.
    init(
        onEnd: @escaping @Sendable (BusError) -> Void = { _ in },
        answer: @escaping @Sendable (BusInvocation) throws(BusError) -> Void
    ) async throws {
        bus = try await PrivateBus()
        server = BusConnection(on: SerialQueueExecutor(label: "server"))
        caller = BusConnection(on: SerialQueueExecutor(label: "caller"))
        try await server.start(address: bus.address) { _ in }
        try await caller.start(address: bus.address, onEnd: onEnd)
        try await server.serve { [weak self] call in
            self?.arrived.withLock { $0.append(call.message.signature) }
            do throws(BusError) {
                try answer(call)
            } catch {
                try? call.fail(name: "org.example.Error.Bench", message: error.description)
            }
            return true
        }
        try await server.requestName(Self.name)
    }

    /// Calls the server, which echoes `write`; the caller reads the answer.
    func call<Value: Sendable>(
        _ member: String = "Echo", timeout: Duration = .seconds(25),
        write: @Sendable (borrowing BusMessage) throws(BusError) -> Void,
        read: @escaping @Sendable (borrowing BusMessage) throws(BusError) -> Value
    ) async throws(BusError) -> Value {
        try await caller.call(
            Self.name, "/bench", "org.example.Bench", member, timeout: timeout, writing: write,
            reading: read)
    }

    func call(_ member: String, timeout: Duration = .seconds(25)) async throws(BusError) {
        try await caller.call(Self.name, "/bench", "org.example.Bench", member, timeout: timeout)
    }

    func stop() async {
        await caller.stop()
        await server.stop()
    }
}
