/// The newest latencies, for a percentile.
package struct LatencyWindow: Sendable {
    /// Number of latencies stored; older ones are dropped.
    package static let capacity = 512

    private var values: [Duration] = []
    private var oldest = 0

    package init() {}

    /// Replaces the oldest if the window is full.
    package mutating func add(_ value: Duration) {
        if values.count < Self.capacity {
            values.append(value)
        } else {
            values[oldest] = value
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// Returns the smallest value that `percent` of the values do not exceed; nil if there are
    /// none.
    package func percentile(_ percent: Int) -> Duration? {
        guard !values.isEmpty else { return nil }
        let rank = (values.count * percent + 99) / 100
        return values.sorted()[max(rank, 1) - 1]
    }
}
