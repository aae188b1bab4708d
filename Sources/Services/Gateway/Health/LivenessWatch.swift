import HostRuntime

/// Pings the service manager's watchdog while every queue answers.
///
/// In each round, every watched queue runs a block. The next round pings only if all blocks have
/// run. A queue that hangs therefore stops the pings, and systemd restarts the service. The ring
/// log survives that by design.
actor LivenessWatch: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    private let log: SystemLog
    private let ping: @Sendable () -> Void
    private var silent: Set<String> = []
    private var timer: QueueTimer?

    /// - Parameter ping: called after each round in which every queue answered.
    init(
        runtime: any Runtime, log: SystemLog,
        ping: @escaping @Sendable () -> Void = ServiceNotifier.watchdogPing
    ) {
        executor = runtime.makeQueue(label: "rowgate.liveness")
        self.log = log
        self.ping = ping
    }

    /// Starts a round every `interval`; half of WatchdogSec leaves room for one late round.
    ///
    /// - Parameter queues: returns the queues that must answer; labels are unique.
    func start(interval: Duration, checking queues: @escaping @Sendable () -> [SerialQueueExecutor]) {
        timer = makeTimer { $0.round(checking: queues()) }
        timer?.fire(every: interval)
        round(checking: queues())
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// Ends the last round and begins the next one.
    func round(checking queues: [SerialQueueExecutor]) {
        if silent.isEmpty {
            ping()
        } else {
            let names = silent.sorted().compactMap { $0.split(separator: ".").last }
                .joined(separator: ", ")
            log.error(
                "rowgate will be restarted unless these queues respond: \(names)",
                event: .queueBlocked)
        }
        for queue in queues where !silent.contains(queue.label) {
            silent.insert(queue.label)
            queue.async { [weak self] in self?.later { $0.answered(queue.label) } }
        }
    }

    private func answered(_ label: String) { silent.remove(label) }
}
