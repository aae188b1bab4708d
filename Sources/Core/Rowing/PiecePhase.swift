import PM5Codec
import Timeline

/// The meaning of the workout state in 0x0031 for a session.
enum PiecePhase: Equatable, CaseIterable {
    /// Armed, being armed again, or in a menu.
    case waiting
    case working
    case resting
    /// Finished, stopped early, or logged.
    case over
    /// A transition, or a state of newer firmware: keeps the previous phase.
    case unchanged
}

extension WorkoutState {
    var phase: PiecePhase {
        switch self {
        case .waitToBegin, .rearm: .waiting
        case .workoutRow, .intervalWorkTime, .intervalWorkDistance: .working
        case .intervalRest, .intervalWorkTimeToRest, .intervalWorkDistanceToRest: .resting
        case .workoutEnd, .terminate, .workoutLogged: .over
        case .countdownPause, .intervalRestEndToWorkTime, .intervalRestEndToWorkDistance,
            .unrecognized:
            .unchanged
        }
    }
}

extension GeneralStatus {
    var phase: PiecePhase { workoutType == .menu ? .waiting : workoutState.phase }
}

/// Detects pauses of the rower in an open session. A pause needs no stroke for `strokeLimit`, or no stroke
/// for `inactivityLimit` and a monitor that reports the rower inactive.
struct PauseDetector {
    /// Without a stroke for this long the rower pauses. A monitor reports inactivity after about the same
    /// time. If this limit grows, `inactivityLimit` must grow too.
    static let strokeLimit = Duration.seconds(6)
    /// A sign of a stroke this recent outweighs the monitor's report of inactivity.
    static let inactivityLimit = Duration.seconds(2)

    private(set) var isPaused = false
    private var lastStrokeSign: BootInstant

    init(isPaused: Bool = false, lastStrokeSign: BootInstant = BootInstant(nanoseconds: 0)) {
        self.isPaused = isPaused
        self.lastStrokeSign = lastStrokeSign
    }

    /// Restarts the time at `now`: a drive was seen, an interval began, or the link is back.
    mutating func restart(at now: BootInstant) { lastStrokeSign = now }

    /// Notes a stroke packet, which may be late.
    mutating func noteStroke(at now: BootInstant) { lastStrokeSign = max(lastStrokeSign, now) }

    mutating func end() { isPaused = false }

    /// Returns the transition of the session; nil without a change.
    ///
    /// - Parameter received: when the status arrived. A busy monitor may send none for minutes, so the
    ///   rower may be in a rest by now.
    mutating func update(
        _ status: GeneralStatus, _ phase: PiecePhase, receivedAt received: BootInstant
    ) -> SessionTransition.Kind? {
        let silence = lastStrokeSign.duration(to: received)
        let isInactive = status.rowingState == .inactive && silence >= Self.inactivityLimit
        let pauses = phase == .working && (isInactive || silence >= Self.strokeLimit)
        guard pauses != isPaused else { return nil }
        isPaused = pauses
        return pauses ? .paused : .resumed
    }
}
