import Rowing
import Timeline

/// Values per second over the last few seconds, from a running count.
struct ValueMeter {
    private static let span = Duration.seconds(5)
    private var start: (count: UInt64, at: BootInstant)?
    private(set) var rate = Rate.zero

    mutating func note(_ count: UInt64, at now: BootInstant) {
        guard let start else {
            self.start = (count, now)
            return
        }
        let elapsed = start.at.duration(to: now)
        guard elapsed >= Self.span else { return }
        rate = Rate(of: Int64(count &- start.count), in: elapsed)
        self.start = (count, now)
    }
}
