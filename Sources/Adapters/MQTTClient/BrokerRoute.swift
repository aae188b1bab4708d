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

/// The delay before the next attempt to connect: 1 s, doubled up to 30 s, minus jitter.
///
/// Jitter takes off up to half, so that the gateways of a club do not all reconnect at the same
/// instant after a restart of the broker.
package struct BrokerBackoff: Equatable, Sendable {
    /// The first and the longest delay, before jitter.
    package static let delays = Duration.seconds(1)...Duration.seconds(30)
    /// The largest part of a delay that jitter takes off, in 1024ths.
    private static let jitter = 512
    /// After a connection of this length the delays start again with the first.
    package static let stableAfter = Duration.seconds(30)

    /// Without jitter.
    private var delays: ExponentialBackoff

    /// - Parameter delays: the first and the longest.
    package init(delays: ClosedRange<Duration> = Self.delays) { self.delays = ExponentialBackoff(delays) }

    /// Returns the next delay.
    ///
    /// - Parameter chance: 0 to 1023, from a random source.
    package mutating func next(chance: Int) -> Duration {
        let whole = delays.next()
        return whole - whole * ((chance & 1023) * Self.jitter / 1024) / 1024
    }

    /// Records that a connection ended after `duration`.
    package mutating func connectionEnded(after duration: Duration) {
        if duration >= Self.stableAfter { delays.reset() }
    }
}
