import SDBus

/// Why an attempt at a link failed, grouped by remedy.
///
/// BlueZ's error texts are ambiguous: one cause has several texts ("br-connection-canceled" on LE),
/// and one text ("le-connection-abort-by-local") covers a monitor that is off as well as a radio
/// that lost the first packets. Name, duration and phase are more reliable. The one exception has
/// one cause and one text, but not every radio reports it.
struct LinkFailure: Error, Equatable, Sendable {
    enum Kind: Equatable, Sendable, CaseIterable {
        /// Refused at once: a temporary failure (the usual abort), or the radio has no free slot.
        /// BlueZ may report that only by removing the device.
        case connectRefused
        /// The radio reported that its link limit is reached.
        case noSlot
        /// No answer for long: off, out of range, or connected to another central.
        case unreachable
        /// A connect of another program, or a stale one of ours, is in progress.
        case busy
        /// The adapter is not powered.
        case adapterNotReady
        /// BlueZ removed the device.
        case objectGone
        /// Connected, but the rowing service was not found.
        case servicesMissing
        /// A read or a subscription was refused.
        case setUpRefused
        /// The link ended before it was used.
        case dropped
        /// bluetoothd did not answer.
        case stalled
        /// bluetoothd or the bus disappeared.
        case serviceLost
        /// The serial number differs from the advertised name.
        case wrongMonitor
        /// Values had arrived, and then no status for longer than a supervision timeout.
        case silent
    }

    let kind: Kind
    /// The cause, for users; contains no D-Bus names.
    let message: String
    /// The error from BlueZ, for the journal; nil if there was none.
    let detail: String?

    init(_ kind: Kind, _ message: String, detail: String? = nil) {
        self.kind = kind
        self.message = message
        self.detail = detail
    }

    /// BlueZ gives up an absent monitor after 40 s; a connect that ends sooner was refused.
    static let quick = Duration.seconds(5)

    /// A failed Connect().
    init(connecting error: BusError, took elapsed: Duration) {
        let kind =
            error.isOutOfLinks
            ? .noSlot
            : Self.common(error) ?? (elapsed < Self.quick ? .connectRefused : .unreachable)
        self.init(
            kind, kind.cause ?? Self.connectCause(kind, after: elapsed), detail: error.description)
    }

    private static func connectCause(_ kind: Kind, after elapsed: Duration) -> String {
        kind == .unreachable
            ? "connect timed out after \(elapsed.components.seconds) s"
            : "the monitor refused the connection"
    }

    /// A failed read, write or subscription on an open link.
    init(settingUp error: BusError) {
        let kind = Self.common(error) ?? .setUpRefused
        self.init(
            kind, kind.cause ?? "the monitor refused a subscription", detail: error.description)
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

extension LinkFailure.Kind {
    /// The cause as text for users; nil if it depends on more than the kind.
    fileprivate var cause: String? {
        switch self {
        case .noSlot: "all links of the adapter are in use"
        case .busy: "another connect was in progress"
        case .adapterNotReady: "the adapter is switched off"
        case .objectGone: "bluetoothd no longer knows the monitor"
        case .dropped: "the link ended during set-up"
        case .stalled: "bluetoothd did not answer"
        case .serviceLost: "bluetoothd stopped"
        case .connectRefused, .unreachable, .servicesMissing, .setUpRefused, .wrongMonitor,
            .silent:
            nil
        }
    }
}
