import PM5Codec
import Timeline

/// The activity of an erg.
package enum ActivityState: String, CaseIterable, Sendable {
    case idle, ready, rowing, paused, resting, finished

    /// Whether a session is open: rowgate leaves the erg alone, publishes live values, and stores raw
    /// values.
    package var hasOpenSession: Bool {
        switch self {
        case .rowing, .paused, .resting: true
        case .idle, .ready, .finished: false
        }
    }
}

/// The retained state of a station, for late subscribers.
package struct StationState: Equatable, Sendable {
    /// The activity of the erg.
    package var activity: ActivityState
    /// The open or `finished` session; nil otherwise.
    package var session: SessionID?
    /// The workout on the monitor; nil in the menus and without a link.
    package var workout: Workout?
    /// The interval before the rest; nil unless `.resting`.
    package var interval: IntervalProgress?
}

/// The current interval, or the last one during a rest.
///
/// A monitor reports an interval only after its rest, because that packet includes the rest. Until it
/// arrives, these values come from statuses and strokes.
package struct IntervalProgress: Equatable, Sendable {
    /// 1-based; nil if intervals may have been missed and the monitor's count has not arrived yet.
    package var number: Int?
    /// Work of this interval so far; nil if it is over and its end was not received.
    package var elapsed: Duration?
    /// As `elapsed`. Exact to 1 m once the interval is over.
    package var distance: Meters?
    /// Whether the work of the interval is done.
    package var isOver = false

    /// Of the whole interval; nil before its end.
    package var averagePace: Pace? {
        guard isOver, let elapsed, let distance else { return nil }
        return Pace(rowing: distance, in: elapsed)
    }
}

/// The rest of a piece or interval, in the unit of its goal. At most one value is not nil.
package struct Remainder: Equatable, Sendable {
    package var distance: Meters?
    package var time: Duration?
    package var calories: Int?
}

/// The live values of the dashboard. They are never stored.
package struct MetricsSample: PerformanceValues, Equatable, Sendable {
    /// When the last value of any characteristic arrived.
    package var at: BootInstant
    /// The activity of the erg. Values of motion are set only while `.rowing`.
    package var state: ActivityState
    /// Work time since the start of the session, over all intervals.
    package var elapsed: Duration
    /// As `elapsed`.
    package var distance: Meters
    /// Strokes per minute; nil before the first stroke and while not rowing.
    package var strokeRate: Int?
    /// The current pace; nil before the first stroke and while not rowing.
    package var pace: Pace?
    /// Of the piece or interval; nil before the first stroke.
    package var averagePace: Pace?
    /// Of the last drive; nil before the first one and while not rowing.
    package var powerWatts: Int?
    /// Beats per minute, also in pauses and rests; nil without a belt.
    package var heartRate: Int?
    /// Nil until measured in this interval.
    package var dragFactor: Int?
    /// Nil while not rowing.
    package var strokePhase: StrokeState?
    /// Remaining time of a planned rest; nil outside a rest.
    package var rest: Duration?
    /// Distance rowed in this rest; nil outside a rest.
    package var restDistance: Meters?
    /// Millimetres per second, the unit of the protocol.
    package var speedMillimetersPerSecond: Int?
    /// In a MultiErg workout the machine of the current interval; nil on old firmware.
    package var machine: ErgMachineType?
    /// The comparison of the current values with the target; nil without a target, and outside of work.
    package var target: TargetCheck?
    /// The current interval, or in a rest the one before it; nil in single pieces.
    package var interval: IntervalProgress?
    /// The number of intervals; nil if unknown or unlimited.
    package var intervalCount: Int?
    /// Of the piece or the current interval; nil without a set end, and outside of work.
    package var remainder: Remainder?
    /// No status arrived for `LinkTimeouts.staleAfter`. Momentary values are nil.
    package var isStale = false
}
