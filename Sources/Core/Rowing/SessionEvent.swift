import PM5Codec
import Timeline

/// Something that happened at an erg. A station hands them on in the order in which they happened.
package enum SessionEvent: Equatable, Sendable {
    case session(SessionEdge)
    case stroke(Stroke)
    case force(ForceCurve)
    case split(Split)
    case summary(Summary)
    case gap(Gap)
    /// The retained state changed.
    case state(StationState)
}

/// The name of one session: 26 characters, a ULID, unique over all gateways.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// As it was given; 26 characters where a gateway made it.
    package let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { text }
}

/// A session began, halted, went on or ended.
package struct SessionEdge: Equatable, Sendable {
    /// Each session has one `started` and one `ended`; the others alternate between them.
    package enum Kind: String, Sendable { case started, paused, resumed, ended }

    /// What happened.
    package var kind: Kind
    /// The session that it happened to.
    package var session: SessionID
    /// When the session began.
    package var startedAt: BootInstant
    /// What the monitor was set to when it began.
    package var workout: Workout
    /// When it was noticed: an end up to some seconds late.
    package var at: BootInstant
    /// Nil on old firmware.
    package var machine: ErgMachineType?
    /// At the end: how many strokes the monitor counted, as far as it was heard; nil for none.
    package var monitorStrokes: Int?

    package init(
        kind: Kind, session: SessionID, startedAt: BootInstant, workout: Workout, at: BootInstant
    ) {
        self.kind = kind
        self.session = session
        self.startedAt = startedAt
        self.workout = workout
        self.at = at
    }
}

/// What the monitor was set to: its workout type, and the target of a single piece or interval.
package struct Workout: Hashable, Sendable {
    /// The length of the piece, or of an interval where intervals are equal; of the first where
    /// not.
    package enum Target: Hashable, Sendable {
        case none
        case distance(Meters)
        case time(Duration)
        case calories(Int)
        case wattMinutes(Int)
    }

    /// As the monitor tells it.
    package var type: WorkoutType
    /// `.none` for a just row.
    package var target: Target

    package init(type: WorkoutType, target: Target) {
        self.type = type
        self.target = target
    }
}

/// One completed stroke: 0x0035 (both packets) and 0x0036 put together.
package struct Stroke: Equatable, Sendable {
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

    package init(
        session: SessionID, at: BootInstant, number: Int, elapsed: Duration, distance: Meters
    ) {
        self.session = session
        self.at = at
        self.number = number
        self.elapsed = elapsed
        self.distance = distance
    }
}

/// The force over the drive of one stroke: 0x003D.
package struct ForceCurve: Equatable, Sendable {
    /// The session that it belongs to.
    package var session: SessionID
    /// When its last piece came, or the last poll for it was answered.
    package var at: BootInstant
    /// The stroke's number, as in `Stroke`.
    package var stroke: Int
    /// False when a piece of the curve was lost on the radio.
    package var isComplete: Bool
    /// Pounds-force, the monitor's unit, about one sample every 16 ms of the drive.
    package var poundsForce: [UInt16]
}

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
}

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
}

/// What the monitor did and the gateway did not receive.
package struct Gap: Equatable, Sendable {
    /// What kept us from hearing.
    package enum Reason: String, Sendable {
        /// The link was down.
        case linkLost = "link_lost"
        /// The gateway itself was down.
        case gatewayRestart = "gateway_restart"
        /// The link was up and notifications were missing all the same.
        case notificationsLost = "notifications_lost"
    }

    /// The session that it belongs to.
    package var session: SessionID
    /// When it was known: with the next stroke, or at the end.
    package var at: BootInstant
    /// The first of several, where they ran together.
    package var reason: Reason
    /// Missing strokes, first and last; nil when time was lost but no stroke.
    package var strokes: ClosedRange<Int>?
    /// Whether strokes may be missing that have no number: the monitor counts anew with each interval
    /// and tells no count at an end, so nobody knows how many followed the last one that was heard.
    package var isUncounted = false
    /// Missing splits or intervals, first and last: their strokes are here or in a gap of their own.
    package var splits: ClosedRange<Int>?
    /// From the last value heard to the next; zero for splits.
    package var duration: Duration
    /// Whether totals (time, distance) are right again after the gap.
    package var isRecovered: Bool
}
