import Contract
import MQTTClient
import Timeline

/// Where the publisher stands with its broker, from one connection to the next.
///
/// A pure machine: it is told what happened and says what follows; `Publisher+Connection` does it.
struct ConnectionLife {
    enum Phase {
        /// Not started, or stopped.
        case idle
        /// Until the back-off has passed.
        case waiting
        case connecting
        /// Connected; the birth is not acknowledged yet.
        case announcing
        case online
        /// Saying goodbye: what is in flight is waited for.
        case stopping
    }

    /// What a connection opens with, and how many answers the broker may owe on it.
    struct Announcement {
        var notice: BirthNotice
        var window: Int
    }

    /// What follows a failure.
    struct Retry {
        /// With the remedy that the circumstances suggest.
        var failure: BrokerFailure
        /// Another reason than last time: a broker that is down for a night is one line, not
        /// thousands.
        var isNews: Bool
        var delay: Duration
    }

    /// A connection that stood no longer than this may have been pushed out by a namesake.
    static let pushedOut = Duration.seconds(5)

    private(set) var phase = Phase.idle
    /// Tells the events of this connection from those of an abandoned one.
    private(set) var generation = 0
    /// nil when nothing has failed since the last success.
    private(set) var lastFailure: BrokerFailure?
    /// Until the broker has taken the birth.
    private var announcement: Announcement?
    private var onlineSince: BootInstant?
    private var route: BrokerRoute
    /// Whether the broker keeps messages for later, as far as is known.
    private(set) var keepsRetained = true
    /// Of the connection that stands, or that stood last.
    private(set) var certificates = CertificateEnds()

    init(_ configuration: BrokerConfiguration) { route = BrokerRoute(configuration) }

    /// The broker that is tried, or that serves us.
    var broker: BrokerConfiguration { route.broker }

    /// An attempt begins.
    mutating func connecting() {
        generation += 1
        phase = .connecting
    }

    /// The broker said yes; false when nobody waits for that any longer.
    mutating func accepted(_ terms: BrokerTerms) -> Bool {
        guard phase == .connecting else { return false }
        phase = .announcing
        keepsRetained = terms.keepsRetained
        certificates = terms.certificates
        return true
    }

    /// The birth is known; false when the connection that it was asked for is gone.
    mutating func announce(_ announcement: Announcement, in generation: Int) -> Bool {
        guard generation == self.generation, phase == .announcing else { return false }
        self.announcement = announcement
        return true
    }

    /// The broker has taken the birth: the rest may follow; nil when no birth was under way.
    mutating func wentOnline(at now: BootInstant) -> Announcement? {
        guard phase == .announcing, let announcement else { return nil }
        phase = .online
        onlineSince = now
        route.succeeded()
        lastFailure = nil
        return announcement
    }

    /// What the birth was, while it holds.
    var birth: [UInt8]? { announcement?.notice.payload }

    /// How long the broker has served us; nil when it does not.
    func stood(at now: BootInstant) -> Duration? {
        phase == .online ? onlineSince?.duration(to: now) : nil
    }

    /// Something that was to be sent could not be; the connection stands.
    mutating func couldNotSend(_ failure: BrokerFailure) { lastFailure = failure }

    /// The connection is gone: its events and its birth count no longer.
    mutating func forget() {
        generation += 1
        announcement = nil
    }

    /// The birth holds no longer: whether the connection has to be replaced by a new one.
    mutating func replace() -> Bool {
        // In any other phase the birth is still to be asked for.
        guard phase == .online || phase == .announcing else { return false }
        onlineSince = nil
        return true
    }

    /// An attempt or a connection failed.
    ///
    /// - Parameter chance: 0 to 1023, from a random source.
    mutating func failed(_ failure: BrokerFailure, at now: BootInstant, chance: Int) -> Retry {
        var failure = failure
        let stood = onlineSince?.duration(to: now)
        if let stood {
            // Not every broker says so when a second client of the same name pushes the first out.
            if stood < Self.pushedOut, failure.kind == .cutOff {
                failure.remedy = "if this repeats, another client uses the same broker.client_id"
            }
        }
        onlineSince = nil
        phase = .waiting
        // The same broker takes us without what it does not do.
        if failure.kind == .keepsNothing, keepsRetained {
            keepsRetained = false
            return Retry(failure: failure, isNews: true, delay: .zero)
        }
        let isNews = failure != lastFailure
        lastFailure = failure
        let delay = route.failed(after: stood, chance: chance)
        return Retry(failure: failure, isNews: isNews, delay: delay)
    }

    /// The end begins; true when there is a connection to say goodbye on.
    mutating func stopping() -> Bool {
        let isUp = phase == .online || phase == .announcing
        phase = .stopping
        return isUp
    }

    mutating func stopped() { phase = .idle }
}
