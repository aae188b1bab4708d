import Contract
import HostRuntime
import PM5Codec
import Rowing

/// Commands and load shedding of one erg. Changes `rate`, `shedLevel`, `liveSchedule` and
/// `isIdentityStored`, and uses the channel.
extension StationPipeline {
    /// Sets or ends a workout on the monitor; returns when the result was read back or failed.
    ///
    /// - Parameter targets: the targets of a workout.
    func performWorkoutOrder(
        _ order: WorkoutProcedure.Order, _ targets: WorkoutTargets = WorkoutTargets()
    ) async -> CommandOutcome {
        guard let channel else { return .notConnected }
        guard !channel.hasWorkout else { return .busy }
        let procedure: WorkoutProcedure
        do throws(WorkoutProgramError) {
            procedure = try WorkoutProcedure(order.showing(targets), at: runtime.now())
        } catch {
            return CommandOutcome(.badValue, "\(error)")
        }
        let result = await withCheckedContinuation { channel.start(procedure, $0) }
        guard let result else { return .interrupted }
        if case .program = order, case .success(let workout) = result {
            setTargets(targets, in: workout)
        }
        return CommandOutcome(order, result)
    }

    /// Creates the channel of a link that has just opened.
    func newChannel(to monitor: MonitorIdentity, through link: any ErgLink) -> MonitorChannel {
        let timer = makeTimer { $0.tickChannel(at: $0.runtime.now()) }
        return MonitorChannel(
            link: link, pollsForce: ForcePlotPoller.isNeeded(by: monitor), timer: timer, log: log,
            logFields: logFields
        ) { [weak self] in
            Task { [weak self] in await self?.noteFailedWrite() }
        }
    }

    private func noteFailedWrite() { channel?.noteFailedWrite() }

    /// Sets the monitor's status rate, on this link and on later ones.
    func setRate(_ rate: SampleRate) async -> CommandOutcome {
        self.rate = rate
        return await writeRate()
    }

    @discardableResult
    func writeRate() async -> CommandOutcome {
        guard let link else { return .notConnected }
        let wanted = rate ?? configuredRate
        let rate = shedLevel.slowsStatus ? .every1000Milliseconds : wanted
        do {
            try await link.write([rate.rawValue], to: .sampleRate)
        } catch {
            return CommandOutcome(.monitorRefused, "the monitor did not accept the rate: \(error)")
        }
        return CommandOutcome(
            .done,
            "a status every \(wanted.periodMilliseconds ?? 0) ms, until rowgate is restarted"
                + (rate == wanted ? "" : "; once a second while the machine is too slow"))
    }

    /// Sheds the load that `level` names, and resumes the rest.
    func shed(_ level: LoadShedding.Level) {
        guard level != shedLevel else { return }
        let before = shedLevel
        shedLevel = level
        liveSchedule.interval = level.liveInterval(over: interval)
        if before.slowsStatus != level.slowsStatus { Task { await writeRate() } }
        // Values that are stored again start with the monitor's identity.
        if before.dropsRaw != level.dropsRaw { isIdentityStored = false }
    }
}

extension WorkoutProcedure.Order {
    /// Adds the pace that the monitor shows.
    fileprivate func showing(_ targets: WorkoutTargets) -> Self {
        guard case .program(let program, let isForced) = self else { return self }
        return .program(program.showing(targets), isForced: isForced)
    }
}
