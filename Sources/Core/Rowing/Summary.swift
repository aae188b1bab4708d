import PM5Codec
import Timeline

/// The result of a piece: the monitor's 0x0039 and 0x003A, or our own sums if it sent none.
package struct Summary: Equatable, Sendable {
    /// Starts at 1 and grows with each correction: a late summary of the monitor, or a repeated one with
    /// the recovery heart rate.
    package var revision: Int
    /// The session of the summary.
    package var session: SessionID
    /// The workout on the monitor.
    package var workout: Workout
    /// When the work of the session began.
    package var startedAt: BootInstant
    /// When it was over. If the link never came back: when the last value arrived.
    package var endedAt: BootInstant
    /// When this revision was published.
    package var at: BootInstant
    /// Time of the work, without rests.
    package var result: Duration
    /// Distance of the work, without rests.
    package var distance: Meters
    /// Nil if nothing was rowed.
    package var averagePace: Pace?
    /// Of the work; nil if no power was received.
    package var averagePowerWatts: Int?
    /// Over the published strokes; nil if none had a power. The monitor does not report it.
    package var maximumPowerWatts: Int?
    /// Strokes per minute, truncated.
    package var averageStrokeRate: Int?
    /// Beats per minute: from the monitor, or our mean of the work if it reports 0; nil without a belt.
    package var averageHeartRate: Int?
    /// As `averageHeartRate`.
    package var minimumHeartRate: Int?
    /// As `averageHeartRate`.
    package var maximumHeartRate: Int?
    /// As `averageHeartRate`, at the end.
    package var endingHeartRate: Int?
    /// One minute after the end, in a later revision; nil before and without a belt.
    package var recoveryHeartRate: Int?
    /// From the monitor, or our mean if it reports 0; nil if none was received.
    package var averageDragFactor: Int?
    /// Of the work.
    package var calories: Int?
    /// Number of strokes that the gateway published for the session.
    package var strokes: Int
    /// Number of splits or intervals that the gateway published for the session.
    package var splits: Int
    /// The published share of the piece's strokes in thousandths; nil if all were published, or if their
    /// number is unknown.
    package var receivedThousandths: Int?
    /// Whether the monitor sent no result, and `result` and `distance` may be incomplete.
    package var isPartial = false
    /// Whether the monitor reached the goal. A just row has none and is never complete.
    package var isComplete: Bool
    /// Date and time in the monitor's log, "2016-03-06T11:36"; its clock may be wrong.
    package var monitorLogDate: String?
    /// Whether the monitor's result agrees with our own sums. Nil if the monitor sent none; our sums are
    /// then published.
    package var isVerifiedAgainstMonitor: Bool?
    /// Whether the monitor verified the piece (0x003C, only with the multiplexed carrier).
    package var isVerifiedByMonitor: Bool?
    /// The sum of all reported rests; nil without one.
    package var rest: Duration?
    /// Rowed in the rests; nil in single pieces.
    package var restDistance: Meters?
    /// Nil on old firmware.
    package var machine: ErgMachineType?
    /// Over all published strokes; nil without a target.
    package var targetTally: TargetTally?
}
