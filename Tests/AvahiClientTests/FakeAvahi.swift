import HostRuntime
import Synchronization

@testable import SDBus

/// A server with Avahi's interface on a test's bus, which can misbehave.
final class FakeAvahi: Sendable {
    struct Fault: Sendable {
        enum Effect: Sendable {
            case error(name: String)
            /// An answer of another type than the caller expects.
            case wrongType
            /// A correct answer, and then this signal of the group.
            case groupState(Int32)
        }

        /// The method that fails.
        let member: String
        let effect: Effect
        /// How often.
        var count = 1
    }

    private struct State {
        var faults: [Fault] = []
        /// The arguments of AddService by group, committed or not.
        var added: [String: [Service]] = [:]
        var committed: Set<String> = []
        var calls: [String] = []
        var hostName = "boathouse.local"
        var groupCount = 0
    }

    struct Service: Equatable, Sendable {
        var name: String
        var type: String
        var port: UInt16
        var text: [String]
    }

    private let bus: BusConnection
    private let state = Mutex(State())

    /// Appears on the bus.
    init(at address: String, hostName: String = "boathouse.local", faults: [Fault] = []) async throws {
        bus = BusConnection(on: SerialQueueExecutor(label: "fake avahi"))
        state.withLock { ($0.faults, $0.hostName) = (faults, hostName) }
        try await bus.start(address: address) { _ in }
        try await bus.serve { [weak self] call in
            do throws(BusError) { try self?.answer(call) } catch {
                try? call.fail(name: "org.freedesktop.DBus.Error.InvalidArgs", message: error.description)
            }
            return true
        }
        try await bus.requestName("org.freedesktop.Avahi")
    }

    /// The committed services.
    var services: [Service] {
        state.withLock { state in
            state.added.filter { state.committed.contains($0.key) }.values.flatMap { $0 }
        }
    }

    /// Groups that were not freed.
    var groupCount: Int { state.withLock { $0.added.count } }

    func calls(of member: String) -> Int { state.withLock { $0.calls.count { $0 == member } } }

    /// Leaves the bus.
    func stop() async { await bus.stop() }

    /// Changes the host name as Avahi does: all entries are withdrawn by their owners meanwhile.
    func rename(to hostName: String) async throws {
        state.withLock { $0.hostName = hostName }
        for server in [Int32(1), 2] { try await emit("/", "Server", server) }
    }

    /// Sends StateChanged of a committed group.
    func changeGroups(to value: Int32) async throws {
        for group in state.withLock({ $0.committed }) { try await emit(group, "EntryGroup", value) }
    }

    /// Sends StateChanged of any object.
    func emit(_ path: String, _ interface: String, _ value: Int32) async throws {
        try await bus.emit(path, "org.freedesktop.Avahi.\(interface)", "StateChanged") {
            message throws(BusError) in
            try message.append(.int32(value))
            try message.append(string: "")
        }
    }

    private func fault(of member: String) -> Fault.Effect? {
        state.withLock { state in
            state.calls.append(member)
            guard let index = state.faults.firstIndex(where: { $0.member == member && $0.count > 0 }) else {
                return nil
            }
            state.faults[index].count -= 1
            return state.faults[index].effect
        }
    }

    private func answer(_ call: BusInvocation) throws(BusError) {
        let fault = fault(of: call.member)
        switch fault {
        case .error(let name): return try call.fail(name: name, message: "a fault")
        case .wrongType:
            return try call.reply { message throws(BusError) in try message.append(.double(1)) }
        case .groupState, nil: break
        }
        switch call.member {
        case "GetState": try call.reply { message throws(BusError) in try message.append(.int32(2)) }
        case "GetHostNameFqdn":
            let name = state.withLock { $0.hostName }
            try call.reply { message throws(BusError) in try message.append(string: name) }
        case "GetAlternativeServiceName":
            let name = try call.message.readString()
            try call.reply { message throws(BusError) in try message.append(string: name + "+") }
        case "EntryGroupNew":
            let path = state.withLock { state in
                state.groupCount += 1
                state.added["/Client1/EntryGroup\(state.groupCount)"] = []
                return "/Client1/EntryGroup\(state.groupCount)"
            }
            try call.reply { message throws(BusError) in try message.append(objectPath: path) }
        case "AddService":
            let service = try Self.service(call.message)
            state.withLock { $0.added[call.path]?.append(service) }
            try call.reply()
        case "Commit":
            state.withLock { _ = $0.committed.insert(call.path) }
            try call.reply()
            let outcome: Int32 = if case .groupState(let value) = fault { value } else { 2 }
            let group = call.path
            Task {
                for value in [1, outcome] { try await self.emit(group, "EntryGroup", value) }
            }
        case "Free":
            state.withLock { state in
                state.added[call.path] = nil
                state.committed.remove(call.path)
            }
            try call.reply()
        default: try call.fail(name: "org.freedesktop.DBus.Error.UnknownMethod", message: call.member)
        }
    }

    private static func service(_ message: borrowing BusMessage) throws(BusError) -> Service {
        guard message.signature == "iiussssqaay" else { throw BusError(signature: message.signature) }
        for _ in 0..<3 { _ = try message.readValue() }
        let (name, type) = (try message.readString(), try message.readString())
        for _ in 0..<2 { _ = try message.readString() }
        let port = try message.readUInt16()
        guard case .array(let entries, "ay") = try message.readValue() else {
            throw BusError(signature: message.signature)
        }
        let text = entries.compactMap(\.bytes).map { String(decoding: $0, as: UTF8.self) }
        return Service(name: name, type: type, port: port, text: text)
    }
}

extension BusError {
    fileprivate init(signature: String) {
        self.init(operation: "read", subject: signature, name: nil, message: "another signature")
    }
}
