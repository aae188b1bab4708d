import Contract
import HostRuntime
import PM5Codec
import Rowing

/// What commands, and a machine that is too slow, ask of one erg. Changes `rate`, `leftOut`,
/// `livePace` and `isIdentityKept`, and speaks through the channel.
extension StationPipeline {
    /// Carries out an order on the monitor; returns when it was read back, or failed.
    ///
    /// - Parameter targets: what the piece of a workout is held against.
    func carryOut(
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
            aim(at: targets, in: workout)
        }
        return CommandOutcome(order, result)
    }

    /// The `MonitorConversation` of a link that has just opened, with what it needs to speak.
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

    /// Has the monitor send its status that often, on this link and on later ones.
    func setRate(_ rate: SampleRate) async -> CommandOutcome {
        self.rate = rate
        return await writeRate()
    }

    @discardableResult
    func writeRate() async -> CommandOutcome {
        guard let link else { return .notConnected }
        let wanted = rate ?? configuredRate
        let rate = leftOut.slowsStatus ? .every1000Milliseconds : wanted
        do {
            try await link.write([rate.rawValue], to: .sampleRate)
        } catch {
            return CommandOutcome(.monitorRefused, "the monitor did not take the rate: \(error)")
        }
        return CommandOutcome(
            .done,
            "a status every \(wanted.periodMilliseconds ?? 0) ms, until rowgate is restarted"
                + (rate == wanted ? "" : "; once a second while the machine is too slow"))
    }

    /// Leaves out what `step` says, and takes up again what it does not.
    func leaveOut(_ step: LoadSteps.Step) {
        guard step != leftOut else { return }
        let before = leftOut
        leftOut = step
        livePace.interval = step.liveInterval(over: interval)
        if before.slowsStatus != step.slowsStatus { Task { await writeRate() } }
        // Values that are kept again begin with whose they are.
        if before.dropsRaw != step.dropsRaw { isIdentityKept = false }
    }
}

extension WorkoutProcedure.Order {
    /// The same with the pace that the monitor is to show.
    fileprivate func showing(_ targets: WorkoutTargets) -> Self {
        guard case .program(let program, let isForced) = self else { return self }
        return .program(program.showing(targets), isForced: isForced)
    }
}
