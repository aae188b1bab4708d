import CSystemd
import Glibc

/// Notifications to the service manager: ready, status, watchdog, stopping (sd_notify(3)).
///
/// Without a service manager (NOTIFY_SOCKET unset) every call does nothing.
package enum ServiceNotifier {
    /// Reports that the service is up, so that systemd starts the units that wait for it.
    package static func ready(status: String) { send("READY=1\nSTATUS=\(oneLine(status))") }

    /// The line that `systemctl status` shows.
    package static func status(_ text: String) { send("STATUS=\(oneLine(text))") }

    /// Asks the service manager to wait longer for start or stop, counted from now.
    package static func extendTimeout(by duration: Duration) {
        let (seconds, attoseconds) = duration.components
        send("EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)")
    }

    /// Reports that the service is stopping.
    package static func stopping() { send("STOPPING=1") }

    /// Reports that every watched part responds.
    package static func watchdogPing() { send("WATCHDOG=1") }

    /// The interval in which the service manager expects a ping; nil without a watchdog.
    package static func watchdogInterval() -> Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    private static func send(_ message: String) { sd_notify(0, message) }

    /// A line break would let text of a peer, such as an erg's name, forge a second assignment.
    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
