import SDBus

/// Why an attempt at a link failed, by what can be done about it.
///
/// BlueZ's error texts are no guide: one cause comes under several texts ("br-connection-canceled"
/// on LE), and one text ("le-connection-abort-by-local") covers a monitor that is off as well as a
/// radio that lost the first packets. Name, duration and phase tell more. The one exception has one
/// cause and one text, and not every radio is so good as to give it.
struct LinkFailure: Error, Equatable, Sendable {
    enum Kind: Equatable, Sendable, CaseIterable {
        /// Refused at once: transient (the usual abort), or the radio has no slot left. BlueZ may
        /// say so only by forgetting the device.
        case connectRefused
        /// The radio said that it holds as many links as it can.
        case noSlot
        /// Nobody answered for long: off, out of range, or another central holds it.
        case unreachable
        /// Somebody else's connect is under way, or a stale one of ours.
        case busy
        /// The adapter is not powered.
        case adapterNotReady
        /// BlueZ forgot the device.
        case objectGone
        /// Connected, but the rowing service did not show up.
        case servicesMissing
        /// A read or a subscription was refused.
        case setUpRefused
        /// The link ended before it was in use.
        case dropped
        /// bluetoothd did not answer.
        case stalled
        /// bluetoothd or the bus went away.
        case serviceLost
        /// Another monitor answered than the advertised name promised.
        case wrongMonitor
        /// Streaming had begun, and no status came for longer than a supervision timeout.
        case silent
    }

    let kind: Kind
    /// For a person.
    let words: String

    init(_ kind: Kind, _ words: String) {
        self.kind = kind
        self.words = words
    }

    /// BlueZ gives up on an absent monitor after 40 s; a connect that ends sooner was refused.
    static let quick = Duration.seconds(5)

    /// A failed Connect().
    init(connecting error: BusError, took elapsed: Duration) {
        let kind =
            error.isOutOfLinks
            ? .noSlot
            : Self.common(error) ?? (elapsed < Self.quick ? .connectRefused : .unreachable)
        self.init(kind, error.description)
    }

    /// A failed read, write or subscription on an open link.
    init(settingUp error: BusError) {
        self.init(Self.common(error) ?? .setUpRefused, error.description)
    }

    private static func common(_ error: BusError) -> Kind? {
        if error.isServiceLost { return .serviceLost }
        if error.isInProgress { return .busy }
        if error.isNotReady { return .adapterNotReady }
        if error.isObjectGone { return .objectGone }
        if error.isNotConnected { return .dropped }
        if error.isUnanswered { return .stalled }
        return nil
    }
}
