import Timeline

/// Chooses the next broker of a configuration and the delay: the current broker until it fails,
/// then the next in order, and the first after the last.
///
/// After a failure the next broker is tried at once; a delay follows only after each of them has
/// failed since the last success.
package struct BrokerRoute: Sendable {
    /// Maximum delay before the next of several brokers, so that the clients of a dead broker do
    /// not all reconnect at the same instant.
    package static let spread = Duration.milliseconds(250)

    private let brokers: [BrokerConfiguration]
    private var index = 0
    /// Failed attempts since the last success.
    private var failures = 0
    private var backoff: BrokerBackoff

    package init(_ configuration: BrokerConfiguration) {
        brokers = configuration.configurationPerServer
        backoff = BrokerBackoff(delays: configuration.reconnectDelays)
    }

    /// The broker to connect to, or the connected one.
    package var broker: BrokerConfiguration { brokers[index] }

    /// Notes that the broker accepted the connection.
    package mutating func succeeded() { failures = 0 }

    /// Notes that the broker failed. Returns the delay before `broker`, which is another one if
    /// there are several, is tried.
    ///
    /// - Parameters:
    ///   - stood: how long the connection lasted; nil if there was none.
    ///   - chance: 0 to 1023, from a random source.
    package mutating func failed(after stood: Duration?, chance: Int) -> Duration {
        if let stood { backoff.connectionEnded(after: stood) }
        failures += 1
        index = (index + 1) % brokers.count
        let isRoundComplete = failures % brokers.count == 0
        guard isRoundComplete else { return Self.spread * (chance & 1023) / 1024 }
        return backoff.next(chance: chance)
    }
}
