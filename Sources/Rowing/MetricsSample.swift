import PM5Codec

/// What an erg is doing.
package enum ActivityState: String, CaseIterable, Sendable {
    case idle, ready, rowing, paused, resting, finished
}

/// The retained state of a station: what a late joiner needs.
package struct StationState: Equatable, Sendable {
    package var activity: ActivityState
    /// nil outside a session.
    package var session: SessionID?
    package var workout: Workout?

    package init(activity: ActivityState, session: SessionID? = nil, workout: Workout? = nil) {
        self.activity = activity
        self.session = session
        self.workout = workout
    }
}

/// The dashboard's numbers at one moment, never stored.
package struct MetricsSample: Equatable, Sendable {
    package var at: BootInstant
    package var state: ActivityState
    /// Since the start of the session's work, intervals added up.
    package var elapsed: Duration
    package var distance: Meters
    package var strokeRate: Int?
    package var pace: Pace?
    package var averagePace: Pace?
    package var powerWatts: Int?
    package var heartRate: Int?
    package var dragFactor: Int?
    package var strokePhase: StrokeState?
    package var rest: Duration?
    package var restDistance: Meters?
    /// Millimetres per second, the wire's unit.
    package var speedMillimetersPerSecond: Int?
    package var machine: ErgMachineType?

    package init(at: BootInstant, state: ActivityState, elapsed: Duration, distance: Meters) {
        self.at = at
        self.state = state
        self.elapsed = elapsed
        self.distance = distance
    }
}
