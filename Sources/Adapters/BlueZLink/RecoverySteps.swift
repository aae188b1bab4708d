import Timeline

/// Mending an adapter that does not answer, by the mildest means first.
///
/// A controller that hangs ("command tx timeout" in the kernel's log, one Pi boot in ten by some
/// reports) shows in two ways: bluetoothd's calls stay unanswered, or they fail late, when the
/// kernel has given up on a command (`CallVerdict`). A radio at a UART, as a Pi has, cannot be
/// plugged out and in by software as one at USB could: off and on is all there is.
struct RecoverySteps: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        /// Powered off; the room switches it on again as it does with any adapter that is off.
        case powerCycle
        /// bluetooth.service anew, where polkit lets us.
        case restartService
    }

    /// Calls in a row that the radio did not answer before something is done; one may be bad luck.
    static let unansweredLimit = 2
    /// Between steps. A hung radio takes 5 s to be switched off and two tries of 2 s to be found
    /// hung still.
    static let coolDown = Duration.seconds(30)
    /// A restart costs every link of the machine: each one in vain doubles the pauses, up to this.
    static let longestPause = Duration.seconds(3600)

    private let steps: [Step]
    private var unanswered = 0
    private var taken = 0
    /// Restarts since the radio last answered.
    private var restarts = 0
    /// It was switched on since the last step; whether it works is not known yet.
    private var hasRisen = false
    private var notBefore = BootInstant(nanoseconds: 0)

    init(mayRestartService: Bool) {
        steps = mayRestartService ? [.powerCycle, .restartService] : [.powerCycle]
    }

    /// It answers nothing: mending has begun, and has not brought it up so far.
    var isStuck: Bool { unanswered >= Self.unansweredLimit || taken > 0 && !hasRisen }

    /// Its last call was not answered.
    var isInDoubt: Bool { unanswered > 0 }

    mutating func noteSilence() { unanswered += 1 }

    /// The radio itself did something: heard somebody, ended a scan, or made a link.
    mutating func noteAnswer() {
        unanswered = 0
        taken = 0
        restarts = 0
    }

    /// It was switched on. That is an answer to a first command, and more may fail: the next step
    /// stays the next.
    mutating func noteRise() {
        unanswered = 0
        hasRisen = true
    }

    /// systemd would not restart the service: nothing happened that pauses should grow for.
    mutating func noteRefusal(at now: BootInstant) {
        restarts = max(0, restarts - 1)
        pause(at: now)
    }

    /// The step to take now; nil while there is no need, or it is too soon. Behind the last comes
    /// the first again.
    ///
    /// - Parameter isWorthARestart: whether anybody would gain by what costs everybody their links.
    mutating func next(at now: BootInstant, isWorthARestart: Bool) -> Step? {
        guard unanswered >= Self.unansweredLimit, now >= notBefore else { return nil }
        let step = steps[taken % steps.count]
        guard step != .restartService || isWorthARestart else { return nil }
        taken += 1
        unanswered = 0
        hasRisen = false
        if step == .restartService { restarts += 1 }
        pause(at: now)
        return step
    }

    private mutating func pause(at now: BootInstant) {
        let pause = Self.coolDown * (1 << min(restarts, 7))
        notBefore = now.advanced(by: min(pause, Self.longestPause))
    }

    /// When the next step is due.
    var deadline: BootInstant? { unanswered >= Self.unansweredLimit ? notBefore : nil }
}
