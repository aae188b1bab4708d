import Timeline

/// The delay before a monitor's next attempt, by kind of failure.
///
/// Jitter of a quarter in both directions prevents eight monitors that failed together from
/// retrying together. The delay including jitter stays within the limit of its kind. The seed is an
/// argument, so that a test gets the same delays each time.
struct LinkBackoff: Sendable {
    /// A delay is its base multiplied by a number in this range.
    static let jitter = 0.75...1.25

    /// Approximate delay after an established link was lost.
    static let afterLoss = Duration.milliseconds(250)
    /// Approximate delay after its sockets ended. The link itself may still exist and is then
    /// reused, which is the least invasive recovery. BlueZ reports within 0.06 to 0.5 s whether it
    /// does.
    static let afterStreamsEnded = Duration.milliseconds(500)
    /// Approximate delay after bluetoothd or the adapter of a link disappeared.
    static let afterAbandoning = Duration.milliseconds(100)

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Returns the delay before the next attempt after the `count`th failure of this kind in a row,
    /// counted from 1.
    mutating func delay(after kind: LinkFailure.Kind, count: Int) -> Duration {
        jittered(Self.base(kind, count))
    }

    /// Returns `duration` with jitter.
    mutating func jittered(_ duration: Duration) -> Duration {
        let (least, most) = (Self.jitter.lowerBound, Self.jitter.upperBound)
        return duration * (least + (most - least) * nextUnit())
    }

    private static func base(_ kind: LinkFailure.Kind, _ count: Int) -> Duration {
        switch kind {
        case .connectRefused:
            // Field reports agree that an immediate retry usually works; after nine the delay
            // grows. The monitor is in range, and an attempt costs the radio half a second.
            count <= 9 ? .milliseconds(250) : doubling(.seconds(1), count - 9, to: .seconds(10))
        case .busy:
            count <= 9 ? .milliseconds(500) : doubling(.seconds(1), count - 9, to: .seconds(10))
        case .objectGone, .serviceLost:
            // The next attempt waits for a scan to hear the monitor, which is delay enough.
            .milliseconds(100)
        case .unreachable, .adapterNotReady:
            doubling(.milliseconds(500), count, to: .seconds(10))
        case .servicesMissing, .setUpRefused, .dropped, .silent:
            doubling(.milliseconds(500), count, to: .seconds(30))
        case .noSlot:
            // Only the end of another link helps, and `AdapterSlots` tracks those.
            doubling(.seconds(1), count, to: .seconds(30))
        case .stalled, .wrongMonitor:
            doubling(.seconds(2), count, to: .seconds(60))
        }
    }

    /// Returns a base whose jittered value is at most `limit`.
    private static func doubling(
        _ first: Duration, _ count: Int, to limit: Duration
    ) -> Duration {
        ExponentialBackoff(first...(limit / jitter.upperBound)).delay(after: count - 1)
    }

    /// SplitMix64 (Steele, Lea, Flood 2014), scaled to 0..<1.
    private mutating func nextUnit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) * 0x1p-53
    }
}
