import Timeline

/// A completed stroke, from 0x0035 (both packets) and 0x0036.
package struct Stroke: PerformanceValues, Equatable, Sendable {
    /// The session of the stroke.
    package var session: SessionID
    /// When it was complete, or the wait for its packets ended: up to 6 s after the drive.
    package var at: BootInstant
    /// 1, 2, 3, ... over the whole session; the monitor's own count restarts at each interval.
    package var number: Int
    /// Work time of the session when the stroke was completed, over all intervals.
    package var elapsed: Duration
    /// As `elapsed`.
    package var distance: Meters
    /// Strokes per minute in the last status; nil before the first.
    package var strokeRate: Int?
    /// Of its drive; nil if 0x0036 was lost.
    package var powerWatts: Int?
    /// In the last status; nil before the first counted stroke.
    package var pace: Pace?
    /// Beats per minute in the last status; nil without a belt.
    package var heartRate: Int?
    /// The path of the handle, at most 2.55 m; nil if 0x0035 was lost.
    package var driveLength: Meters?
    /// At most 2.55 s; nil if 0x0035 was lost.
    package var driveTime: Duration?
    /// Of the recovery after this drive; nil if the second 0x0035 of the stroke was lost.
    package var recoveryTime: Duration?
    /// The boat's distance in the stroke; nil if 0x0035 was lost.
    package var strokeDistance: Meters?
    /// The greatest force of the drive; nil if 0x0035 was lost.
    package var peakForce: Newtons?
    /// The mean force of the drive; nil if 0x0035 was lost.
    package var averageForce: Newtons?
    /// Nil for a first stroke, or if its packet was lost.
    package var work: Joules?
    /// Total calories of the session so far.
    package var calories: Int?
    /// The 1-based split or interval of the stroke.
    package var interval: Int?
    /// Of the whole piece, if its goal is not a time.
    package var projectedTime: Duration?
    /// Of the whole piece, if its goal is not a distance.
    package var projectedDistance: Meters?
    /// The comparison with the target; nil without a target.
    package var target: TargetCheck?
}

extension Stroke {
    /// Creates a stroke with number, time and distance only.
    package init(
        session: SessionID, at: BootInstant, number: Int, elapsed: Duration, distance: Meters
    ) {
        self.init(
            session: session, at: at, number: number, elapsed: elapsed, distance: distance,
            target: nil)
    }
}
