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
    /// No status came for `LinkSilence.staleAfter`; what holds for a moment is nil.
    package var isStale = false
}
