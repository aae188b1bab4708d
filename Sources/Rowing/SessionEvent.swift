import PM5Codec

/// What a station has to say of its erg, in the order in which it happened.
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
    package let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { text }
}

/// A session began, halted, went on or ended.
package struct SessionEdge: Equatable, Sendable {
    package enum Kind: String, Sendable { case started, paused, resumed, ended }

    package var kind: Kind
    package var session: SessionID
    /// When the session began.
    package var started: BootInstant
    package var workout: Workout
    package var at: BootInstant
    package var machine: ErgMachineType?
    /// At the end: how many strokes the monitor counted, as far as it was heard; nil for none.
    package var monitorStrokes: Int?

    package init(
        kind: Kind, session: SessionID, started: BootInstant, workout: Workout, at: BootInstant
    ) {
        self.kind = kind
        self.session = session
        self.started = started
        self.workout = workout
        self.at = at
    }
}

/// What the monitor was set to: its workout type, and the target of a single piece or interval.
package struct Workout: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case none
        case distance(Meters)
        case time(Duration)
        case calories(Int)
        case wattMinutes(Int)
    }

    package var type: WorkoutType
    package var target: Target

    package init(type: WorkoutType, target: Target) {
        self.type = type
        self.target = target
    }
}

/// One completed stroke: 0x0035 (both packets) and 0x0036 put together.
package struct Stroke: Equatable, Sendable {
    package var session: SessionID
    package var at: BootInstant
    /// 1, 2, 3, ... over the whole session; the monitor's own count restarts at each interval.
    package var number: Int
    /// When the stroke was completed, since the start of the session's work, intervals added up.
    package var elapsed: Duration
    package var distance: Meters
    package var strokeRate: Int?
    package var powerWatts: Int?
    package var pace: Pace?
    package var heartRate: Int?
    package var driveLength: Meters?
    package var driveTime: Duration?
    package var recoveryTime: Duration?
    package var strokeDistance: Meters?
    package var peakForce: Newtons?
    package var averageForce: Newtons?
    package var work: Joules?
    /// Total calories of the session so far.
    package var calories: Int?
    /// 1-based split or interval that the stroke belongs to.
    package var interval: Int?
    package var projectedTime: Duration?
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
    package var session: SessionID
    package var at: BootInstant
    /// The stroke's number, as in `Stroke`.
    package var stroke: Int
    /// False when a piece of the curve was lost on the radio.
    package var isComplete: Bool
    /// Pounds-force, the monitor's unit, about one sample every 16 ms of the drive.
    package var poundsForce: [UInt16]

    package init(
        session: SessionID, at: BootInstant, stroke: Int, isComplete: Bool, poundsForce: [UInt16]
    ) {
        self.session = session
        self.at = at
        self.stroke = stroke
        self.isComplete = isComplete
        self.poundsForce = poundsForce
    }
}

/// A finished split or interval: 0x0037 and 0x0038 put together.
package struct Split: Equatable, Sendable {
    package var session: SessionID
    package var at: BootInstant
    /// 1-based.
    package var number: Int
    package var type: IntervalType
    package var distance: Meters
    package var duration: Duration
    package var averagePowerWatts: Int?
    package var averagePace: Pace?
    package var averageStrokeRate: Int?
    package var averageHeartRate: Int?
    package var workHeartRate: Int?
    package var averageDragFactor: Int?
    package var rest: Duration?
    package var restDistance: Meters?
    package var restHeartRate: Int?
    package var calories: Int?
    /// In a MultiErg workout the machine of this interval.
    package var machine: ErgMachineType?

    package init(
        session: SessionID, at: BootInstant, number: Int, type: IntervalType, distance: Meters,
        duration: Duration
    ) {
        self.session = session
        self.at = at
        self.number = number
        self.type = type
        self.distance = distance
        self.duration = duration
    }
}

/// The end of a piece: the monitor's 0x0039 and 0x003A, or our own sums where it sent none.
package struct Summary: Equatable, Sendable {
    /// 1, then one more for each correction: the monitor's late summary, or its repeated one with
    /// the recovery heart rate.
    package var revision: Int
    package var session: SessionID
    package var workout: Workout
    package var started: BootInstant
    package var ended: BootInstant
    package var at: BootInstant
    /// Work only, rest left out.
    package var result: Duration
    /// Work only, rest left out.
    package var distance: Meters
    package var averagePace: Pace?
    package var averagePowerWatts: Int?
    package var maximumPowerWatts: Int?
    package var averageStrokeRate: Int?
    package var averageHeartRate: Int?
    package var minimumHeartRate: Int?
    package var maximumHeartRate: Int?
    package var endingHeartRate: Int?
    package var recoveryHeartRate: Int?
    package var averageDragFactor: Int?
    package var calories: Int?
    /// How many strokes the gateway published for the session.
    package var strokes: Int
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
    package var rest: Duration?
    package var restDistance: Meters?
    package var machine: ErgMachineType?

    package init(
        revision: Int, session: SessionID, workout: Workout, started: BootInstant,
        ended: BootInstant, at: BootInstant, result: Duration, distance: Meters, strokes: Int,
        splits: Int, isComplete: Bool
    ) {
        self.revision = revision
        self.session = session
        self.workout = workout
        self.started = started
        self.ended = ended
        self.at = at
        self.result = result
        self.distance = distance
        self.strokes = strokes
        self.splits = splits
        self.isComplete = isComplete
    }
}

/// What the monitor did and the gateway did not receive.
package struct Gap: Equatable, Sendable {
    package enum Reason: String, Sendable {
        /// The link was down.
        case linkLost = "link_lost"
        /// The gateway itself was down.
        case gatewayRestart = "gateway_restart"
        /// The link was up and notifications were missing all the same.
        case notificationsLost = "notifications_lost"
    }

    package var session: SessionID
    package var at: BootInstant
    package var reason: Reason
    /// Missing strokes, first and last; nil when time was lost but no stroke.
    package var strokes: ClosedRange<Int>?
    /// Missing splits or intervals, first and last: their strokes are here or in a gap of their own.
    package var splits: ClosedRange<Int>?
    package var duration: Duration
    /// Whether totals (time, distance) are right again after the gap.
    package var isRecovered: Bool

    package init(
        session: SessionID, at: BootInstant, reason: Reason, strokes: ClosedRange<Int>?,
        duration: Duration, isRecovered: Bool
    ) {
        self.session = session
        self.at = at
        self.reason = reason
        self.strokes = strokes
        self.duration = duration
        self.isRecovered = isRecovered
    }
}
