import PM5Codec
import Timeline

/// The one CSAFE conversation with the monitor of a link: one request at a time, whoever asks.
///
/// A workout procedure speaks until it is over; before and after it, the force curves are asked for
/// from a monitor that does not send them by itself, and now and then something else is
/// (`MonitorQuestion`). Nobody interrupts: a request under way gets its answer, or is given up, before
/// the other begins.
///
/// Pure, for one link: values and time go in, writes and results come out. A station makes one for
/// every link that opens (`StationPipeline.newChannel`), and gives it the values that
/// `SessionMachine` gets too; `MonitorChannel` carries out what it wants.
package struct MonitorConversation: Sendable {
    /// What the caller is to do.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        case curve(PolledForceCurve)
        /// The monitor accepted the command that ends the piece.
        case terminated
        case workout(Result<Workout, WorkoutProcedure.Failure>)
        case answer(MonitorQuestion.Answer)
    }

    private var procedure: WorkoutProcedure?
    private var hasBegun = false
    private var poller: ForcePlotPoller?
    /// In the order in which they were wanted; the first one may be under way.
    private var questions: [MonitorQuestion] = []
    private var questionExchange = ControlExchange()
    private var lastFrame: BootInstant?
    private var workoutActions: [WorkoutProcedure.Action] = []
    private var pollerActions: [ForcePlotPoller.Action] = []

    /// - Parameter pollsForce: whether the monitor has to be asked for its force curves.
    package init(pollsForce: Bool) { poller = pollsForce ? ForcePlotPoller() : nil }

    /// Whether values of the link are of no interest.
    package var isIdle: Bool { poller == nil && procedure == nil && questions.isEmpty }
    package var hasWorkout: Bool { procedure != nil }
    /// Whether the monitor is asked for force curves no more, because it does not answer.
    package var isPollingStopped: Bool { poller?.isStopped ?? false }

    /// Whether the procedure speaks: there is one, and nobody else waits for an answer.
    private var isWorkoutSpeaking: Bool {
        procedure != nil && poller?.isWaiting != true && !isQuestionAsked
    }
    private var isQuestionAsked: Bool { questionExchange.isWaiting }
    /// Whether a question may be sent as soon as there is a slot.
    private var isQuestionNext: Bool {
        !questions.isEmpty && !isQuestionAsked && procedure == nil && poller?.isWaiting != true
    }

    /// When the next frame may be sent, whoever sent the last one; nil for at once.
    private var slot: BootInstant? { lastFrame?.advanced(by: ControlExchange.frameGap) }

    /// When `tick` is to be called; nil while there is nothing to wait for.
    package var nextTick: BootInstant? {
        if isQuestionNext { return slot ?? BootInstant(nanoseconds: 0) }
        if isQuestionAsked { return questionExchange.deadline }
        guard isWorkoutSpeaking else { return poller?.nextTick }
        return hasBegun ? procedure?.nextTick : slot ?? BootInstant(nanoseconds: 0)
    }

    // MARK: - Users

    /// Begins a workout procedure as soon as nobody waits for an answer.
    package mutating func start(_ procedure: WorkoutProcedure) {
        precondition(self.procedure == nil, "one procedure at a time")
        self.procedure = procedure
        hasBegun = false
    }

    /// Asks as soon as nobody else has anything to say.
    package mutating func ask(_ question: MonitorQuestion) {
        if !questions.contains(question) { questions.append(question) }
    }

    /// Gives up the procedure under way: what it wrote did not reach the monitor.
    package mutating func abandonWorkout() {
        guard procedure != nil else { return }
        procedure = nil
        // Samples of the drive under way may have gone with answers to the procedure.
        if poller?.isStopped == false { poller = ForcePlotPoller() }
        poller?.hold()
    }

    // MARK: - Input

    /// Takes any value of the link.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into actions: inout [Action]
    ) {
        let isAnswer = characteristic == .csafeOut
        if isAnswer { lastFrame = now }
        let isForWorkout = isWorkoutSpeaking
        if isForWorkout, hasBegun {
            procedure?.receive(characteristic, bytes, at: now, into: &workoutActions)
            takeWorkout(at: now, into: &actions)
        }
        let isForQuestion = isQuestionAsked
        if isForQuestion, isAnswer { takeAnswer(bytes, at: now, into: &actions) }
        settleTurn()
        if !isAnswer || !isForWorkout && !isForQuestion {
            poller?.receive(characteristic, bytes, at: now, into: &pollerActions)
        }
        tick(at: now, into: &actions)
    }

    /// Lets time pass: an answer that does not come, a request that is due.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        settleTurn()
        poller?.tick(at: now, into: &pollerActions)
        takePolled(at: now, into: &actions)
        tickQuestion(at: now, into: &actions)
        guard isWorkoutSpeaking, hasBegun || slot.map({ $0 <= now }) ?? true else { return }
        if !hasBegun { procedure?.begin(at: now) }
        hasBegun = true
        procedure?.tick(at: now, into: &workoutActions)
        takeWorkout(at: now, into: &actions)
    }

    /// Force curves are asked for only while nobody else has anything to say.
    private mutating func settleTurn() {
        if procedure == nil, questions.isEmpty {
            poller?.release(after: lastFrame)
        } else {
            poller?.hold()
        }
    }

    private mutating func write(
        _ pieces: [[UInt8]], at now: BootInstant, into actions: inout [Action]
    ) {
        lastFrame = now
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

    private mutating func takeAnswer(
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

    // MARK: - What users say

    private mutating func takeWorkout(at now: BootInstant, into actions: inout [Action]) {
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

    private mutating func takePolled(at now: BootInstant, into actions: inout [Action]) {
        for action in pollerActions {
            switch action {
            case .write(let pieces): write(pieces, at: now, into: &actions)
            case .finish(let curve): actions.append(.curve(curve))
            }
        }
        pollerActions.removeAll(keepingCapacity: true)
    }
}
