import BlueZLink
import Contract
import HostRuntime
import Synchronization

/// The stations of the room, by serial number of their monitors.
///
/// With `discovery = "any"`, a station is created on the bus queue when its monitor is first heard,
/// hence the lock; no notification takes it.
final class StationRegistry: Sendable {
    private struct State {
        var bySerial: [String: StationPipeline] = [:]
        var serials: [StationID: String] = [:]
        /// In the order of the configuration, or of discovery.
        var ordered: [StationPipeline] = []
    }

    private let state = Mutex(State())
    private let make: @Sendable (StationID) -> StationPipeline

    /// - Parameter make: creates a station that is not started yet.
    init(make: @escaping @Sendable (StationID) -> StationPipeline) { self.make = make }

    var stations: [StationPipeline] { state.withLock { $0.ordered } }

    /// The station of an erg; nil for an unknown erg.
    func pipeline(of station: StationID) -> StationPipeline? {
        stations.first { $0.station == station }
    }

    /// Adds the erg of a monitor, or returns the existing one.
    func add(_ station: StationID, serial: String) -> (pipeline: StationPipeline, isNew: Bool) {
        state.withLock { state in
            if let known = state.bySerial[serial] { return (known, false) }
            let pipeline = make(station)
            state.bySerial[serial] = pipeline
            state.serials[station] = serial
            state.ordered.append(pipeline)
            return (pipeline, true)
        }
    }

    /// The monitor of an erg; nil for an unknown erg.
    func serial(of station: StationID) -> String? { state.withLock { $0.serials[station] } }

    /// Every erg that has a monitor, by serial number.
    var stationsBySerial: [String: StationID] { state.withLock { $0.bySerial.mapValues(\.station) } }

    /// The stations of a configured room.
    func endpoints() -> [String: StationEndpoint] {
        state.withLock { $0.bySerial.mapValues(\.endpoint) }
    }
}

extension StationPipeline {
    nonisolated var endpoint: StationEndpoint {
        StationEndpoint(name: station.slug, executor: executor, listener: self)
    }
}

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
