import Timeline

/// A monitor that a person released to another device for a while, for example to a phone app.
package struct MonitorRelease: Equatable, Sendable {
    /// When rowgate searches for it again; nil if only after a reclaim.
    package var until: BootInstant?

    package init(until: BootInstant?) { self.until = until }
}

/// Why a reachable monitor is not connected.
package enum ParkingReason: Equatable, Sendable {
    /// No adapter has a free slot; the text says how many each holds.
    case noSlot(String)
    /// Another device connects to it whenever its link ends.
    case contested

    /// The reason as the contract names it.
    package enum Code: String, CaseIterable, Sendable {
        /// `noSlot`
        case adaptersFull = "adapters_full"
        /// `contested`
        case otherDevice = "other_device"
    }

    package var code: Code {
        switch self {
        case .noSlot: .adaptersFull
        case .contested: .otherDevice
        }
    }

    /// The reason as text for a coach, in English.
    package var text: String {
        switch self {
        case .noSlot(let text): text
        case .contested: "a phone or another gateway keeps connecting"
        }
    }
}

/// The state of a monitor's link, for status and health.
package enum LinkPhase: Equatable, Sendable {
    /// The monitor is not advertising, or not seen yet.
    case searching
    /// Seen, and waiting for its turn or for a back-off.
    case waiting
    case connecting
    case resolving
    case subscribing
    case streaming
    /// Deliberately not connected.
    case parked(ParkingReason)
    /// Neither connected nor searched for.
    case released(MonitorRelease)
    /// Disconnected after this long without use, so that the monitor can switch off. Reconnects when it
    /// advertises again.
    case asleep(after: Duration)
}

extension LinkPhase {
    /// Formats a configured idle time, which may be below a minute: `15 min`, `12 s`.
    package static func idleText(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}

/// The values of one link in `rowgatectl status`.
package struct LinkStatus: Equatable, Sendable {
    /// The current state of the link.
    package var phase: LinkPhase
    /// dBm of the last advertisement.
    package var rssi: Int?
    /// Kernel name of the adapter of the link; nil without a link.
    package var adapter: String?
    /// Links opened since the daemon started, including the current one.
    package var connects: Int
    /// Those of the links that stayed connected and were only subscribed again.
    package var resubscriptions = 0
    /// Attempts that failed since the last success.
    package var failures: Int
    /// The cause of the last failure, for people.
    package var lastFailure: String?
    /// BlueZ's answer to that attempt, for the journal.
    package var lastFailureDetail: String?
    /// How often rowgate removed the monitor from BlueZ, since the daemon started.
    package var removals = 0

    package init(phase: LinkPhase) {
        self.phase = phase
        connects = 0
        failures = 0
    }

    /// Links after the first.
    package var reconnects: Int { max(0, connects - 1) }
}
