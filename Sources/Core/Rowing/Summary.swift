import PM5Codec
import Timeline

/// The end of a piece: the monitor's 0x0039 and 0x003A, or our own sums where it sent none.
package struct Summary: Equatable, Sendable {
    /// 1, then one more for each correction: the monitor's late summary, or its repeated one with
    /// the recovery heart rate.
    package var revision: Int
    /// The session that it belongs to.
    package var session: SessionID
    /// What the monitor was set to.
    package var workout: Workout
    /// When the work of the session began.
    package var startedAt: BootInstant
    /// When it was over; where the link never came back, when the monitor was last heard.
    package var endedAt: BootInstant
    /// When this revision was told.
    package var at: BootInstant
    /// Work only, rest left out.
    package var result: Duration
    /// Work only, rest left out.
    package var distance: Meters
    /// Nil where nothing was rowed.
    package var averagePace: Pace?
    /// Of the work; nil when no power was heard.
    package var averagePowerWatts: Int?
    /// Of the strokes told; nil when none had a power. The monitor tells none.
    package var maximumPowerWatts: Int?
    /// Strokes per minute, truncated.
    package var averageStrokeRate: Int?
    /// Beats per minute: the monitor's, or our mean of the work where it tells 0; nil without a
    /// belt.
    package var averageHeartRate: Int?
    /// As `averageHeartRate`.
    package var minimumHeartRate: Int?
    /// As `averageHeartRate`.
    package var maximumHeartRate: Int?
    /// As `averageHeartRate`, at the end.
    package var endingHeartRate: Int?
    /// A minute after the end, in a later revision; nil before and without a belt.
    package var recoveryHeartRate: Int?
    /// The monitor's, or our mean where it tells 0; nil when none was heard.
    package var averageDragFactor: Int?
    /// Of the work.
    package var calories: Int?
    /// How many strokes the gateway published for the session.
    package var strokes: Int
    /// How many splits or intervals the gateway published for the session.
    package var splits: Int
    /// The share of the piece's strokes that the gateway published, in thousandths; nil where it
    /// published all of them, and where nobody knows how many there were.
    package var receivedThousandths: Int?
    /// Whether the monitor sent no result and `result` and `distance` are not certain to be all that
    /// was rowed.
    package var isPartial = false
    /// Whether the monitor reached the end that was set (a just row has none and is never complete).
    package var isComplete: Bool
    /// The monitor's own log date and time, "2016-03-06T11:36"; its clock may be wrong.
    package var monitorLogDate: String?
    /// Whether the monitor's result, which is published, agrees with our own sums; nil when the
    /// monitor sent none and our sums are published.
    package var isVerifiedAgainstMonitor: Bool?
    /// Whether the monitor vouches for the piece (0x003C, only with the multiplexed carrier).
    package var isVerifiedByMonitor: Bool?
    /// All rests told, added up; nil without one.
    package var rest: Duration?
    /// Rowed in the rests; nil in single pieces.
    package var restDistance: Meters?
    /// Nil on old firmware.
    package var machine: ErgMachineType?
    /// Of all strokes told; nil without a target.
    package var targetTally: TargetTally?
}
