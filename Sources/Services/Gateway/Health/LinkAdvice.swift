import Contract
import Insights
import Rowing
import Timeline

/// Reason and remedy for an erg that sends no values.
struct LinkAdvice: Equatable {
    var reason: String
    var remedy: String

    /// Returns nil for an erg that sends values or is connecting.
    init?(_ station: StationSnapshot, at now: BootInstant) {
        let link = station.link
        switch link.phase {
        case .streaming:
            guard let open = station.openSince,
                station.silence(at: now, since: open) >= LinkTimeouts.staleAfter
            else { return nil }
            reason = "connected, but no values arrive"
            let limit = LinkTimeouts.silenceLimit.components.seconds
            remedy = "wait: after \(limit) s without values it is reconnected"
        case .searching: (reason, remedy) = Self.searching(link)
        case .parked(let why):
            reason = why.text
            remedy =
                why == .contested
                ? "if it belongs to this room, name its serial number under [[erg]]"
                : "plug in another Bluetooth adapter, or release an unused erg"
        case .released:
            reason = "released to a phone app"
            remedy =
                "wait until the time is over, or take it back: "
                + "rowgatectl release \(station.station) --take-back"
        case .asleep:
            reason = "asleep after a time without use"
            remedy =
                "row or press a button to reconnect it; otherwise press Connect on it"
        case .waiting, .connecting, .resolving, .subscribing:
            guard link.failures >= Self.manyFailures, let last = link.lastFailure else {
                return nil
            }
            reason = "\(last), in the last of \(link.failures) attempts; retrying"
            remedy =
                "if this continues, switch the monitor off and on, or move it nearer to the adapter"
        }
    }

    /// Fewer failures are normal for a radio link.
    private static let manyFailures = 9

    private static func searching(_ link: LinkStatus) -> (String, String) {
        guard link.connects == 0 else {
            let cause = link.lastFailure.map { ", the last attempt: \($0)" } ?? ""
            return (
                "no signal since the connection was lost\(cause)",
                "wake the monitor with any button; if a phone is connected to it, disconnect the "
                    + "phone; if it still shows a connection, switch it off and on"
            )
        }
        return (
            "no signal yet",
            "wake the monitor with any button, disconnect phones, and check the serial number: "
                + "More Options, Utilities, Product ID"
        )
    }
}
