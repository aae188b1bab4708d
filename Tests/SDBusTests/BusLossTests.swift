import Glibc
import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import SDBus

/// Calls that do not come to their usual end.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct BusLossTests {
    private func silent(
        onEnd: @escaping @Sendable (BusError) -> Void = { _ in }
    ) async throws -> (EchoBench, stored: StoredInvocations) {
        let stored = StoredInvocations()
        let bench = try await EchoBench(onEnd: onEnd) { call throws(BusError) in
            if call.member == "Answer" { try call.reply() } else { stored.store(call) }
        }
        return (bench, stored)
    }

    /// Calls that wait for their answers.
    private final class StoredInvocations: Sendable {
        private let calls = Mutex<[BusInvocation]>([])
        var count: Int { calls.withLock { $0.count } }
        func store(_ call: BusInvocation) { calls.withLock { $0.append(call) } }
        func removeAll() -> [BusInvocation] {
            calls.withLock { calls in
                defer { calls = [] }
                return calls
            }
        }
    }

    private func callers(_ count: Int, _ bench: EchoBench) -> [Task<BusError?, Never>] {
        (0..<count).map { _ in
            Task {
                do throws(BusError) {
                    try await bench.call("Keep")
                    return nil
                } catch {
                    return error
                }
            }
        }
    }

    @Test(arguments: [
        ("org.bluez.Error.Failed", "le-connection-abort-by-local", EIO),
        ("org.freedesktop.DBus.Error.AccessDenied", "", EACCES),
        ("org.freedesktop.DBus.Error.UnknownObject", "Ä \"x\"\n", EBADR),
        ("org.freedesktop.DBus.Error.InvalidArgs", "no", EINVAL),
    ])
    func mapsErrorNames(name: String, words: String, number: Int32) async throws {
        let bench = try await EchoBench { call throws(BusError) in
            try call.fail(name: name, message: words)
        }
        let error = await #expect(throws: BusError.self) { try await bench.call("Echo") }
        #expect(
            error
                == BusError(
                    operation: "org.example.Bench.Echo", subject: "/bench", name: name,
                    message: words, errno: number))
        await bench.stop()
    }

    @Test func ignoresSecondAnswer() async throws {
        let bench = try await EchoBench { call throws(BusError) in
            try call.reply { message throws(BusError) in try message.append(uint32: 1) }
            try call.reply { message throws(BusError) in try message.append(uint32: 2) }
            try call.fail(name: "org.example.Error.Late", message: "late")
        }
        for _ in 0..<3 {
            let number = try await bench.call(
                write: { _ throws(BusError) in },
                read: { message throws(BusError) in try message.readUInt32() })
            #expect(number == 1)
        }
        await bench.stop()
    }

    @Test(arguments: [
        ("not a name", "/", "org.example.I", "M"), ("org.example.N", "x", "org.example.I", "M"),
        ("org.example.N", "/", "nointerface", "M"),
    ])
    func rejectsInvalidNames(name: String, path: String, interface: String, member: String) async throws {
        let bench = try await EchoBench { call throws(BusError) in try call.reply() }
        let error = await #expect(throws: BusError.self) {
            try await bench.caller.call(name, path, interface, member)
        }
        #expect(error?.errno == EINVAL && error?.name == nil)
        try await bench.call("Answer")
        await bench.stop()
    }

    @Test func cancelledCallEnds() async throws {
        let (bench, stored) = try await silent()
        let calls = callers(3, bench)
        #expect(await eventually { stored.count == 3 })
        for call in calls { call.cancel() }
        try await bench.call("Answer")
        let waiting = stored.removeAll()
        await bench.server.run { for call in waiting { try? call.reply() } }
        for call in calls { #expect(await call.value == nil) }
        await bench.stop()
    }

    @Test func stopEndsPendingCall() async throws {
        let (bench, stored) = try await silent()
        let calls = callers(50, bench)
        #expect(await eventually { stored.count == 50 })
        await bench.caller.stop()
        for call in calls { #expect(await call.value?.isDisconnected == true) }
        let error = await #expect(throws: BusError.self) { try await bench.call("Answer") }
        #expect(error?.isDisconnected == true)
        await bench.stop()
    }

    @Test(.timeLimit(.minutes(30)))
    func peerLeavingEndsPendingCall() async throws {
        let (bench, stored) = try await silent()
        let calls = callers(5, bench)
        #expect(await eventually { stored.count == 5 })
        await bench.server.stop()
        for call in calls {
            #expect(await call.value?.name == "org.freedesktop.DBus.Error.NoReply")
        }
        try await bench.caller.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")
        await bench.stop()
    }

    @Test func deathOfBusEndsPendingCall() async throws {
        let ends = Mutex(0)
        let (bench, stored) = try await silent { _ in ends.withLock { $0 += 1 } }
        let calls = callers(100, bench)
        #expect(await eventually { stored.count == 100 })
        bench.bus.kill()
        for call in calls { #expect(await call.value != nil) }
        #expect(await eventually { ends.withLock { $0 } == 1 })
        let waiting = stored.removeAll()
        let refused = Mutex(0)
        #expect(
            await eventually {
                await (try? bench.server.call("org.example.N", "/", "org.example.I", "M")) == nil
            })
        await bench.server.run {
            for call in waiting {
                do throws(BusError) { try call.reply() } catch { refused.withLock { $0 += 1 } }
            }
        }
        #expect(refused.withLock { $0 } == 100)
        await bench.stop()
    }
}

extension BusConnection {
    /// Runs `work` on the queue of the connection, where calls are answered.
    fileprivate func run(_ work: @Sendable () -> Void) { work() }
}
