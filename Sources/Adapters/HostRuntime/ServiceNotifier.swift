import CSystemd
import Glibc

/// What the service manager is told: ready, status, watchdog, stopping (sd_notify(3)).
///
/// Without a service manager (NOTIFY_SOCKET unset) every call does nothing.
package enum ServiceNotifier {
    /// The service is up: systemd starts what waits for it.
    package static func ready(status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    /// The line that `systemctl status` shows.
    package static func status(_ text: String) { send("STATUS=\(oneLine(text))") }

    /// Starting or stopping takes longer: the service manager is to wait for that time from now on.
    package static func extendTimeout(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        send("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)")
    }

    /// The service has begun to stop.
    package static func stopping() { send("STOPPING=1") }

    /// Everything that must be alive is alive.
    package static func watchdogPing() { send("WATCHDOG=1") }

    /// How often the service manager wants to hear from us; nil when it does not watch.
    package static func watchdogInterval() -> Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    private static func send(_ message: String) { sd_notify(0, message) }

    /// A line break would let a peer's text (an erg's name, say) forge a second assignment.
    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
