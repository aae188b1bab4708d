import HostRuntime
import Timeline

/// One part of the daemon: how it begins, how it ends, and how long it may take to end.
struct ServiceStep: Sendable {
    var name: String
    /// What it runs on at this moment: liveness is asked of each.
    var queues: @Sendable () -> [SerialQueueExecutor]
    /// Counted from the request to stop, if the part is just starting then.
    var stopDeadline: Duration
    var start: @Sendable () async throws -> Void
    var stop: @Sendable () async -> Void
}

/// How long each part of the daemon may take to stop.
///
/// Together less than the 5 s in which a stop must be done, and those less than the unit's
/// TimeoutStopSec, at which systemd kills.
enum StopDeadline {
    /// What all of them have together.
    static let whole = recorder + publisher + stations + health + controlSocket + roomLink
    /// The last commit, and the mark that the ring was closed in order: at least this, and what the
    /// others leave of their time.
    static let recorder = Duration.milliseconds(500)
    /// A second of `Publisher.stop` for what the broker has yet to acknowledge, and the farewell.
    static let publisher = Duration.milliseconds(1200)
    static let stations = Duration.milliseconds(300)
    static let health = Duration.milliseconds(100)
    static let controlSocket = Duration.milliseconds(100)
    /// BlueZ ends a link in two seconds: `RoomLink.farewellTimeout`.
    static let roomLink = Duration.milliseconds(2600)
}

/// A list of parts, started forwards and stopped backwards.
///
/// A part that hangs is left behind, so that what waits for this process need not kill it.
struct ServiceSteps {
    private let steps: [ServiceStep]
    private let runtime: any Runtime
    private let log: SystemLog
    private var started = 0
    /// What the last part has used up of its time to stop, since it was still starting.
    private var spent = Duration.zero

    init(_ steps: [ServiceStep], runtime: any Runtime, log: SystemLog) {
        self.steps = steps
        self.runtime = runtime
        self.log = log
    }

    /// Starts every part in order; when one fails, those before it are stopped again.
    ///
    /// A request to stop leaves out the parts that have not begun to start. The first has the ring,
    /// which is open already, and so gets to close it. The part that is just starting has its time
    /// to stop for both; if it is not up by then, it hangs, and is left behind. Should it come up
    /// all the same while this process ends, it is stopped, and nobody waits for that.
    ///
    /// - Returns: false when a request left parts out, or came with the last one.
    mutating func start(until request: StopRequest) async throws -> Bool {
        for step in steps {
            let watch = DeadlineWatch<Void>(runtime)
            guard
                let result = await watch.result(
                    of: step.start, within: step.stopDeadline, of: request, ifLate: step.stop)
            else {
                log.warning("\(step.name) did not start, and is left behind")
                return false
            }
            do { try result.get() } catch {
                log.error("\(step.name) could not start: \(error)")
                await stop()
                throw error
            }
            started += 1
            guard !request.isMade else {
                spent = await watch.spent
                return false
            }
        }
        return true
    }

    /// Stops what was started, the last first. A part that misses its deadline is left behind. What
    /// the others leave of their time is the first's, which may have to wait for a disk.
    ///
    /// - Returns: whether none was.
    @discardableResult
    mutating func stop() async -> Bool {
        var areStopped = true
        let begin = runtime.now()
        let whole = StopDeadline.whole - spent
        for (index, step) in steps.prefix(started).enumerated().reversed() {
            var deadline = step.stopDeadline - spent
            if index == 0 { deadline = max(deadline, whole - begin.duration(to: runtime.now())) }
            spent = .zero
            if await DeadlineWatch(runtime).result(of: step.stop, within: deadline) == nil {
                log.warning("\(step.name) did not stop within \(deadline)")
                areStopped = false
            }
        }
        started = 0
        return areStopped
    }
}

/// Runs one piece of work against a deadline.
actor DeadlineWatch<Value: Sendable>: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    private let runtime: any Runtime
    private var timer: QueueTimer?
    private var waiter: CheckedContinuation<Result<Value, any Error>?, Never>?
    /// When the time began to count.
    private var begin: BootInstant?

    init(_ runtime: any Runtime) {
        executor = runtime.makeQueue(label: "rowgate.deadline")
        self.runtime = runtime
    }

    /// Runs `work`; nil when it is not done within `deadline`, and then it is no longer waited for.
    ///
    /// - Parameters:
    ///   - request: from when on the time counts; nil for now.
    ///   - undo: follows work that is done too late.
    func result(
        of work: @escaping @Sendable () async throws -> Value, within deadline: Duration,
        of request: StopRequest? = nil, ifLate undo: @escaping @Sendable () async -> Void = {}
    ) async -> Result<Value, any Error>? {
        timer = makeTimer { $0.settle(nil) }
        if let request {
            request.whenMade { [weak self] _ in self?.later { $0.count(to: deadline) } }
        } else {
            count(to: deadline)
        }
        let worker = Task {
            do {
                let value = try await work()
                if waiter == nil { await undo() } else { settle(.success(value)) }
            } catch { settle(.failure(error)) }
        }
        defer { worker.cancel() }
        return await withCheckedContinuation { waiter = $0 }
    }

    /// How much of the deadline has passed.
    var spent: Duration { begin?.duration(to: runtime.now()) ?? .zero }

    private func count(to deadline: Duration) {
        begin = runtime.now()
        timer?.fire(after: deadline)
    }

    private func settle(_ result: Result<Value, any Error>?) {
        timer?.cancel()
        waiter?.resume(returning: result)
        waiter = nil
    }
}
