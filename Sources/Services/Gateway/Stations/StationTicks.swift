import HostRuntime
import Synchronization

/// Visits all stations on one thread: passes the time to them, and reads values from them. A timer
/// or an await per station would wake as many threads, and the stations' reports of one moment
/// would reach the recorder separately.
actor StationTicks: QueueActor {
    nonisolated let executor: SerialQueueExecutor

    private let registry: StationRegistry
    private var timer: QueueTimer?

    init(_ registry: StationRegistry, runtime: any Runtime) {
        executor = runtime.makeQueue(label: "rowgate.ticks")
        self.registry = registry
    }

    func start(interval: Duration) {
        timer = makeTimer { $0.tick() }
        timer?.fire(every: interval, leeway: interval / 4)
    }

    func stop() {
        timer?.cancel()
        timer = nil
    }

    /// Returns the answer of every station, in their order, each from its own queue.
    func collect<Answer: Sendable>(
        _ read: @escaping @Sendable (isolated StationPipeline) -> Answer
    ) async -> [Answer] {
        let stations = registry.stations
        guard !stations.isEmpty else { return [] }
        let answers = Answers<Answer>()
        return await withCheckedContinuation { waiter in
            for station in stations {
                station.executor.enter {
                    let all = answers.adding(station.assumeIsolated(read))
                    if all.count == stations.count { waiter.resume(returning: all) }
                }
            }
        }
    }

    private func tick() {
        FollowUp.run {
            for station in registry.stations {
                station.executor.enter {
                    station.assumeIsolated { if $0.isStarted { $0.tick() } }
                }
            }
        }
    }
}

/// The answers so far.
private final class Answers<Answer: Sendable>: Sendable {
    private let all = Mutex<[Answer]>([])

    func adding(_ answer: Answer) -> [Answer] {
        all.withLock {
            $0.append(answer)
            return $0
        }
    }
}
