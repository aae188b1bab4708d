import HostRuntime
import SDBus
import Synchronization
import TestSupport
import Testing

/// What goes wrong on a bus, and how it reaches the caller.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BusFailureTests {
    private func client(
        _ bus: PrivateBus, onEnd: @escaping @Sendable (BusError) -> Void = { _ in }
    ) async throws -> BusConnection {
        let client = BusConnection(on: SerialQueueExecutor(label: "client"))
        try await client.start(address: bus.address, onEnd: onEnd)
        return client
    }

    /// Goal: a peer's refusal arrives with its name and words.
    @Test func peerError() async throws {
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

    /// Goal: a name that nobody owns, and a name that somebody else owns, are errors and not waits.
    @Test func names() async throws {
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

    /// Goal: a call that is not answered fails at its own limit, and others go on meanwhile.
    /// Method: a server that keeps the first call and answers the second.
    @Test func timeout() async throws {
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

    /// Goal: when the bus dies, the owner is told once, pending calls fail, and later ones do too.
    /// Method: dbus-daemon is killed while a call waits.
    @Test func busDies() async throws {
        let bus = try await PrivateBus()
        let server = try await client(bus)
        try await server.serve { _ in true }
        try await server.requestName("org.example.Silent")
        let ends = Mutex(0)
        let caller = try await client(bus) { _ in ends.withLock { $0 += 1 } }
        let pending = Task {
            try await caller.call("org.example.Silent", "/", "org.example.I", "M")
        }
        // Answered behind what was sent before.
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

    /// Goal: no bus is an error that says where it was looked for.
    @Test func noBus() async {
        let client = BusConnection(on: SerialQueueExecutor(label: "client"))
        let error = await #expect(throws: BusError.self) {
            try await client.start(address: "unix:path=/nonexistent/bus") { _ in }
        }
        #expect(error?.subject == "unix:path=/nonexistent/bus")
    }

    /// Goal: a body of another shape than expected is an error, never a trap or a misreading.
    @Test func wrongShape() async throws {
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
