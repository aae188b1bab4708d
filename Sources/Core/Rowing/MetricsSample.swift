import PM5Codec
import Timeline

/// What an erg is doing.
package enum ActivityState: String, CaseIterable, Sendable {
    case idle, ready, rowing, paused, resting, finished

    /// Whether a session is under way: the erg is left alone, live numbers are published, and
    /// values of the wire are kept.
    package var isUnderWay: Bool {
        switch self {
        case .rowing, .paused, .resting: true
        case .idle, .ready, .finished: false
        }
    }
}

/// The retained state of a station: what a late joiner needs.
package struct StationState: Equatable, Sendable {
    /// What the erg is doing.
    package var activity: ActivityState
    /// The one that is under way, or that was `finished`; nil elsewhere.
    package var session: SessionID?
    /// What the monitor is set to; nil in the menus and without a link.
    package var workout: Workout?
    /// The interval just rowed; nil unless `.resting`.
    package var interval: IntervalFigures?
}

/// An interval that is being rowed, or that was just rowed.
///
/// A monitor reports the result of an interval only after the rest behind it, because that packet
/// has the figures of the rest too. These are from its status and strokes, or from that packet
/// where it has come.
package struct IntervalFigures: Equatable, Sendable {
    /// 1-based; nil where intervals may have passed unseen and the monitor's count is not here yet.
    package var number: Int?
    /// Work of this interval so far; nil where it is over and its end was not received.
    package var elapsed: Duration?
    /// As `elapsed`. Of an interval that is over exact to 1 m.
    package var distance: Meters?
    /// Whether its work is done.
    package var isOver = false

    /// Of the whole interval; nil before its end.
    package var averagePace: Pace? {
        guard isOver, let elapsed, let distance else { return nil }
        return Pace(rowing: distance, in: elapsed)
    }
}

/// What is left of a piece or an interval, in the unit that it is set in: at most one is not nil.
package struct Remainder: Equatable, Sendable {
    package var distance: Meters?
    package var time: Duration?
    package var calories: Int?
}

/// The dashboard's numbers at one moment, never stored.
package struct MetricsSample: RowedFigures, Equatable, Sendable {
    /// When the last value came, of any characteristic.
    package var at: BootInstant
    /// What the erg is doing; motion is told while `.rowing` alone.
    package var state: ActivityState
    /// Since the start of the session's work, intervals added up.
    package var elapsed: Duration
    /// As `elapsed`: work alone, intervals added up.
    package var distance: Meters
    /// Strokes per minute; nil before the first stroke and when nobody rows.
    package var strokeRate: Int?
    /// The present pace; nil before the first stroke and when nobody rows.
    package var pace: Pace?
    /// Of the piece or interval; nil before the first stroke.
    package var averagePace: Pace?
    /// Of the last drive; nil before the first one and when nobody rows.
    package var powerWatts: Int?
    /// Beats per minute, also in pauses and rests; nil without a belt.
    package var heartRate: Int?
    /// Nil until it has been measured in this interval.
    package var dragFactor: Int?
    /// Nil when nobody rows.
    package var strokePhase: StrokeState?
    /// What remains of a planned rest; nil outside a rest.
    package var rest: Duration?
    /// Rowed in this rest; nil outside a rest.
    package var restDistance: Meters?
    /// Millimetres per second, the wire's unit.
    package var speedMillimetersPerSecond: Int?
    /// In a MultiErg workout that of the present interval; nil on old firmware.
    package var machine: ErgMachineType?
    /// How the present figures stand to what was asked for; nil without a target, and when nobody is
    /// to row.
    package var target: TargetCheck?
    /// The interval under way, or in a rest the one before it; nil in single pieces.
    package var interval: IntervalFigures?
    /// How many intervals are set; nil where that is not known, or they go on until the rower stops.
    package var intervalCount: Int?
    /// Of the piece, or of the interval under way; nil where no end is set, and when nobody is to row.
    package var remainder: Remainder?
    /// No status came for `LinkSilence.staleAfter`; what holds for a moment is nil.
    package var isStale = false
}
