import HostRuntime
import PM5Codec
import Rowing
import Timeline

/// The conversation with the monitor of one link: its timer, its writes, and pending results.
///
/// Confined to the station's queue.
final class MonitorChannel {
    typealias WorkoutWaiter = CheckedContinuation<Result<Workout, WorkoutProcedure.Failure>?, Never>

    /// The result of a call.
    struct Outcome {
        var curves: [PolledForceCurve] = []
        /// Values to write to 0x0021, in order.
        var written: [[UInt8]] = []
        /// Whether the monitor accepted the command that ends the piece.
        var isTerminated = false
        var answers: [MonitorQuestion.Answer] = []
    }

    private let link: any ErgLink
    private let timer: QueueTimer
    private let log: SystemLog
    private let logFields: [(String, String)]
    /// Called on any thread for every failed write.
    private let writeFailed: @Sendable () -> Void
    private var conversation: MonitorRequestScheduler
    private var actions: [MonitorRequestScheduler.Action] = []
    private var workoutWaiter: WorkoutWaiter?
    private var failedWrites = 0
    private var isStopReported = false

    /// - Parameter timer: calls `tick`.
    init(
        link: any ErgLink, pollsForce: Bool, timer: QueueTimer, log: SystemLog,
        logFields: [(String, String)], writeFailed: @escaping @Sendable () -> Void
    ) {
        self.link = link
        self.timer = timer
        self.log = log
        self.logFields = logFields
        self.writeFailed = writeFailed
        conversation = MonitorRequestScheduler(pollsForce: pollsForce)
        if pollsForce { log.debug("no 0x003D: asking for force curves through CSAFE", logFields) }
    }

    /// Whether a workout procedure is running; only one may run at a time.
    var hasWorkout: Bool { conversation.hasWorkout }

    /// Starts a procedure; `waiter` receives its result, or nil if the link ends first.
    func start(_ procedure: WorkoutProcedure, _ waiter: WorkoutWaiter) {
        conversation.start(procedure)
        workoutWaiter = waiter
        timer.fire(after: .zero)
    }

    /// Queues a question; the answer arrives in an outcome.
    func enqueue(_ question: MonitorQuestion) {
        conversation.enqueue(question)
        timer.fire(after: .zero)
    }

    /// Whether the next reply belongs to a request of this channel.
    var awaitsReply: Bool { conversation.awaitsReply }

    /// Lends the monitor's channel to a phone for one request; false if it has to wait.
    func tryLend(at now: BootInstant) -> Bool {
        let isLent = conversation.tryLend(at: now)
        schedule(at: now)
        return isLent
    }

    /// The phone's request is over, or it no longer waits.
    func endLoan(at now: BootInstant) {
        conversation.endLoan(at: now)
        schedule(at: now)
    }

    /// Handles any value of the link.
    func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant
    ) -> Outcome {
        guard !conversation.isIdle else { return Outcome() }
        conversation.receive(characteristic, bytes, at: now, into: &actions)
        return perform(at: now)
    }

    func tick(at now: BootInstant) -> Outcome {
        conversation.tick(at: now, into: &actions)
        return perform(at: now)
    }

    /// Handles a failed write: ends the running procedure; polling notices the missing answer
    /// itself.
    func noteFailedWrite() {
        failedWrites += 1
        conversation.abandonWorkout()
        finishWorkout(nil)
    }

    /// Ends the channel with the link, and resumes all waiters. Idempotent.
    func end() {
        finishWorkout(nil)
        timer.cancel()
    }

    private func perform(at now: BootInstant) -> Outcome {
        var outcome = Outcome()
        for action in actions {
            switch action {
            case .write(let pieces):
                write(pieces)
                outcome.written += pieces
            case .curve(let curve): outcome.curves.append(curve)
            case .terminated: outcome.isTerminated = true
            case .workout(let result): finishWorkout(result)
            case .answer(let answer): outcome.answers.append(answer)
            }
        }
        actions.removeAll(keepingCapacity: true)
        schedule(at: now)
        reportStop()
        return outcome
    }

    private func schedule(at now: BootInstant) {
        if let next = conversation.nextTick {
            timer.fire(after: now.duration(to: next))
        } else {
            timer.stop()
        }
    }

    private func finishWorkout(_ result: Result<Workout, WorkoutProcedure.Failure>?) {
        workoutWaiter?.resume(returning: result)
        workoutWaiter = nil
    }

    private func write(_ pieces: [[UInt8]]) {
        Task { [link, writeFailed] in
            do {
                for piece in pieces { try await link.write(piece, to: .csafeIn) }
            } catch {
                writeFailed()
            }
        }
    }

    private func reportStop() {
        guard conversation.isPollingStopped, !isStopReported else { return }
        isStopReported = true
        log.notice(
            "no force curves until it is connected anew: \(failedWrites) requests for them failed",
            logFields)
    }
}
