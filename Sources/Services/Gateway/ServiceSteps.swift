import HostRuntime

/// One part of the daemon: how it begins, how it ends, and how long it may take to end.
struct ServiceStep: Sendable {
    var name: String
    /// What it runs on at this moment: liveness is asked of each.
    var queues: @Sendable () -> [SerialQueueExecutor]
    var stopDeadline: Duration
    var start: @Sendable () async throws -> Void
    var stop: @Sendable () async -> Void
}

/// A list of parts, started forwards and stopped backwards.
struct ServiceSteps {
    private let steps: [ServiceStep]
    private let runtime: any Runtime
    private let log: SystemLog
    private var started = 0

    init(_ steps: [ServiceStep], runtime: any Runtime, log: SystemLog) {
        self.steps = steps
        self.runtime = runtime
        self.log = log
    }

    /// Starts every part in order; when one fails, those before it are stopped again.
    ///
    /// - Parameter isInterrupted: asked behind each part. The first has the ring, which is open
    ///   already, and so gets to close it.
    /// - Returns: false when an interruption left parts out, or came with the last one.
    mutating func start(unless isInterrupted: () -> Bool) async throws -> Bool {
        for step in steps {
            do {
                try await step.start()
                started += 1
            } catch {
                log.error("\(step.name) could not start: \(error)")
                await stop()
                throw error
            }
            if isInterrupted() { return false }
        }
        return true
    }

    /// Stops what was started, the last first. A part that misses its deadline is left behind.
    mutating func stop() async {
        for step in steps.prefix(started).reversed() {
            let inTime = await DeadlineWatch(runtime).finishes(within: step.stopDeadline, step.stop)
            if !inTime { log.warning("\(step.name) did not stop within \(step.stopDeadline)") }
        }
        started = 0
    }
}

/// Runs one piece of work against a deadline.
private actor DeadlineWatch {
    private let executor: SerialQueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var timer: QueueTimer?
    private var waiter: CheckedContinuation<Bool, Never>?

    init(_ runtime: any Runtime) { executor = runtime.makeQueue(label: "rowgate.deadline") }

    /// Runs `work`; false when it still runs after `deadline`, and then it is no longer waited for.
    func finishes(
        within deadline: Duration, _ work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        timer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.settle(false) }
        }
        timer?.fire(after: deadline)
        let worker = Task {
            await work()
            settle(true)
        }
        defer { worker.cancel() }
        return await withCheckedContinuation { waiter = $0 }
    }

    private func settle(_ isInTime: Bool) {
        timer?.cancel()
        waiter?.resume(returning: isInTime)
        waiter = nil
    }
}
