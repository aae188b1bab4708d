/// An instant on the machine's boot clock, which counts through suspend and never steps.
///
/// Order and durations use only this clock, because the wall clock of a Pi may be years wrong and jump
/// during a piece. An instant of an earlier boot is negative: its nanoseconds are the two's complement, and
/// order and durations stay valid.
@frozen public struct BootInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds since boot.
    public var nanoseconds: UInt64

    @inlinable
    public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Whole milliseconds since boot; 0 for an instant of an earlier boot.
    @inlinable
    public var milliseconds: UInt64 { UInt64(max(0, signedMilliseconds)) }

    /// Whole milliseconds since boot, negative for an instant of an earlier boot.
    @inlinable
    public var signedMilliseconds: Int64 { Int64(bitPattern: nanoseconds) / 1_000_000 }

    /// The time from this instant to `later`; zero if `later` is earlier.
    @inlinable
    public func duration(to later: BootInstant) -> Duration {
        guard later > self else { return .zero }
        return .nanoseconds(Int64(clamping: later.nanoseconds &- nanoseconds))
    }

    /// Earlier for a negative duration, possibly before the boot.
    @inlinable
    public func advanced(by duration: Duration) -> BootInstant {
        let (seconds, attoseconds) = duration.components
        let step = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        return BootInstant(nanoseconds: nanoseconds &+ UInt64(bitPattern: step))
    }

    /// Returns the instant `duration` before this one.
    public func earlier(by duration: Duration) -> BootInstant { advanced(by: .zero - duration) }

    @inlinable
    public static func < (left: BootInstant, right: BootInstant) -> Bool {
        Int64(bitPattern: left.nanoseconds) < Int64(bitPattern: right.nanoseconds)
    }
}

extension Duration {
    /// Whole milliseconds, rounded towards zero.
    package var wholeMilliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
