import HostRuntime

/// Pings the service manager's watchdog, but only while every queue answers.
///
/// A round asks each watched queue to run a block; the next round pings only when all blocks have
/// run. A queue that hangs therefore stops the pings, and systemd restarts the service. The ring
/// log survives that by design.
actor LivenessWatch: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    private let log: SystemLog
    private let ping: @Sendable () -> Void
    private var silent: Set<String> = []
    private var timer: QueueTimer?

    /// - Parameter ping: told after each round in which every queue answered.
    init(
        runtime: any Runtime, log: SystemLog,
        ping: @escaping @Sendable () -> Void = ServiceNotifier.watchdogPing
    ) {
        executor = runtime.makeQueue(label: "rowgate.liveness")
        self.log = log
        self.ping = ping
    }

    /// Begins a round every `interval`; half of WatchdogSec leaves room for one late round.
    ///
    /// - Parameter queues: what must answer at this moment; labels are unique.
    func start(interval: Duration, asking queues: @escaping @Sendable () -> [SerialQueueExecutor]) {
        timer = makeTimer { $0.round(asking: queues()) }
        timer?.fire(every: interval)
        round(asking: queues())
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// Ends the last round and begins the next one.
    func round(asking queues: [SerialQueueExecutor]) {
        if silent.isEmpty {
            ping()
        } else {
            let names = silent.sorted().compactMap { $0.split(separator: ".").last }
                .joined(separator: ", ")
            log.error(
                "rowgate is restarted if these parts go on giving no answer: \(names)",
                event: .queueBlocked)
        }
        for queue in queues where !silent.contains(queue.label) {
            silent.insert(queue.label)
            queue.async { [weak self] in self?.later { $0.answered(queue.label) } }
        }
    }

    private func answered(_ label: String) { silent.remove(label) }
}
