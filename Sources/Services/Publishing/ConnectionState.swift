import Contract
import MQTTClient
import Timeline

/// The state of the publisher's connection, from one connection to the next.
///
/// A pure state machine: receives events and returns actions, which `Publisher+Connection` performs.
struct ConnectionState {
    enum Phase {
        /// Not started, or stopped.
        case idle
        /// Until the delay has passed.
        case waiting
        case connecting
        /// Connected; the birth is not acknowledged yet.
        case announcing
        case online
        /// Disconnecting: waits for outstanding acknowledgements.
        case stopping
    }

    /// The first message of a connection, and its number of unacknowledged messages.
    struct Announcement {
        var notice: BirthNotice
        var window: Int
    }

    /// The action after a failure.
    struct Retry {
        /// With a remedy that fits the situation.
        var failure: BrokerFailure
        /// Whether the reason differs from the last one: a broker that is down for a night is one
        /// line, not thousands.
        var isNewReason: Bool
        var delay: Duration
    }

    /// A connection that lasted no longer may have been replaced by another client with the same
    /// id.
    static let takeoverLimit = Duration.seconds(5)

    private(set) var phase = Phase.idle
    /// Distinguishes the events of this connection from those of an abandoned one.
    private(set) var generation = 0
    /// nil if nothing has failed since the last success.
    private(set) var lastFailure: BrokerFailure?
    /// Until the broker has acknowledged the birth.
    private var announcement: Announcement?
    private var onlineSince: BootInstant?
    private var route: BrokerRoute
    /// Whether the broker supports retained messages, as far as known.
    private(set) var supportsRetained = true
    /// Of the current connection, or the last one.
    private(set) var certificates = CertificateExpiry()

    init(_ configuration: BrokerConfiguration) { route = BrokerRoute(configuration) }

    /// The broker that is being tried, or connected.
    var broker: BrokerConfiguration { route.broker }

    /// Notes the start of an attempt.
    mutating func connecting() {
        generation += 1
        phase = .connecting
    }

    /// Notes that the broker accepted the connection; false if it is no longer wanted.
    mutating func accepted(_ limits: BrokerLimits) -> Bool {
        guard phase == .connecting else { return false }
        phase = .announcing
        supportsRetained = limits.supportsRetained
        certificates = limits.certificates
        return true
    }

    /// Stores the birth; false if the connection for which it was requested is gone.
    mutating func announce(_ announcement: Announcement, in generation: Int) -> Bool {
        guard generation == self.generation, phase == .announcing else { return false }
        self.announcement = announcement
        return true
    }

    /// Notes that the broker acknowledged the birth: the rest may follow; nil if no birth was
    /// pending.
    mutating func wentOnline(at now: BootInstant) -> Announcement? {
        guard phase == .announcing, let announcement else { return nil }
        phase = .online
        onlineSince = now
        route.succeeded()
        lastFailure = nil
        return announcement
    }

    /// The payload of the current birth.
    var birth: [UInt8]? { announcement?.notice.payload }

    /// How long the connection has lasted; nil without one.
    func lasted(at now: BootInstant) -> Duration? {
        phase == .online ? onlineSince?.duration(to: now) : nil
    }

    /// Notes that a message could not be sent; the connection stays.
    mutating func couldNotSend(_ failure: BrokerFailure) { lastFailure = failure }

    /// Ends the connection: its events and its birth no longer count.
    mutating func invalidate() {
        generation += 1
        announcement = nil
    }

    /// Returns whether a new birth needs a new connection; then the time online does not count any more. The caller
    /// ends the connection with `invalidate()`.
    mutating func replace() -> Bool {
        // In any other phase the birth has not been requested yet.
        guard phase == .online || phase == .announcing else { return false }
        onlineSince = nil
        return true
    }

    /// Notes that an attempt or a connection failed.
    ///
    /// - Parameter chance: 0 to 1023, from a random source.
    mutating func failed(_ failure: BrokerFailure, at now: BootInstant, chance: Int) -> Retry {
        var failure = failure
        let lasted = onlineSince?.duration(to: now)
        if let lasted {
            // Not every broker reports that a second client with the same id replaced the first.
            if lasted < Self.takeoverLimit, failure.kind == .cutOff {
                failure.remedy = "if this repeats, another client uses the same broker.client_id"
            }
        }
        onlineSince = nil
        phase = .waiting
        // The same broker accepts us without retained messages.
        if failure.kind == .noRetainedMessages, supportsRetained {
            supportsRetained = false
            return Retry(failure: failure, isNewReason: true, delay: .zero)
        }
        let isNewReason = failure != lastFailure
        lastFailure = failure
        let delay = route.failed(after: lasted, chance: chance)
        return Retry(failure: failure, isNewReason: isNewReason, delay: delay)
    }

    /// Starts to stop; true if there is a connection to close.
    mutating func stopping() -> Bool {
        let isUp = phase == .online || phase == .announcing
        phase = .stopping
        return isUp
    }

    mutating func stopped() { phase = .idle }
}
