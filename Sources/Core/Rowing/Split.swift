import PM5Codec
import Timeline

/// A finished split or interval: 0x0037 and 0x0038 put together.
package struct Split: Equatable, Sendable {
    /// The session that it belongs to.
    package var session: SessionID
    /// When it was told: after the rest where there is one.
    package var at: BootInstant
    /// 1-based.
    package var number: Int
    /// That of the work; `.distance` in every single piece.
    package var type: IntervalType
    /// Of the work, truncated to 1 m.
    package var distance: Meters
    /// Of the work, truncated to 0.1 s.
    package var duration: Duration
    /// Nil when 0x0038 was lost.
    package var averagePowerWatts: Int?
    /// Nil where nobody rowed, and when 0x0038 was lost.
    package var averagePace: Pace?
    /// Strokes per minute; nil when 0x0038 was lost.
    package var averageStrokeRate: Int?
    /// Beats per minute: our mean of the work, for the monitor tells none; nil without a belt.
    package var averageHeartRate: Int?
    /// Beats per minute at the end of the work, by the monitor; nil without a belt, and when 0x0038
    /// was lost.
    package var workHeartRate: Int?
    /// Nil where not measured, and when 0x0038 was lost.
    package var averageDragFactor: Int?
    /// The rest behind it; nil without one.
    package var rest: Duration?
    /// Rowed in that rest; nil without one.
    package var restDistance: Meters?
    /// Beats per minute at the end of the rest; nil without a belt or a rest, and when 0x0038 was
    /// lost.
    package var restHeartRate: Int?
    /// Of this split alone; nil when 0x0038 was lost.
    package var calories: Int?
    /// In a MultiErg workout the machine of this interval; nil on old firmware, and when 0x0038 was
    /// lost.
    package var machine: ErgMachineType?
    /// What its strokes were held against; nil without a target.
    package var targets: TargetBands?
    /// Of its strokes, as far as they were told before it; nil without a target.
    package var targetTally: TargetTally?
}
