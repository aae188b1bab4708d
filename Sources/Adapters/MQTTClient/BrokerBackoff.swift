/// How long to wait before the next attempt to connect: 1 s, doubled up to 30 s, and less by chance.
///
/// Chance takes off up to half, so that the gateways of a club do not all come back in the same
/// instant after the broker was restarted.
package struct BrokerBackoff: Equatable, Sendable {
    /// The first pause and the longest, before they are varied.
    package static let delays = Duration.seconds(1)...Duration.seconds(30)
    /// The largest part of a pause that chance takes off, of 1024 parts.
    private static let jitter = 512
    /// A connection that stood this long was a good one; the next attempt is the first again.
    package static let steady = Duration.seconds(30)

    private let delays: ClosedRange<Duration>
    /// The next one before it is varied; nil for the first.
    private var pause: Duration?

    /// - Parameter delays: the first and the longest.
    package init(delays: ClosedRange<Duration> = Self.delays) { self.delays = delays }

    /// The next delay.
    ///
    /// - Parameter chance: 0 to 1023, from a random source.
    package mutating func next(chance: Int) -> Duration {
        let whole = min(pause ?? delays.lowerBound, delays.upperBound)
        pause = whole * 2
        return whole - whole * ((chance & 1023) * Self.jitter / 1024) / 1024
    }

    /// A connection ended after standing for `duration`.
    package mutating func stood(for duration: Duration) {
        if duration >= Self.steady { pause = nil }
    }
}
