/// A moment on the machine's boot clock, which counts through suspend and never steps.
///
/// Order and durations come from here alone; the wall clock of a Pi may be years off and jump in
/// the middle of a piece.
package struct BootInstant: Comparable, Hashable, Sendable {
    /// Nanoseconds since boot.
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// Whole milliseconds since boot.
    package var milliseconds: UInt64 { nanoseconds / 1_000_000 }

    /// The time from here to `later`; zero when `later` is earlier.
    package func duration(to later: BootInstant) -> Duration {
        guard later > self else { return .zero }
        return .nanoseconds(Int64(clamping: later.nanoseconds - nanoseconds))
    }

    package func advanced(by duration: Duration) -> BootInstant {
        let (seconds, attoseconds) = duration.components
        let step = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        return BootInstant(nanoseconds: nanoseconds &+ UInt64(bitPattern: step))
    }

    package static func < (left: BootInstant, right: BootInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
