import Timeline

/// Why a link ended.
package enum LinkClosure: String, Sendable {
    /// The monitor or the radio ended it: end of file on a notification socket, or BlueZ said so.
    case lost
    /// Connected, but without a sign of life for as long as `LinkSilence` says.
    case silent
    /// bluetoothd or the bus went away.
    case serviceLost = "service_lost"
    /// The adapter was removed or switched off.
    case adapterLost = "adapter_lost"
    /// We ended it: shutdown, release, or recovery.
    case ours

    /// For whoever reads the log.
    package var words: String {
        switch self {
        case .lost: "the monitor or the radio ended the link"
        case .silent: "it was connected, and had stopped talking"
        case .serviceLost: "bluetoothd or the bus went away"
        case .adapterLost: "its Bluetooth adapter was removed or switched off"
        case .ours: "rowgate ended the link"
        }
    }
}

/// A monitor is left to somebody else for a while because a person asked, to a phone app say.
package struct Loan: Equatable, Sendable {
    /// When it is looked for again; nil for not before it is taken back.
    package var until: BootInstant?

    package init(until: BootInstant?) { self.until = until }
}

/// Why a monitor that is there is left alone.
package enum ParkingReason: Equatable, Sendable {
    /// Every adapter is full; in words, how full.
    case noSlot(String)
    /// Something else connects to it whenever its link ends.
    case contested

    /// For a coach.
    package var words: String {
        switch self {
        case .noSlot(let words): words
        case .contested: "a phone or another gateway keeps taking it"
        }
    }
}

/// Where a monitor's link stands, for status and health.
package enum LinkPhase: Equatable, Sendable {
    /// Not heard of yet, or not any more.
    case searching
    /// Heard, and waiting for its turn or for a back-off to pass.
    case waiting
    case connecting
    case resolving
    case subscribing
    case streaming
    /// Not connected on purpose.
    case parked(ParkingReason)
    /// Not connected, not looked for.
    case released(Loan)
    /// Given up after this long without use, so that it can switch itself off; taken back as soon as
    /// it is heard again.
    case asleep(after: Duration)
}

extension LinkPhase {
    /// A configured time, which may be short of a minute: `15 min`, `12 s`.
    package static func words(ofIdleness duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}

/// The figures of one link that `rowgatectl status` shows.
package struct LinkStatus: Equatable, Sendable {
    /// Where the link stands now.
    package var phase: LinkPhase
    /// dBm when the monitor was last heard advertising.
    package var rssi: Int?
    /// Kernel name of the adapter that holds the link; nil without a link.
    package var adapter: String?
    /// Links opened since the daemon started, the present one included.
    package var connects: Int
    /// Of these, links that stood and only had to be subscribed anew.
    package var resubscriptions = 0
    /// Attempts that failed since the last success.
    package var failures: Int
    /// The cause of the last failure, for a person.
    package var lastFailure: String?
    /// What BlueZ answered then, for the journal.
    package var lastFailureDetail: String?
    /// Times that BlueZ was made to forget the monitor, since the daemon started.
    package var removals = 0

    package init(phase: LinkPhase) {
        self.phase = phase
        connects = 0
        failures = 0
    }

    /// Links after the first.
    package var reconnects: Int { max(0, connects - 1) }
}
