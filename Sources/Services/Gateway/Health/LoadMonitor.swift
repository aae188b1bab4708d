import BlueZLink
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Publishing
import Recording
import Synchronization
import Timeline

/// Whether the machine keeps up with the room, and which load is shed.
///
/// Written only by `HealthReporter`; any part may read it.
final class LoadMonitor: Sendable {
    struct Reading: Equatable, Sendable {
        var shedding = LoadShedding()
        var measurements = LoadShedding.Measurements()
    }

    private struct State {
        var reading = Reading()
        var processor: (use: ProcessorUsage, at: BootInstant)?
    }

    private let state = Mutex(State())

    var reading: Reading { state.withLock { $0.reading } }

    /// Evaluates a snapshot; returns true if the level has changed.
    func update(with snapshot: GatewaySnapshot) -> Bool {
        let now = snapshot.at
        return state.withLock { state in
            var measurements = LoadShedding.Measurements(queueDelay: snapshot.queueDelay)
            measurements.commit = [snapshot.recorder.diskDelay, snapshot.recorder.lastCommit]
                .compactMap(\.self).max()
            if let processor = snapshot.host.processor {
                let before =
                    state.processor
                    ?? (ProcessorUsage(used: .zero, allowed: 1), at: snapshot.started)
                measurements.processorPercent = processor.percent(
                    since: before.use, in: before.at.duration(to: now))
                state.processor = (processor, now)
            }
            state.reading.measurements = measurements
            return state.reading.shedding.update(with: measurements, at: now)
        }
    }
}
