import Timeline

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
