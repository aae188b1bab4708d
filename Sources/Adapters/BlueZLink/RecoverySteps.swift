import Timeline

/// Recovers an adapter that does not answer, least invasive step first.
///
/// A controller that hangs ("command tx timeout" in the kernel's log, one Pi boot in ten by some
/// reports) shows in two ways: calls of bluetoothd stay unanswered, or they fail late, after the
/// kernel has given up a command (`CallVerdict`). A radio at a UART, as in a Pi, cannot be
/// re-plugged by software like a USB radio: power off and on is the only option.
struct RecoverySteps: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        /// Power off; the room then powers it on like any adapter that is off.
        case powerCycle
        /// Restart bluetooth.service, if polkit allows it.
        case restartService
    }

    /// Unanswered calls in a row before a step is taken; a single one may be a coincidence.
    static let unansweredLimit = 2
    /// Pause between steps. A hung radio takes 5 s to power off, and two attempts of 2 s to be
    /// found hung again.
    static let coolDown = Duration.seconds(30)
    /// A restart ends every link of the machine: each failed one doubles the pauses, up to this.
    static let longestPause = Duration.seconds(3600)

    private let steps: [Step]
    private var unanswered = 0
    private var stepsDone = 0
    /// Restarts since the radio last answered.
    private var restarts = 0
    /// It was powered on after the last step; whether it works is not known yet.
    private var hasPoweredOn = false
    private var notBefore = BootInstant(nanoseconds: 0)

    init(mayRestartService: Bool) {
        steps = mayRestartService ? [.powerCycle, .restartService] : [.powerCycle]
    }

    /// It does not answer: recovery has started and has not succeeded so far.
    var isStuck: Bool { unanswered >= Self.unansweredLimit || stepsDone > 0 && !hasPoweredOn }

    /// Its last call was not answered.
    var hasUnansweredCall: Bool { unanswered > 0 }

    mutating func noteTimeout() { unanswered += 1 }

    /// Records activity of the radio: it heard a monitor, ended a scan, or established a link.
    mutating func noteAnswer() {
        unanswered = 0
        stepsDone = 0
        restarts = 0
    }

    /// Records that it was powered on. That answers one command, and more may fail: the next step
    /// stays the same.
    mutating func notePowerOn() {
        unanswered = 0
        hasPoweredOn = true
    }

    /// Records that systemd refused to restart the service; the pauses do not grow.
    mutating func noteRefusal(at now: BootInstant) {
        restarts = max(0, restarts - 1)
        pause(at: now)
    }

    /// Returns the step to take now; nil if none is needed, or it is too early. After the last step
    /// the first follows again.
    ///
    /// - Parameter isWorthARestart: whether a restart, which ends all links, would help any monitor.
    mutating func next(at now: BootInstant, isWorthARestart: Bool) -> Step? {
        guard unanswered >= Self.unansweredLimit, now >= notBefore else { return nil }
        let step = steps[stepsDone % steps.count]
        guard step != .restartService || isWorthARestart else { return nil }
        stepsDone += 1
        unanswered = 0
        hasPoweredOn = false
        if step == .restartService { restarts += 1 }
        pause(at: now)
        return step
    }

    private mutating func pause(at now: BootInstant) {
        let pauses = ExponentialBackoff(Self.coolDown...Self.longestPause)
        notBefore = now.advanced(by: pauses.delay(after: restarts))
    }

    /// When the next step is due.
    var deadline: BootInstant? { unanswered >= Self.unansweredLimit ? notBefore : nil }
}
