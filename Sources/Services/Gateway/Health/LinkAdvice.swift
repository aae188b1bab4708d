import Rowing
import Timeline

/// Why an erg is grey, and what to do about it: sentences for whoever stands beside it.
struct LinkAdvice: Equatable {
    var reason: String
    var remedy: String

    /// nil for an erg that is connected and talks, or is on its way there.
    init?(_ station: StationSnapshot, at now: BootInstant) {
        let link = station.link
        switch link.phase {
        case .streaming:
            guard let open = station.openSince,
                station.silence(at: now, since: open) >= LinkSilence.staleAfter
            else { return nil }
            reason = "it is connected, and says nothing"
            let limit = LinkSilence.limit.components.seconds
            remedy = "wait: after \(limit) s of silence it is connected anew"
        case .searching: (reason, remedy) = Self.searching(link)
        case .parked(let why):
            reason = why.words
            remedy =
                why == .contested
                ? "if it belongs to this room, name its serial number under [[erg]]"
                : "plug in another Bluetooth adapter, or release an erg that nobody needs"
        case .released:
            reason = "it is released, so that a phone can have it"
            remedy =
                "wait for the end of its time, or take it back: "
                + "rowgatectl release \(station.station) --take-back"
        case .asleep:
            reason = "it may switch itself off, since nobody used it for a while"
            remedy =
                "row, or press a button, and it is connected again; if not, press Connect on it"
        case .waiting, .connecting, .resolving, .subscribing:
            guard link.failures >= Self.manyFailures, let last = link.lastFailure else {
                return nil
            }
            reason = "\(link.failures) attempts failed in a row, the last: \(last)"
            remedy = "switch the monitor off and on; bring it and the adapter nearer to each other"
        }
    }

    /// So many quick retries are the usual ups and downs of a radio.
    private static let manyFailures = 9

    private static func searching(_ link: LinkStatus) -> (String, String) {
        guard link.connects == 0 else {
            let cause = link.lastFailure.map { " (last failure: \($0))" } ?? ""
            return (
                "it was connected, and is not heard any more\(cause)",
                "wake the monitor with any button; if a phone holds it, disconnect it there; "
                    + "if it believes to be connected, switch it off and on"
            )
        }
        return (
            "it has not been heard yet",
            "wake the monitor with any button, disconnect phones, and compare the serial number: "
                + "More Options, Utilities, Product ID"
        )
    }
}
