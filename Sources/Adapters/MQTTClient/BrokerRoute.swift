/// Which of the brokers of a configuration is next, and when: the one that serves us until it fails,
/// then the next in order, and after the last the first.
///
/// A broker that failed is followed by the next one at once; a pause comes when each of them has failed
/// since one served us.
package struct BrokerRoute: Sendable {
    /// The longest wait before the next broker of several, so that the clients of one that died do not
    /// all come in the same instant.
    package static let spread = Duration.milliseconds(250)

    private let brokers: [BrokerConfiguration]
    private var index = 0
    /// Attempts that failed since one succeeded.
    private var failures = 0
    private var backoff: BrokerBackoff

    package init(_ configuration: BrokerConfiguration) {
        brokers = configuration.eachServer
        backoff = BrokerBackoff(delays: configuration.reconnectDelays)
    }

    /// The one to connect to, or that we are connected to.
    package var broker: BrokerConfiguration { brokers[index] }

    /// Its broker serves us.
    package mutating func succeeded() { failures = 0 }

    /// Its broker failed. Returns after which pause `broker`, another one where there are several, is
    /// to be tried.
    ///
    /// - Parameters:
    ///   - stood: how long it served us; nil when it did not.
    ///   - chance: 0 to 1023, from a random source.
    package mutating func failed(after stood: Duration?, chance: Int) -> Duration {
        if let stood { backoff.stood(for: stood) }
        failures += 1
        index = (index + 1) % brokers.count
        let isRoundComplete = failures % brokers.count == 0
        guard isRoundComplete else { return Self.spread * (chance & 1023) / 1024 }
        return backoff.next(chance: chance)
    }
}
