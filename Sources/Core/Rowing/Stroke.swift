import Timeline

/// One completed stroke: 0x0035 (both packets) and 0x0036 put together.
package struct Stroke: RowedFigures, Equatable, Sendable {
    /// The session that it belongs to.
    package var session: SessionID
    /// When it was complete, or given up waiting for: up to 6 s after the drive.
    package var at: BootInstant
    /// 1, 2, 3, ... over the whole session; the monitor's own count restarts at each interval.
    package var number: Int
    /// When the stroke was completed, since the start of the session's work, intervals added up.
    package var elapsed: Duration
    /// As `elapsed`: work alone, intervals added up.
    package var distance: Meters
    /// Strokes per minute, as the last status had it; nil before the first.
    package var strokeRate: Int?
    /// Of its drive; nil when 0x0036 was lost.
    package var powerWatts: Int?
    /// As the last status had it; nil before the first stroke counts.
    package var pace: Pace?
    /// Beats per minute, as the last status had it; nil without a belt.
    package var heartRate: Int?
    /// The way of the handle, at most 2.55 m; nil when 0x0035 was lost.
    package var driveLength: Meters?
    /// At most 2.55 s; nil when 0x0035 was lost.
    package var driveTime: Duration?
    /// Of the recovery behind this drive; nil when the second 0x0035 of the stroke was lost.
    package var recoveryTime: Duration?
    /// How far the boat went in the stroke; nil when 0x0035 was lost.
    package var strokeDistance: Meters?
    /// The greatest force of the drive; nil when 0x0035 was lost.
    package var peakForce: Newtons?
    /// The mean force of the drive; nil when 0x0035 was lost.
    package var averageForce: Newtons?
    /// Nil on a first stroke, and when its packet was lost.
    package var work: Joules?
    /// Total calories of the session so far.
    package var calories: Int?
    /// 1-based split or interval that the stroke belongs to.
    package var interval: Int?
    /// Of the whole piece, where its length is not a time.
    package var projectedTime: Duration?
    /// Of the whole piece, where its length is not a distance.
    package var projectedDistance: Meters?
    /// How it stands to what was asked for; nil without a target.
    package var target: TargetCheck?
}

extension Stroke {
    /// Creates a stroke of which only number, time and distance are known.
    package init(
        session: SessionID, at: BootInstant, number: Int, elapsed: Duration, distance: Meters
    ) {
        self.init(
            session: session, at: at, number: number, elapsed: elapsed, distance: distance,
            target: nil)
    }
}
