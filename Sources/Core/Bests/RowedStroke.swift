import Bytes

/// A stroke as the monitor measured it, with the time that it took.
package struct RowedStroke: Equatable, Sendable {
    /// Hundredths of a second of work since the stroke before it; nil where a gap, a rest or a stop of
    /// the clock lies between them.
    package var centiseconds: Int64?
    /// Of a session of intervals, from 1; nil in a single piece, whatever its splits are.
    package var interval: Int?
    /// Mean power of the stroke, as the monitor tells it.
    package var watts: Int?
    /// Strokes a minute.
    package var rate: Int?
    /// Beats a minute.
    package var heartRate: Int?
    /// Hundredths of a second.
    package var driveCentiseconds: Int64?
    /// When it ended, in Unix milliseconds; nil where nobody needs to know.
    package var at: Int64?

    package init(
        centiseconds: Int64? = nil, interval: Int? = nil, watts: Int? = nil, rate: Int? = nil,
        heartRate: Int? = nil, driveCentiseconds: Int64? = nil
    ) {
        (self.centiseconds, self.interval, self.watts) = (centiseconds, interval, watts)
        (self.rate, self.heartRate) = (rate, heartRate)
        self.driveCentiseconds = driveCentiseconds
    }

    /// Of a record's members; what is no figure of somebody who rows is not known.
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
