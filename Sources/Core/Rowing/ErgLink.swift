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
