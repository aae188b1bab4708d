/// How long a monitor waits before its next attempt, by the class of the failure.
///
/// Jitter of a quarter either way keeps eight monitors that failed together from failing together
/// again; with it a delay still keeps the limit of its class. The seed is an argument, so a test
/// sees the same delays each time.
struct LinkBackoff: Sendable {
    /// A delay is its base times a number of this range.
    static let jitter = 0.75...1.25

    /// About so long after a link that stood was lost.
    static let afterLoss = Duration.milliseconds(250)
    /// About so long after its sockets ended. The link itself may stand, and is then taken up again as
    /// it is: the mildest mend. Half a second lets BlueZ say which it was (0.06 to 0.5 s).
    static let afterStreamsEnded = Duration.milliseconds(500)
    /// About so long after bluetoothd or the adapter under a link went away.
    static let afterAbandoning = Duration.milliseconds(100)

    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Delay before the attempt after the `count`th failure of this kind in a row (1 is the first).
    mutating func delay(after kind: LinkFailure.Kind, count: Int) -> Duration {
        jittered(Self.base(kind, count))
    }

    /// A delay of about `duration`.
    mutating func jittered(_ duration: Duration) -> Duration {
        let (least, most) = (Self.jitter.lowerBound, Self.jitter.upperBound)
        return duration * (least + (most - least) * nextUnit())
    }

    private static func base(_ kind: LinkFailure.Kind, _ count: Int) -> Duration {
        switch kind {
        case .connectRefused:
            // Field reports agree that an immediate retry usually works; patience after nine. It
            // is a monitor that is heard, and a try costs the radio half a second.
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
            // Only a link that ends makes a difference, and `AdapterSlots` counts those.
            doubling(.seconds(1), count, to: .seconds(30))
        case .stalled, .wrongMonitor:
            doubling(.seconds(2), count, to: .seconds(60))
        }
    }

    /// A base that jitter takes to `limit` at most.
    private static func doubling(
        _ first: Duration, _ count: Int, to limit: Duration
    ) -> Duration {
        min(limit / jitter.upperBound, first * (1 << min(max(count, 1) - 1, 10)))
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
