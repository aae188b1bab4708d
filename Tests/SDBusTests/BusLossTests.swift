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
    ) async throws -> (EchoBench, kept: Kept) {
        let kept = Kept()
        let bench = try await EchoBench(onEnd: onEnd) { call throws(BusError) in
            if call.member == "Answer" { try call.reply() } else { kept.keep(call) }
        }
        return (bench, kept)
    }

    /// Calls that wait for their answers.
    private final class Kept: Sendable {
        private let calls = Mutex<[BusInvocation]>([])
        var count: Int { calls.withLock { $0.count } }
        func keep(_ call: BusInvocation) { calls.withLock { $0.append(call) } }
        func take() -> [BusInvocation] {
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

    // Goal: an error arrives with its name, words, object and number, whatever the name.
    @Test(arguments: [
        ("org.bluez.Error.Failed", "le-connection-abort-by-local", EIO),
        ("org.freedesktop.DBus.Error.AccessDenied", "", EACCES),
        ("org.freedesktop.DBus.Error.UnknownObject", "Ä \"x\"\n", EBADR),
        ("org.freedesktop.DBus.Error.InvalidArgs", "no", EINVAL),
    ])
    func errorsWithNames(name: String, words: String, number: Int32) async throws {
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

    // Goal: the first answer counts; a second one, or an error behind it, is not sent.
    @Test func oneAnswerToACall() async throws {
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

    // Goal: what cannot be a call fails at once, without the bus.
    @Test(arguments: [
        ("not a name", "/", "org.example.I", "M"), ("org.example.N", "x", "org.example.I", "M"),
        ("org.example.N", "/", "nointerface", "M"),
    ])
    func nonsense(name: String, path: String, interface: String, member: String) async throws {
        let bench = try await EchoBench { call throws(BusError) in try call.reply() }
        let error = await #expect(throws: BusError.self) {
            try await bench.caller.call(name, path, interface, member)
        }
        #expect(error?.errno == EINVAL && error?.name == nil)
        try await bench.call("Answer")
        await bench.stop()
    }

    // Goal: a call whose task is cancelled ends with its answer like any other, and leaves nothing
    // behind: bluetoothd carries a call out whether or not anybody still waits.
    @Test func cancelledCall() async throws {
        let (bench, kept) = try await silent()
        let calls = callers(3, bench)
        #expect(await eventually { kept.count == 3 })
        for call in calls { call.cancel() }
        try await bench.call("Answer")
        let waiting = kept.take()
        await bench.server.run { for call in waiting { try? call.reply() } }
        for call in calls { #expect(await call.value == nil) }
        await bench.stop()
    }

    // Goal: calls that wait when their own connection stops fail at once, and so do later ones.
    @Test func stopInMidCall() async throws {
        let (bench, kept) = try await silent()
        let calls = callers(50, bench)
        #expect(await eventually { kept.count == 50 })
        await bench.caller.stop()
        for call in calls { #expect(await call.value?.isDisconnected == true) }
        let error = await #expect(throws: BusError.self) { try await bench.call("Answer") }
        #expect(error?.isDisconnected == true)
        await bench.stop()
    }

    // Goal: when the one who was called leaves the bus, those who wait are told so by the bus long
    // before their time is over, and the connection serves on.
    @Test(.timeLimit(.minutes(30)))
    func peerLeavesInMidCall() async throws {
        let (bench, kept) = try await silent()
        let calls = callers(5, bench)
        #expect(await eventually { kept.count == 5 })
        await bench.server.stop()
        for call in calls {
            #expect(await call.value?.name == "org.freedesktop.DBus.Error.NoReply")
        }
        try await bench.caller.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus.Peer", "Ping")
        await bench.stop()
    }

    // Goal: a bus that dies under a hundred calls fails them all, tells the owner once, and an
    // answer that comes too late is an error and no crash.
    @Test func busDiesInMidCall() async throws {
        let ends = Mutex(0)
        let (bench, kept) = try await silent { _ in ends.withLock { $0 += 1 } }
        let calls = callers(100, bench)
        #expect(await eventually { kept.count == 100 })
        bench.bus.kill()
        for call in calls { #expect(await call.value != nil) }
        #expect(await eventually { ends.withLock { $0 } == 1 })
        let waiting = kept.take()
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
