import HostRuntime

/// Lets time pass for all stations at once: a timer for each would wake as many threads, and what
/// the stations then have to say would reach the recorder in as many pieces.
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
