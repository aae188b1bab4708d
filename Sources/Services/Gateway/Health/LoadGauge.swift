import HostRuntime
import Synchronization
import Timeline

/// Whether the machine keeps up with the room, and which load is shed.
///
/// Written only by `HealthReporter`; any part may read it.
final class LoadGauge: Sendable {
    struct Reading: Equatable, Sendable {
        var steps = LoadSteps()
        var figures = LoadSteps.Figures()
    }

    private struct State {
        var reading = Reading()
        var processor: (figures: ProcessorFigures, at: BootInstant)?
    }

    private let state = Mutex(State())

    var reading: Reading { state.withLock { $0.reading } }

    /// Evaluates a snapshot; returns true if the step has changed.
    func take(_ snapshot: GatewaySnapshot) -> Bool {
        let now = snapshot.at
        return state.withLock { state in
            var figures = LoadSteps.Figures(queueDelay: snapshot.queueDelay)
            figures.commit = [snapshot.recorder.diskBehind, snapshot.recorder.lastCommit]
                .compactMap(\.self).max()
            if let processor = snapshot.host.processor {
                let before =
                    state.processor
                    ?? (ProcessorFigures(used: .zero, allowed: 1), at: snapshot.started)
                figures.processorPercent = processor.percent(
                    since: before.figures, in: before.at.duration(to: now))
                state.processor = (processor, now)
            }
            state.reading.figures = figures
            return state.reading.steps.take(figures, at: now)
        }
    }
}
