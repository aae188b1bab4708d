import Bytes
import PM5Codec
import Timeline

/// Ends the piece on a monitor or programs a workout, and verifies the result.
///
/// A pure value for one order on one link: values and time go in, writes and one result come out. The rules
/// come from tests with hardware:
/// - If a monitor is programmed during a piece, it acknowledges but arms an empty workout. Therefore the
///   piece is terminated first, and the procedure waits for state 0.
/// - Screen commands are queued. The procedure polls 0x86 until they are executed.
/// - An acknowledgement does not prove the result. 0x0031 has to show the workout, which takes a packet or
///   two.
///
/// Source: Concept2 CSAFE definition rev 0.25, workout configuration; pm5 captures of 2026.
package struct WorkoutProcedure: Sendable {
    /// A request to the procedure.
    package enum Order: Hashable, Sendable {
        case terminate
        /// Programs a workout. A forced order also terminates a piece in progress.
        case program(WorkoutProgram, isForced: Bool)
    }

    /// Why an order failed. The monitor stays in its current state.
    package enum Failure: Error, Equatable, Sendable {
        /// The rower is rowing, began before the workout was set, or did not stop.
        case rowing
        /// The monitor rejected a frame.
        case rejected
        /// The monitor sends no status, does not answer, or does not return to state 0.
        case noAnswer
        /// The monitor accepted the workout but shows this one.
        case notVerified(Workout)
    }

    /// An action for the caller.
    package enum Action: Equatable, Sendable {
        /// Values for 0x0021, in this order.
        case write([[UInt8]])
        /// The monitor accepted the command that ends the piece.
        case terminated
        case finish(Result<Workout, Failure>)
    }

    /// A monitor sends a status at least once a second.
    package static let statusLimit = Duration.seconds(3)
    /// The log entry follows 1.2 to 3.5 s after the end of a piece. Terminated before, the piece is not
    /// logged.
    package static let logLimit = Duration.seconds(5)
    /// The display executes two to five commands a second.
    package static let screenLimit = Duration.seconds(5)
    /// The interval at which 0x86 is polled.
    package static let screenInterval = Duration.milliseconds(250)
    /// From terminate to state 0: four or five packets.
    package static let readyLimit = Duration.seconds(10)
    /// How often a frame without an answer is sent, also the one that terminates a piece.
    package static let frameLimit = 3
    /// How often a whole program is sent if the monitor accepts it but shows another piece.
    package static let programLimit = 3
    /// How often a piece is terminated if the monitor confirms each time, but the rower continues.
    package static let terminationLimit = 3
    /// How many statuses may show something else before verification fails.
    package static let mismatchLimit = 4

    private enum Phase: Equatable {
        /// Waits for a status, to find the monitor's state.
        case observing
        /// Waits for the log entry of a piece that has just ended.
        case logging
        case terminating
        /// Waits for state 0.
        case clearing
        /// Sends the frame with this index.
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
    /// When the next request is to be sent; nil if none is scheduled.
    private var due: BootInstant?
    /// Whether a screen command was sent and 0x86 has not confirmed it yet.
    private var isScreenPending = false
    private var attempts = 0
    private var programs = 0
    private var terminations = 0
    private var mismatches = 0

    /// - Throws: if the monitor would reject the workout without a reason.
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

    /// Starts the timer when no other request is pending. The first status must arrive within
    /// `statusLimit`.
    package mutating func begin(at now: BootInstant) {
        phaseEnds = now.advanced(by: Self.statusLimit)
    }

    /// Whether the result was returned. No more actions follow.
    package var isOver: Bool { phase == .over }

    /// When to call `tick`; nil after the end.
    package var nextTick: BootInstant? {
        isOver ? nil : [phaseEnds, due, exchange.deadline].compactMap { $0 }.min()
    }

    // MARK: - Input

    /// Handles any value of the link.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into actions: inout [Action]
    ) {
        guard !isOver else { return }
        if characteristic == .csafeOut {
            if let outcome = exchange.receive(bytes, at: now) {
                handle(outcome, at: now, into: &actions)
            }
        } else {
            // Values that cannot be decoded are ignored here; `SessionMachine` counts them.
            let decoded = Result { () throws(DecodeError) in
                try DecodedNotification(characteristic: characteristic, bytes: bytes)
            }
            if case .success(let notification) = decoded,
                case .generalStatus(let status) = notification.value
            {
                handle(status, at: now, into: &actions)
            }
        }
        tick(at: now, into: &actions)
    }

    /// Handles timeouts and sends the next request that is due.
    package mutating func tick(at now: BootInstant, into actions: inout [Action]) {
        if let outcome = exchange.tick(at: now) { handle(outcome, at: now, into: &actions) }
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

    private mutating func handle(
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

    /// Selects the first step according to the state of the monitor.
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

    /// The monitor arms the terminated workout again. If the rower continues, another piece of it begins.
    private mutating func clear(
        _ status: GeneralStatus, at now: BootInstant, into actions: inout [Action]
    ) {
        if status.workoutState.phase == .working { return stop(at: now, into: &actions) }
        guard status.workoutState == .waitToBegin else { return }
        guard armed != nil else { return finish(.success(Workout(status)), into: &actions) }
        startProgram(at: now)
    }

    /// Handles a rower who is rowing: fails, or terminates the piece if the order is forced.
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
        // Half a second per frame, plus retries.
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

    private mutating func handle(
        _ outcome: ControlExchange.Outcome, at now: BootInstant, into actions: inout [Action]
    ) {
        switch outcome {
        case .answered(let response): answered(response, at: now, into: &actions)
        case .rejected:
            // Firmware may not know 0x86. The display executes commands within a second anyway.
            if isScreenPending { return stopWaitingForScreen() }
            finish(.failure(.rejected), into: &actions)
        case .deferred, .unanswered:
            if attempts < Self.frameLimit { return retry(at: now) }
            if isScreenPending { return stopWaitingForScreen() }
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

    /// Restarts the program after an unanswered frame, because the monitor may have half of it.
    private mutating func retry(at now: BootInstant) {
        if case .programming(let index) = phase, index > 0 { phase = .programming(0) }
        due = now
    }

    private mutating func awaitScreen(_ next: Phase, for limit: Duration, at now: BootInstant) {
        isScreenPending = true
        mismatches = 0
        enter(next, for: limit, at: now)
        due = now.advanced(by: Self.screenInterval)
    }

    private mutating func stopWaitingForScreen() {
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
            stopWaitingForScreen()
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
