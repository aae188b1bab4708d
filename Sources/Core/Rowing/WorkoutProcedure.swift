import Bytes
import PM5Codec
import Timeline

/// Ends the piece on a monitor, or puts a workout on it, and reads back what it shows.
///
/// Pure, for one order on one link: values and time go in, writes and one result come out. The
/// rules were learned on hardware: a monitor that is programmed over a running piece acknowledges
/// and arms an empty one, so a piece is terminated first and state 0 waited for; screen commands
/// are queued, so 0x86 is asked until they are done; an acknowledgement alone means nothing, so
/// 0x0031 has to show the workout, which it does a packet or two late.
///
/// Source: Concept2 CSAFE definition rev 0.25, workout configuration; pm5 captures of 2026.
package struct WorkoutProcedure: Sendable {
    /// What to do with the monitor.
    package enum Order: Hashable, Sendable {
        case terminate
        /// Puts a workout on it. A forced order does so also when somebody rows, whose piece is
        /// terminated.
        case program(WorkoutProgram, isForced: Bool)
    }

    /// Why an order was not carried out; the monitor is left as it then is.
    package enum Failure: Error, Equatable, Sendable {
        /// Somebody rows, or began to before the workout was there, or would not stop.
        case rowing
        /// The monitor rejected a frame.
        case rejected
        /// The monitor sends no status, or does not answer, or does not come back to state 0.
        case noAnswer
        /// The monitor took the workout and shows this one.
        case notVerified(Workout)
    }

    /// What the caller is to do.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        /// The monitor accepted the command that ends the piece.
        case terminated
        case finish(Result<Workout, Failure>)
    }

    /// A monitor sends its status once a second at the slowest.
    package static let statusLimit = Duration.seconds(3)
    /// From the end of a piece to its log entry 1.2 to 3.5 s; terminated before, it is not logged.
    package static let logLimit = Duration.seconds(5)
    /// The display obeys two to five times a second.
    package static let screenLimit = Duration.seconds(5)
    /// Between two questions whether it has.
    package static let screenInterval = Duration.milliseconds(250)
    /// From terminate to state 0: four or five packets.
    package static let readyLimit = Duration.seconds(10)
    /// Times that a frame is sent that gets no answer.
    package static let frameLimit = 3
    /// Times that a whole program is sent: it was accepted, and the monitor shows another piece.
    package static let programLimit = 3
    /// Times that a piece is terminated which somebody rows on.
    package static let terminationLimit = 3
    /// Statuses that show something else before the monitor is not believed.
    package static let mismatchLimit = 4

    private enum Phase: Equatable {
        /// Waiting for a status that says where the monitor is.
        case observing
        /// A piece has just ended, and is being logged.
        case logging
        case terminating
        /// Waiting for state 0.
        case clearing
        /// The frame of this number is under way.
        case programming(Int)
        case verifying
        case over
    }

    private let order: Order
    private let program: [[ProprietaryCommand]]
    private let armed: WorkoutProgram.Armed?
    private let repetition: Workout.Repetition?
    private var exchange = ControlExchange()
    private var phase = Phase.observing
    private var phaseEnds: BootInstant
    /// When a request is to be sent that waits for its time.
    private var due: BootInstant?
    /// A screen command was sent, and 0x86 has not said yet that it is done.
    private var isScreenPending = false
    private var attempts = 0
    private var programs = 0
    private var terminations = 0
    private var mismatches = 0

    /// Throws what the monitor would reject without saying why.
    package init(_ order: Order, at now: BootInstant) throws(WorkoutProgramError) {
        self.order = order
        phaseEnds = now.advanced(by: Self.statusLimit)
        guard case .program(let program, _) = order else {
            self.program = []
            (armed, repetition) = (nil, nil)
            return
        }
        self.program = try program.commandFrames()
        (armed, repetition) = (program.armed, program.repetition)
    }

    /// Starts the clock, once nobody else waits for an answer: the first status is to come within
    /// `statusLimit` of `now`.
    package mutating func begin(at now: BootInstant) {
        phaseEnds = now.advanced(by: Self.statusLimit)
    }

    /// Whether the result was given out; nothing more comes.
    package var isOver: Bool { phase == .over }

    /// When `tick` is to be called; nil when all is done.
    package var nextTick: BootInstant? {
        isOver ? nil : [phaseEnds, due, exchange.deadline].compactMap { $0 }.min()
    }

    // MARK: - Input

    /// Takes any value of the link.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into actions: inout [Action]
    ) {
        guard !isOver else { return }
        if characteristic == .csafeOut {
            if let outcome = exchange.receive(bytes, at: now) {
                take(outcome, at: now, into: &actions)
            }
        } else {
            // What cannot be decoded is counted where the session is folded.
            let decoded = Result { () throws(DecodeError) in
                try DecodedNotification(characteristic: characteristic, bytes: bytes)
            }
            if case .success(let notification) = decoded,
                case .generalStatus(let status) = notification.value
            {
                take(status, at: now, into: &actions)
            }
        }
        tick(at: now, into: &actions)
    }

    /// Lets time pass: an answer that does not come, a request that is due, a limit.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        if let outcome = exchange.tick(at: now) { take(outcome, at: now, into: &actions) }
        guard !isOver else { return }
        if phaseEnds <= now { phaseEnded(at: now, into: &actions) }
        guard !isOver, let due, due <= now, !exchange.isWaiting else { return }
        let slot = exchange.nextSlot(after: now)
        guard slot <= now else {
            self.due = slot
            return
        }
        self.due = nil
        send(at: now, into: &actions)
    }

    // MARK: - The monitor's status

    private mutating func take(
        _ status: GeneralStatus, at now: BootInstant, into actions: inout [Action]
    ) {
        switch phase {
        case .observing: begin(from: status, at: now, into: &actions)
        case .logging:
            if status.workoutState != .workoutEnd { begin(from: status, at: now, into: &actions) }
        case .clearing: if !isScreenPending { clear(status, at: now, into: &actions) }
        case .programming:
            if status.workoutState.phase == .working { stop(at: now, into: &actions) }
        case .verifying: verify(status, at: now, into: &actions)
        case .terminating, .over: break
        }
    }

    /// What comes first depends on where the monitor is.
    private mutating func begin(
        from status: GeneralStatus, at now: BootInstant, into actions: inout [Action]
    ) {
        guard armed != nil else { return startTermination(at: now) }
        switch status.workoutState {
        case .waitToBegin: startProgram(at: now)
        case .rearm: enter(.clearing, for: Self.readyLimit, at: now)
        case .workoutEnd where phase != .logging: enter(.logging, for: Self.logLimit, at: now)
        case .workoutEnd, .terminate, .workoutLogged: startTermination(at: now)
        default: stop(at: now, into: &actions)
        }
    }

    /// The terminated workout is armed again, and a rower who pulls on begins another piece of it.
    private mutating func clear(
        _ status: GeneralStatus, at now: BootInstant, into actions: inout [Action]
    ) {
        if status.workoutState.phase == .working { return stop(at: now, into: &actions) }
        guard status.workoutState == .waitToBegin else { return }
        guard armed != nil else { return finish(.success(Workout(status)), into: &actions) }
        startProgram(at: now)
    }

    /// Somebody rows who should not, or rather whom only a forced order may stop.
    private mutating func stop(at now: BootInstant, into actions: inout [Action]) {
        if case .program(_, isForced: false) = order {
            return finish(.failure(.rowing), into: &actions)
        }
        guard terminations < Self.terminationLimit else {
            return finish(.failure(.rowing), into: &actions)
        }
        startTermination(at: now)
    }

    private mutating func verify(
        _ status: GeneralStatus, at now: BootInstant, into actions: inout [Action]
    ) {
        guard let armed, !isScreenPending else { return }
        if armed.isShown(by: status) {
            var workout = Workout(status)
            workout.repetition = repetition
            return finish(.success(workout), into: &actions)
        }
        mismatches += 1
        guard mismatches >= Self.mismatchLimit else { return }
        guard programs < Self.programLimit, status.workoutState == .waitToBegin else {
            return finish(.failure(.notVerified(Workout(status))), into: &actions)
        }
        startProgram(at: now)
    }

    // MARK: - Requests

    private mutating func startTermination(at now: BootInstant) {
        terminations += 1
        attempts = 0
        enter(.terminating, for: Self.readyLimit, at: now)
        due = now
    }

    private mutating func startProgram(at now: BootInstant) {
        programs += 1
        attempts = 0
        // Half a second for each frame, and what may have to be sent again.
        enter(.programming(0), for: .seconds(5 + 3 * program.count), at: now)
        due = now
    }

    private mutating func send(at now: BootInstant, into actions: inout [Action]) {
        let commands: [ProprietaryCommand]
        var wrapper = Wrapper.setConfiguration
        switch phase {
        case .terminating: commands = [.screenState(.workout, .terminateWorkout)]
        case .programming(let index): commands = program[index]
        case .clearing, .verifying:
            commands = [.get(Query<ScreenStatusReply>.screenStatus)]
            wrapper = .getConfiguration
        case .observing, .logging, .over: return
        }
        attempts += 1
        actions.append(.write(exchange.send(commands, in: wrapper, at: now)))
    }

    private mutating func take(
        _ outcome: ControlExchange.Outcome, at now: BootInstant, into actions: inout [Action]
    ) {
        switch outcome {
        case .answered(let response): answered(response, at: now, into: &actions)
        case .rejected:
            // Some firmware may not know 0x86; the display has obeyed after a second anyway.
            if isScreenPending { return giveUpAsking() }
            finish(.failure(.rejected), into: &actions)
        case .deferred, .unanswered:
            if attempts < Self.frameLimit { return askAgain(at: now) }
            if isScreenPending { return giveUpAsking() }
            finish(.failure(.noAnswer), into: &actions)
        }
    }

    private mutating func answered(
        _ response: Response, at now: BootInstant, into actions: inout [Action]
    ) {
        attempts = 0
        switch phase {
        case .terminating:
            actions.append(.terminated)
            awaitScreen(.clearing, for: Self.readyLimit, at: now)
        case .programming(let index) where index + 1 < program.count:
            phase = .programming(index + 1)
            due = now
        case .programming: awaitScreen(.verifying, for: Self.screenLimit, at: now)
        case .clearing, .verifying:
            let status = try? response.value(of: .screenStatus)?.status
            if status == .inactive {
                isScreenPending = false
            } else {
                due = now.advanced(by: Self.screenInterval)
            }
        case .observing, .logging, .over: break
        }
    }

    /// A program whose frame went unanswered is begun anew: the monitor may have half of it.
    private mutating func askAgain(at now: BootInstant) {
        if case .programming(let index) = phase, index > 0 { phase = .programming(0) }
        due = now
    }

    private mutating func awaitScreen(_ next: Phase, for limit: Duration, at now: BootInstant) {
        isScreenPending = true
        mismatches = 0
        enter(next, for: limit, at: now)
        due = now.advanced(by: Self.screenInterval)
    }

    private mutating func giveUpAsking() {
        isScreenPending = false
        due = nil
    }

    // MARK: - Phases

    private mutating func enter(_ next: Phase, for limit: Duration, at now: BootInstant) {
        phase = next
        phaseEnds = now.advanced(by: limit)
    }

    private mutating func phaseEnded(at now: BootInstant, into actions: inout [Action]) {
        if phase == .logging { return startTermination(at: now) }
        if phase == .verifying, isScreenPending {
            giveUpAsking()
            return enter(.verifying, for: Self.statusLimit, at: now)
        }
        finish(.failure(.noAnswer), into: &actions)
    }

    private mutating func finish(
        _ result: Result<Workout, Failure>, into actions: inout [Action]
    ) {
        phase = .over
        due = nil
        actions.append(.finish(result))
    }
}
