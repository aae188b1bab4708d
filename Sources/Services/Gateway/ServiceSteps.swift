import HostRuntime
import Timeline

/// One part of the daemon: how it starts, how it stops, and how long stopping may take.
struct ServiceStep: Sendable {
    var name: String
    /// Returns its current queues, for the liveness check.
    var queues: @Sendable () -> [SerialQueueExecutor]
    /// Counted from the request to stop if the part is still starting.
    var stopDeadline: Duration
    var start: @Sendable () async throws -> Void
    var stop: @Sendable () async -> Void
}

/// How long each part of the daemon may take to stop.
///
/// Together less than the 5 s for a stop, which is less than the unit's TimeoutStopSec, after which
/// systemd kills the process.
enum StopDeadline {
    /// The total of all parts.
    static let whole = recorder + publisher + stations + health + controlSocket + announcer + roomLink
    /// The last commit, and the mark that the ring was closed: at least this long, plus the time
    /// that the others did not use.
    static let recorder = Duration.milliseconds(500)
    /// A second of `Publisher.stop` for pending acknowledgements, and the disconnect.
    static let publisher = Duration.milliseconds(1200)
    static let stations = Duration.milliseconds(300)
    static let health = Duration.milliseconds(100)
    static let controlSocket = Duration.milliseconds(100)
    static let announcer = Duration.milliseconds(100)
    /// BlueZ ends a link in two seconds: `RoomLink.shutdownTimeout`.
    static let roomLink = Duration.milliseconds(2600)
}

/// The parts of the daemon, started forwards and stopped backwards.
///
/// A part that hangs is abandoned, so that systemd does not have to kill this process.
struct ServiceSteps {
    private let steps: [ServiceStep]
    private let runtime: any Runtime
    private let log: SystemLog
    private var started = 0
    /// The part of the stop time that the last part has used while it was still starting.
    private var spent = Duration.zero

    init(_ steps: [ServiceStep], runtime: any Runtime, log: SystemLog) {
        self.steps = steps
        self.runtime = runtime
        self.log = log
    }

    /// Starts every part in order; if one fails, the parts before it are stopped again.
    ///
    /// A request to stop skips the parts that have not started yet. The first part has the ring,
    /// which is open already, and therefore closes it. A part that is just starting has its stop
    /// time for both; if it is not up by then, it hangs, and is abandoned. If it comes up while
    /// this process ends, it is stopped, without waiting for that.
    ///
    /// - Returns: false if a request skipped parts, or arrived with the last one.
    mutating func start(until request: StopRequest) async throws -> Bool {
        for step in steps {
            let watch = DeadlineWatch<Void>(runtime)
            guard
                let result = await watch.result(
                    of: step.start, within: step.stopDeadline, of: request, ifLate: step.stop)
            else {
                log.warning("\(step.name) did not start in time and is abandoned")
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

    /// Stops the started parts, the last one first. A part that misses its deadline is abandoned.
    /// The time that the others do not use is added to that of the first part, which may wait for a
    /// disk.
    ///
    /// - Returns: whether no part was abandoned.
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
    /// When the deadline began to count.
    private var begin: BootInstant?

    init(_ runtime: any Runtime) {
        executor = runtime.makeQueue(label: "rowgate.deadline")
        self.runtime = runtime
    }

    /// Runs `work`; returns nil if it does not finish within `deadline`.
    ///
    /// - Parameters:
    ///   - request: the start of the deadline; nil for now.
    ///   - undo: runs after work that finishes too late.
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
