import Bytes

/// A stroke as the monitor measured it, with its duration.
package struct MeasuredStroke: Equatable, Sendable {
    /// Hundredths of a second of work since the previous stroke; nil if a gap, a rest or a clock stop lies
    /// between.
    package var centiseconds: Int64?
    /// Interval number from 1; nil in a single piece, regardless of its splits.
    package var interval: Int?
    /// Mean power of the stroke in watts, as reported by the monitor.
    package var watts: Int?
    /// Strokes per minute.
    package var rate: Int?
    /// Beats per minute.
    package var heartRate: Int?
    /// Drive time in hundredths of a second.
    package var driveCentiseconds: Int64?
    /// End of the stroke in Unix milliseconds; nil if it is not needed.
    package var at: Int64?

    package init(
        centiseconds: Int64? = nil, interval: Int? = nil, watts: Int? = nil, rate: Int? = nil,
        heartRate: Int? = nil, driveCentiseconds: Int64? = nil
    ) {
        (self.centiseconds, self.interval, self.watts) = (centiseconds, interval, watts)
        (self.rate, self.heartRate) = (rate, heartRate)
        self.driveCentiseconds = driveCentiseconds
    }

    /// Reads a record's members; values out of range become nil.
    init(_ fields: JSONObject) {
        func whole(_ name: String, _ limits: ClosedRange<UInt64>) -> Int? {
            fields.number(name).flatMap { limits.contains($0) ? Int($0) : nil }
        }
        watts = whole("power_w", 0...5000)
        rate = whole("stroke_rate_spm", 1...255)
        heartRate = whole("heart_rate_bpm", 1...255)
        interval = whole("interval", 1...1000)
        if let drive = fields.decimal("drive_time_s"), 0 < drive, drive < 10 {
            driveCentiseconds = Int64((drive * 100).rounded())
        }
    }
}
