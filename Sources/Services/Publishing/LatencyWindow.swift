/// The newest latencies, for a percentile.
package struct LatencyWindow: Sendable {
    /// Latencies remembered; older ones are forgotten.
    package static let capacity = 512

    private var values: [Duration] = []
    private var oldest = 0

    package init() {}

    /// In place of the oldest where the window is full.
    package mutating func add(_ value: Duration) {
        if values.count < Self.capacity {
            values.append(value)
        } else {
            values[oldest] = value
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// The smallest value that `percent` of the values do not exceed; nil when there are none.
    package func percentile(_ percent: Int) -> Duration? {
        guard !values.isEmpty else { return nil }
        let rank = (values.count * percent + 99) / 100
        return values.sorted()[max(rank, 1) - 1]
    }
}
