import Foundation
import Glibc
import TestSupport
import Testing

@testable import HostRuntime

struct HostTests {
    @Test func clocksMatchFoundationAndProc() throws {
        let before = SystemClock.bootNanoseconds()
        let unix = { Int64(Date().timeIntervalSince1970 * 1000) }
        let early = unix()
        let reported = SystemClock.unixMilliseconds()
        #expect(reported > early - 5000 && reported < unix() + 5000)
        #expect(SystemClock.bootNanoseconds() >= before)
        let id = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(SystemClock.bootID() == id.filter(\.isHexDigit))
    }

    @Test func bootIDIsThatOfTheUnitIfTheKernelHidesIt() {
        let (kernel, unit) = (String(repeating: "a", count: 32), String(repeating: "0", count: 32))
        #expect(SystemClock.bootID(kernel: kernel, environment: unit) == kernel)
        #expect(SystemClock.bootID(kernel: nil, environment: unit) == unit)
        for invalid in [nil, "", "%b", "unknown", String(repeating: "A", count: 32), unit + "0"] {
            let random = SystemClock.bootID(kernel: nil, environment: invalid)
            #expect(random.utf8.count == 32 && random != invalid)
            #expect(random.allSatisfy { "0123456789abcdef".contains($0) })
            #expect(random != SystemClock.bootID(kernel: nil, environment: invalid))
        }
    }

    private static let durations: [(Duration, Int)] = [
        (.zero, 0), (.milliseconds(-5), 0), (.nanoseconds(7), 7), (.seconds(2), 2_000_000_000),
        (.seconds(Int64.max), Int.max),
    ]

    @Test(arguments: durations)
    func clampsDurationsToNanoseconds(_ duration: Duration, _ expected: Int) {
        #expect(duration.clampedNanoseconds == expected)
    }

    @Test func doesNotFormatLinesBelowThreshold() {
        var formatted = 0
        func text() -> String {
            formatted += 1
            return "hidden"
        }
        SystemLog(subsystem: "test", threshold: .error).info(text())
        #expect(formatted == 0)
        #expect(SystemLog.Priority.debug < .error)
    }

    @Test func sendsNotificationsOnOneLine() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notify")
        let handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(handle) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        setenv("NOTIFY_SOCKET", path, 1)
        defer { unsetenv("NOTIFY_SOCKET") }
        ServiceNotifier.ready(status: "8 of 8 ergs\nREADY=0")
        ServiceNotifier.watchdogPing()
        ServiceNotifier.stopping()
        let received = (0..<3).map { _ in
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = recv(handle, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        #expect(received == ["READY=1\nSTATUS=8 of 8 ergs READY=0", "WATCHDOG=1", "STOPPING=1"])
    }
}
