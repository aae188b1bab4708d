import PM5Codec
import Timeline

/// Schedules all CSAFE requests to the monitor of one link, one at a time.
///
/// A workout procedure has priority until it is over. Otherwise force curves are polled from a monitor that
/// does not notify them, and other values are requested at times (`MonitorQuestion`). A pending request is
/// answered or times out before the next one is sent.
///
/// A phone behind a relay gets the channel for one request at a time (`tryLend`). It and this gateway take turns.
///
/// A pure value for one link: values and time go in, writes and results come out. A station creates one for
/// every link (`StationPipeline.newChannel`) and passes it the same values as `SessionMachine`.
/// `MonitorChannel` executes its actions.
package struct MonitorRequestScheduler: Sendable {
    /// An action for the caller.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        case curve(PolledForceCurve)
        /// The monitor accepted the command that ends the piece.
        case terminated
        case workout(Result<Workout, WorkoutProcedure.Failure>)
        case answer(MonitorQuestion.Answer)
    }

    private enum Loan {
        case none
        /// Another central waits for the channel.
        case requested
        /// Another central has the channel.
        case active
    }

    private var procedure: WorkoutProcedure?
    private var hasBegun = false
    private var poller: ForcePlotPoller?
    /// In order of arrival; the first one may be pending.
    private var questions: [MonitorQuestion] = []
    private var questionExchange = ControlExchange()
    private var lastFrame: BootInstant?
    private var loan = Loan.none
    /// A loan has ended, and no own request was sent since.
    private var isOwnTurn = false
    private var workoutActions: [WorkoutProcedure.Action] = []
    private var pollerActions: [ForcePlotPoller.Action] = []

    /// - Parameter pollsForce: whether to poll force curves.
    package init(pollsForce: Bool) { poller = pollsForce ? ForcePlotPoller() : nil }

    /// Whether the scheduler needs no values of the link.
    package var isIdle: Bool { poller == nil && procedure == nil && questions.isEmpty }
    /// Whether a request is pending, so that the next reply belongs to it.
    package var awaitsReply: Bool {
        procedure != nil && hasBegun || poller?.isWaiting == true || isQuestionPending
    }
    package var hasWorkout: Bool { procedure != nil }
    /// Whether polling of force curves has stopped, because the monitor does not answer.
    package var isPollingStopped: Bool { poller?.isStopped ?? false }

    /// Whether the procedure may send: no other request is pending.
    private var isWorkoutActive: Bool {
        procedure != nil && poller?.isWaiting != true && !isQuestionPending && (hasBegun || maySend)
    }
    /// Whether no other central has the channel, or waits for it after a request of ours.
    private var maySend: Bool {
        switch loan {
        case .none: true
        case .requested: isOwnTurn
        case .active: false
        }
    }
    private var isQuestionPending: Bool { questionExchange.isWaiting }
    /// Whether a question may be sent in the next slot.
    private var isQuestionNext: Bool {
        !questions.isEmpty && !isQuestionPending && procedure == nil && poller?.isWaiting != true
            && maySend
    }

    /// When the next frame may be sent; nil for at once.
    private var slot: BootInstant? { lastFrame?.advanced(by: ControlExchange.frameGap) }

    /// When to call `tick`; nil if no timer is needed.
    package var nextTick: BootInstant? {
        if isQuestionNext { return slot ?? BootInstant(nanoseconds: 0) }
        if isQuestionPending { return questionExchange.deadline }
        guard isWorkoutActive else { return poller?.nextTick }
        return hasBegun ? procedure?.nextTick : slot ?? BootInstant(nanoseconds: 0)
    }

    // MARK: - Users

    /// Begins a workout procedure as soon as no other request is pending.
    package mutating func start(_ procedure: WorkoutProcedure) {
        precondition(self.procedure == nil, "one procedure at a time")
        self.procedure = procedure
        hasBegun = false
    }

    /// Adds a question, unless it is already in the queue.
    package mutating func enqueue(_ question: MonitorQuestion) {
        if !questions.contains(question) { questions.append(question) }
    }

    /// Abandons the current procedure, because its writes did not reach the monitor.
    package mutating func abandonWorkout() {
        guard procedure != nil else { return }
        procedure = nil
        // Answers to the procedure may have taken samples of the current drive.
        if poller?.isStopped == false { poller = ForcePlotPoller() }
        poller?.pause()
    }

    // MARK: - Other centrals

    /// Lends the channel to another central; false while it is in use, or while it is this gateway's turn. The
    /// caller then tries again, and no further request is sent before it succeeds or calls `endLoan`.
    package mutating func tryLend(at now: BootInstant) -> Bool {
        guard loan != .active else { return true }
        loan = .requested
        guard !awaitsReply, slot.map({ $0 <= now }) ?? true else { return false }
        if isOwnTurn, isDue(at: now) { return false }
        loan = .active
        updatePollerPause()
        return true
    }

    /// The other central's request is over, or it no longer waits.
    package mutating func endLoan(at now: BootInstant) {
        if loan == .active {
            lastFrame = now
            isOwnTurn = true
        }
        loan = .none
        updatePollerPause()
    }

    /// Whether a request of ours is about to be sent.
    private func isDue(at now: BootInstant) -> Bool {
        if procedure != nil || !questions.isEmpty { return true }
        let soon = now.advanced(by: ControlExchange.frameGap)
        return poller?.nextTick.map { $0 <= soon } ?? false
    }

    // MARK: - Input

    /// Handles any value of the link.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into actions: inout [Action]
    ) {
        let isAnswer = characteristic == .csafeOut
        if isAnswer { lastFrame = now }
        let isForWorkout = isWorkoutActive
        if isForWorkout, hasBegun {
            procedure?.receive(characteristic, bytes, at: now, into: &workoutActions)
            forwardWorkoutActions(at: now, into: &actions)
        }
        let isForQuestion = isQuestionPending
        if isForQuestion, isAnswer { handleAnswer(bytes, at: now, into: &actions) }
        updatePollerPause()
        if !isAnswer || !isForWorkout && !isForQuestion {
            poller?.receive(characteristic, bytes, at: now, into: &pollerActions)
        }
        tick(at: now, into: &actions)
    }

    /// Times out an unanswered request and sends the next due one.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        updatePollerPause()
        poller?.tick(at: now, into: &pollerActions)
        forwardPollerActions(at: now, into: &actions)
        tickQuestion(at: now, into: &actions)
        guard isWorkoutActive, hasBegun || slot.map({ $0 <= now }) ?? true else { return }
        if !hasBegun { procedure?.begin(at: now) }
        hasBegun = true
        procedure?.tick(at: now, into: &workoutActions)
        forwardWorkoutActions(at: now, into: &actions)
    }

    /// Force curves are polled only while there is no procedure and no question, and the channel is free.
    private mutating func updatePollerPause() {
        if procedure == nil, questions.isEmpty, maySend {
            poller?.resume(after: lastFrame)
        } else {
            poller?.pause()
        }
    }

    private mutating func write(
        _ pieces: [[UInt8]], at now: BootInstant, into actions: inout [Action]
    ) {
        lastFrame = now
        isOwnTurn = false
        actions.append(.write(pieces))
    }

    // MARK: - Questions

    private mutating func tickQuestion(at now: BootInstant, into actions: inout [Action]) {
        if isQuestionNext, slot.map({ $0 <= now }) ?? true, let question = questions.first {
            let pieces = questionExchange.send([question.command], in: question.wrapper, at: now)
            write(pieces, at: now, into: &actions)
        } else if questionExchange.tick(at: now) != nil {
            endQuestion()
        }
    }

    private mutating func handleAnswer(
        _ bytes: UnsafeRawBufferPointer, at now: BootInstant, into actions: inout [Action]
    ) {
        guard let outcome = questionExchange.receive(bytes, at: now) else { return }
        let question = endQuestion()
        if case .answered(let response) = outcome, let answer = question.answer(in: response) {
            actions.append(.answer(answer))
        }
    }

    @discardableResult
    private mutating func endQuestion() -> MonitorQuestion {
        questionExchange = ControlExchange()
        return questions.removeFirst()
    }

    // MARK: - Actions of the procedure and the poller

    private mutating func forwardWorkoutActions(at now: BootInstant, into actions: inout [Action]) {
        for action in workoutActions {
            switch action {
            case .write(let pieces): write(pieces, at: now, into: &actions)
            case .terminated: actions.append(.terminated)
            case .finish(let result):
                abandonWorkout()
                actions.append(.workout(result))
            }
        }
        workoutActions.removeAll(keepingCapacity: true)
    }

    private mutating func forwardPollerActions(at now: BootInstant, into actions: inout [Action]) {
        for action in pollerActions {
            switch action {
            case .write(let pieces): write(pieces, at: now, into: &actions)
            case .finish(let curve): actions.append(.curve(curve))
            }
        }
        pollerActions.removeAll(keepingCapacity: true)
    }
}

/// A value that rowgate requests from a monitor or sets, apart from workouts and force curves.
///
/// `MonitorRequestScheduler` sends it when no other request is pending. It does not retry a question that
/// the monitor rejects or ignores.
package enum MonitorQuestion: Equatable, Sendable {
    case battery
    /// The monitor's clock.
    case clock
    case setClock(MonitorClock)

    /// The monitor's answer to a question.
    package enum Answer: Equatable, Sendable {
        /// Charge of the batteries.
        case battery(percent: Int)
        case clock(MonitorClock)
        /// The monitor accepted this time.
        case clockIsSet(MonitorClock)
    }

    var command: ProprietaryCommand {
        switch self {
        case .battery: .get(Query<UInt8>.batteryLevelPercent)
        case .clock: .get(Query<MonitorClock>.dateTime)
        case .setClock(let clock): .dateTime(clock)
        }
    }

    var wrapper: Wrapper {
        switch self {
        case .battery, .clock: .getConfiguration
        case .setClock: .setConfiguration
        }
    }

    /// Returns nil if the response has no valid answer.
    func answer(in response: Response) -> Answer? {
        switch self {
        case .battery:
            guard let percent = try? response.value(of: .batteryLevelPercent), percent <= 100 else {
                return nil
            }
            return .battery(percent: Int(percent))
        case .clock: return (try? response.value(of: .dateTime)).map { .clock($0) }
        case .setClock(let clock): return .clockIsSet(clock)
        }
    }
}
