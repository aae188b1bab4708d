import PM5Codec
import Timeline

/// Receives the events of one monitor's link. Every call arrives on the station's own queue.
package protocol ErgLinkListener: AnyObject, Sendable {
    /// All subscriptions are active. Values follow, with times from `now` on. `now` may be some seconds
    /// ago, because values that arrive while subscribing are buffered.
    func linkDidOpen(_ monitor: MonitorIdentity, through link: any ErgLink, at now: BootInstant)

    /// Receives a value. `bytes` is valid only during the call.
    func linkDidReceive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant)

    /// The link closed; `linkDidOpen` follows when it is open again.
    func linkDidClose(_ reason: LinkClosure, at now: BootInstant)

    /// The status of the link changed.
    func linkDidUpdate(_ status: LinkStatus)

    /// Whether a reply on 0x0022 belongs to a request of this gateway.
    var linkAwaitsReply: Bool { get }

    /// A phone wants to send a CSAFE request through a relay. Returns true if the channel is free; the
    /// listener then sends no requests until `linkDidReturnControl`. Otherwise the caller asks again.
    func linkMayLendControl(at now: BootInstant) -> Bool

    /// The phone's request is over, or it was withdrawn before it began.
    ///
    /// - Parameter setsWorkout: whether it set a workout, which the next statuses show.
    func linkDidReturnControl(setsWorkout: Bool, at now: BootInstant)
}

/// For listeners that send no requests.
extension ErgLinkListener {
    package var linkAwaitsReply: Bool { false }
    package func linkMayLendControl(at now: BootInstant) -> Bool { true }
    package func linkDidReturnControl(setsWorkout: Bool, at now: BootInstant) {}
}

/// Sends values to one monitor.
package protocol ErgLink: Sendable {
    /// Writes one value of at most 20 bytes, in the order of the calls.
    ///
    /// - Throws: if the link is closed or the monitor answers the write with an error.
    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws
}

/// Why a link ended.
package enum LinkClosure: String, Sendable {
    /// The monitor or the radio ended it: end of file on a notification socket, or a report of BlueZ.
    case lost
    /// Connected, but without values for the time in `LinkTimeouts`.
    case silent
    /// bluetoothd or the bus stopped.
    case serviceLost = "service_lost"
    /// The adapter was removed or switched off.
    case adapterLost = "adapter_lost"
    /// rowgate ended it: shutdown, release, or recovery.
    case ours

    /// The closure as log text.
    package var logText: String {
        switch self {
        case .lost: "the monitor or the radio ended the link"
        case .silent: "the monitor was connected but stopped sending"
        case .serviceLost: "bluetoothd or its bus stopped"
        case .adapterLost: "its Bluetooth adapter was removed or switched off"
        case .ours: "rowgate ended the link"
        }
    }
}

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

/// The times after which silence on a link has an effect.
package enum LinkTimeouts {
    /// After this time without a status, the last one no longer describes the rower. A
    /// monitor sends a status twice a second in every state. The link stays open.
    package static let staleAfter = Duration.seconds(5)
    /// After this time without any value, strokes may be lost. A fast stroke takes this long, and a monitor
    /// sends a value twice a second, or once on a slow machine.
    static let gapThreshold = Duration.milliseconds(1500)
    /// After this time without a status or a stroke, the link is closed and opened again.
    ///
    /// The radio detects a lost peer within 10 s (supervision timeout).
    package static let silenceLimit = Duration.seconds(12)
    /// The same without a status, even if other values arrive.
    ///
    /// A busy monitor sends no status for up to two minutes. After that its subscription must be lost.
    package static let statusLimit = Duration.seconds(150)
}
