import HostRuntime
import SDBus
import Synchronization
import TestSupport
import Testing

/// Failures of a bus, and how they reach the caller.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BusFailureTests {
    private func client(
        _ bus: PrivateBus, onEnd: @escaping @Sendable (BusError) -> Void = { _ in }
    ) async throws -> BusConnection {
        let client = BusConnection(on: SerialQueueExecutor(label: "client"))
        try await client.start(address: bus.address, onEnd: onEnd)
        return client
    }

    @Test func reportsPeerError() async throws {
        let bus = try await PrivateBus()
        let server = try await client(bus)
        try await server.serve { invocation in
            try? invocation.fail(name: "org.bluez.Error.InProgress", message: "In Progress")
            return true
        }
        try await server.requestName("org.example.Busy")
        let caller = try await client(bus)
        let error = await #expect(throws: BusError.self) {
            try await caller.call("org.example.Busy", "/x", "org.example.I", "Connect")
        }
        #expect(error?.name == "org.bluez.Error.InProgress")
        #expect(error?.message == "In Progress")
        #expect(error?.subject == "/x")
        await caller.stop()
        await server.stop()
    }

    @Test func reportsUnavailableNames() async throws {
        let bus = try await PrivateBus()
        let first = try await client(bus)
        let second = try await client(bus)
        await #expect(throws: BusError.self) {
            try await second.call("org.example.Nobody", "/", "org.example.I", "M")
        }
        try await first.requestName("org.example.Taken")
        await #expect(throws: BusError.self) { try await second.requestName("org.example.Taken") }
        // A connection that ends gives its names back.
        await first.stop()
        #expect(await eventually { (try? await second.requestName("org.example.Taken")) != nil })
        await second.stop()
    }

    @Test func unansweredCallTimesOut() async throws {
        let bus = try await PrivateBus()
        let server = try await client(bus)
        try await server.serve { invocation in
            if invocation.member == "Answer" { try? invocation.reply() }
            return true
        }
        try await server.requestName("org.example.Slow")
        let caller = try await client(bus)
        let silent = Task {
            try await caller.call(
                "org.example.Slow", "/", "org.example.I", "Keep", timeout: .milliseconds(200))
        }
        try await caller.call("org.example.Slow", "/", "org.example.I", "Answer")
        let error = await #expect(throws: BusError.self) { try await silent.value }
        #expect(error?.errno == 110 || error?.name?.hasSuffix("NoReply") == true)
        await caller.stop()
        await server.stop()
    }

    @Test func reportsDeathOfBusOnce() async throws {
        let bus = try await PrivateBus()
        let server = try await client(bus)
        try await server.serve { _ in true }
        try await server.requestName("org.example.Silent")
        let ends = Mutex(0)
        let caller = try await client(bus) { _ in ends.withLock { $0 += 1 } }
        let pending = Task {
            try await caller.call("org.example.Silent", "/", "org.example.I", "M")
        }
        // Answered after earlier messages.
        try await caller.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus.Peer", "Ping")
        bus.kill()
        await #expect(throws: BusError.self) { try await pending.value }
        #expect(await eventually { ends.withLock { $0 } == 1 })
        await #expect(throws: BusError.self) {
            try await caller.call("org.example.Silent", "/", "org.example.I", "M")
        }
        await caller.stop()
        await server.stop()
    }

    @Test func reportsMissingBus() async {
        let client = BusConnection(on: SerialQueueExecutor(label: "client"))
        let error = await #expect(throws: BusError.self) {
            try await client.start(address: "unix:path=/nonexistent/bus") { _ in }
        }
        #expect(error?.subject == "unix:path=/nonexistent/bus")
    }

    @Test func rejectsUnexpectedTypes() async throws {
        let bus = try await PrivateBus()
        let server = try await client(bus)
        try await server.serve { invocation in
            try? invocation.reply { message throws(BusError) in try message.append(uint32: 7) }
            return true
        }
        try await server.requestName("org.example.Shape")
        let caller = try await client(bus)
        await #expect(throws: BusError.self) {
            try await caller.call(
                "org.example.Shape", "/", "org.example.I", "M",
                reading: { message throws(BusError) in try message.readObjectTree() })
        }
        let number: UInt32 = try await caller.call(
            "org.example.Shape", "/", "org.example.I", "M",
            reading: { message throws(BusError) in try message.readUInt32() })
        #expect(number == 7)
        await caller.stop()
        await server.stop()
    }
}
