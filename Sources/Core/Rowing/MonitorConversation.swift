import PM5Codec
import Timeline

/// The one CSAFE conversation with the monitor of a link: one request at a time, whoever asks.
///
/// A workout procedure has the word until it is over, then come single questions, then the force
/// curves of a monitor that has to be asked for them. Nobody interrupts: who waits for an answer
/// gets it or gives up first.
///
/// Pure, for one link: values and time go in, writes and results come out.
package struct MonitorConversation: Sendable {
    /// Questions that may wait; the next one is not taken.
    package static let questionLimit = 8
    /// Times that a question is sent.
    package static let attemptLimit = 3

    /// Names a question.
    package struct QuestionID: Hashable, Sendable {
        fileprivate let number: Int
    }

    /// Why a question has no answer.
    package enum Failure: Error, Equatable, Sendable {
        /// The monitor rejected the command.
        case rejected
        case noAnswer
    }

    /// What the caller is to do.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        case curve(PolledForceCurve)
        /// The monitor accepted the command that ends the piece.
        case terminated
        case workout(Result<Workout, WorkoutProcedure.Failure>)
        case answer(QuestionID, Result<Response, Failure>)
    }

    private struct Question {
        let id: QuestionID
        let command: ProprietaryCommand
        let wrapper: Wrapper
        var attempts = 0
    }

    private enum Speaker { case workout, question, polling }

    private var procedure: WorkoutProcedure?
    private var hasBegun = false
    private var questions: [Question] = []
    private var exchange = ControlExchange()
    private var poller: ForcePlotPoller?
    private var lastFrame: BootInstant?
    private var questionCount = 0
    private var workoutActions: [WorkoutProcedure.Action] = []
    private var pollerActions: [ForcePlotPoller.Action] = []

    /// - Parameter pollsForce: whether the monitor has to be asked for its force curves.
    package init(pollsForce: Bool) { poller = pollsForce ? ForcePlotPoller() : nil }

    /// Whether values of the link are of no interest.
    package var isIdle: Bool { poller == nil && procedure == nil && questions.isEmpty }
    package var hasWorkout: Bool { procedure != nil }
    /// Whether the monitor is asked for force curves no more, because it does not answer.
    package var isPollingStopped: Bool { poller?.isStopped ?? false }

    private var speaker: Speaker {
        if exchange.isWaiting { return .question }
        if poller?.isWaiting == true { return .polling }
        if procedure != nil { return .workout }
        return questions.isEmpty ? .polling : .question
    }

    /// When the next frame may be sent, whoever sent the last one; nil for at once.
    private var slot: BootInstant? { lastFrame?.advanced(by: ControlExchange.frameGap) }

    /// When `tick` is to be called; nil while there is nothing to wait for.
    package var nextTick: BootInstant? {
        switch speaker {
        case .polling: poller?.nextTick
        case .workout: hasBegun ? procedure?.nextTick : slot ?? BootInstant(nanoseconds: 0)
        case .question: exchange.deadline ?? slot ?? BootInstant(nanoseconds: 0)
        }
    }

    // MARK: - Users

    /// Begins a workout procedure as soon as nobody waits for an answer.
    package mutating func start(_ procedure: WorkoutProcedure) {
        precondition(self.procedure == nil, "one procedure at a time")
        self.procedure = procedure
        hasBegun = false
    }

    /// Asks for one value, once; nil when too many questions wait already.
    ///
    /// `Response.value(of:)` reads the answer. The query is one with a wrapper.
    package mutating func ask(_ query: Query<some ReplyValue>) -> QuestionID? {
        guard let wrapper = query.wrapper, questions.count < Self.questionLimit else { return nil }
        questionCount += 1
        let id = QuestionID(number: questionCount)
        questions.append(Question(id: id, command: .get(query), wrapper: wrapper))
        return id
    }

    /// Gives up the procedure under way: what it wrote did not reach the monitor.
    package mutating func abandonWorkout() {
        guard procedure != nil else { return }
        procedure = nil
        exchange = ControlExchange()
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
        let speaker = speaker
        if speaker == .workout, hasBegun {
            procedure?.receive(characteristic, bytes, at: now, into: &workoutActions)
            takeWorkout(at: now, into: &actions)
        } else if speaker == .question, isAnswer {
            if let event = exchange.receive(bytes, at: now) { take(event, into: &actions) }
        }
        settleTurn()
        if !isAnswer || speaker == .polling {
            poller?.receive(characteristic, bytes, at: now, into: &pollerActions)
        }
        tick(at: now, into: &actions)
    }

    /// Lets time pass: an answer that does not come, a request that is due.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        if let event = exchange.tick(at: now) { take(event, into: &actions) }
        settleTurn()
        poller?.tick(at: now, into: &pollerActions)
        takePolled(at: now, into: &actions)
        switch speaker {
        case .workout where hasBegun || isFree(at: now):
            if !hasBegun { procedure?.begin(at: now) }
            hasBegun = true
            procedure?.tick(at: now, into: &workoutActions)
            takeWorkout(at: now, into: &actions)
        case .question where !exchange.isWaiting && isFree(at: now):
            questions[0].attempts += 1
            let (command, wrapper) = (questions[0].command, questions[0].wrapper)
            write(exchange.send([command], in: wrapper, at: now), at: now, into: &actions)
        case .workout, .question, .polling: break
        }
    }

    private func isFree(at now: BootInstant) -> Bool { slot.map { $0 <= now } ?? true }

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
            case .write(let pieces):
                write(pieces, at: now, into: &actions)
                // An answer like the last one to a question is news after this.
                exchange = ControlExchange()
            case .finish(let curve): actions.append(.curve(curve))
            }
        }
        pollerActions.removeAll(keepingCapacity: true)
    }

    private mutating func take(_ event: ControlExchange.Event, into actions: inout [Action]) {
        guard let question = questions.first else { return }
        let result: Result<Response, Failure>
        switch event {
        case .answered(let response): result = .success(response)
        case .rejected: result = .failure(.rejected)
        case .deferred, .unanswered:
            if question.attempts < Self.attemptLimit { return }
            result = .failure(.noAnswer)
        }
        questions.removeFirst()
        actions.append(.answer(question.id, result))
    }
}
