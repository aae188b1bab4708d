import BlueZLink
import Contract
import Synchronization

/// The stations of the room, by serial number of their monitors.
///
/// With `discovery = "any"` a station comes into being when its monitor is first heard, on the bus
/// queue, hence the lock; it is never taken for a notification.
final class StationRegistry: Sendable {
    private struct State {
        var bySerial: [String: StationPipeline] = [:]
        var serials: [StationID: String] = [:]
        /// In the order of the configuration, or of discovery.
        var ordered: [StationPipeline] = []
    }

    private let state = Mutex(State())
    private let make: @Sendable (StationID) -> StationPipeline

    /// - Parameter make: builds a station that is not started yet.
    init(make: @escaping @Sendable (StationID) -> StationPipeline) { self.make = make }

    var stations: [StationPipeline] { state.withLock { $0.ordered } }

    /// The station of a place; nil for a place that does not exist.
    func pipeline(of station: StationID) -> StationPipeline? {
        stations.first { $0.station == station }
    }

    /// Adds the place of a monitor; the one that exists already, if there is one.
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

    /// The monitor of a place; nil for a place that does not exist.
    func serial(of station: StationID) -> String? { state.withLock { $0.serials[station] } }

    /// Every place that has a monitor, by its serial number.
    var places: [String: StationID] { state.withLock { $0.bySerial.mapValues(\.station) } }

    /// The seats of a configured room.
    func seats() -> [String: StationSeat] {
        state.withLock { $0.bySerial.mapValues(\.seat) }
    }
}

extension StationPipeline {
    nonisolated var seat: StationSeat {
        StationSeat(name: station.slug, executor: executor, listener: self)
    }
}
