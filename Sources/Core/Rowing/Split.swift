import PM5Codec
import Timeline

/// A finished split or interval, from 0x0037 and 0x0038.
package struct Split: Equatable, Sendable {
    /// The session of the split.
    package var session: SessionID
    /// When it was published: after its rest, if it has one.
    package var at: BootInstant
    /// 1-based.
    package var number: Int
    /// Of the work; `.distance` in every single piece.
    package var type: IntervalType
    /// Of the work, truncated to 1 m.
    package var distance: Meters
    /// Of the work, truncated to 0.1 s.
    package var duration: Duration
    /// Nil if 0x0038 was lost.
    package var averagePowerWatts: Int?
    /// Nil if nothing was rowed, or if 0x0038 was lost.
    package var averagePace: Pace?
    /// Strokes per minute; nil if 0x0038 was lost.
    package var averageStrokeRate: Int?
    /// Beats per minute: our mean of the work, since the monitor reports none; nil without a belt.
    package var averageHeartRate: Int?
    /// Beats per minute at the end of the work, from the monitor; nil without a belt, or if 0x0038 was
    /// lost.
    package var workHeartRate: Int?
    /// Nil if not measured, or if 0x0038 was lost.
    package var averageDragFactor: Int?
    /// The rest after it; nil without one.
    package var rest: Duration?
    /// Rowed in that rest; nil without one.
    package var restDistance: Meters?
    /// Beats per minute at the end of the rest; nil without a belt or a rest, or if 0x0038 was lost.
    package var restHeartRate: Int?
    /// Of this split alone; nil if 0x0038 was lost.
    package var calories: Int?
    /// In a MultiErg workout the machine of this interval; nil on old firmware, or if 0x0038 was lost.
    package var machine: ErgMachineType?
    /// The targets of its strokes; nil without a target.
    package var targets: TargetBands?
    /// The target results of its strokes that were published before it; nil without a target.
    package var targetTally: TargetTally?
}
