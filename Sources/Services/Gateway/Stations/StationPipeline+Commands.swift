import HostRuntime
import PM5Codec
import Rowing

/// What commands ask of one erg.
extension StationPipeline {
    /// Carries out an order on the monitor; returns when it was read back, or failed.
    func carryOut(_ order: WorkoutProcedure.Order) async -> CommandOutcome {
        guard let orders else { return .notConnected }
        guard !orders.isBusy else { return .busy }
        let procedure: WorkoutProcedure
        do throws(WorkoutProgramError) {
            procedure = try WorkoutProcedure(order, at: runtime.now())
        } catch {
            return CommandOutcome(.badValue, "\(error)")
        }
        let result = await withCheckedContinuation { orders.start(procedure, $0) }
        guard let result else { return .interrupted }
        return CommandOutcome(order, result)
    }

    func newOrders(through link: any ErgLink) -> MonitorOrders {
        let timer = QueueTimer(on: executor) { [weak self] in
            self?.assumeIsolated { $0.tickOrders(at: $0.runtime.now()) }
        }
        return MonitorOrders(link: link, timer: timer, clock: runtime) { [weak self] in
            Task { [weak self] in await self?.interruptOrders() }
        }
    }

    private func interruptOrders() { orders?.interrupt() }

    /// Has the monitor send its status that often, on this link and on later ones.
    func setRate(_ rate: SampleRate) async -> CommandOutcome {
        self.rate = rate
        return await writeRate()
    }

    @discardableResult
    func writeRate() async -> CommandOutcome {
        guard let link, let rate else { return .notConnected }
        do {
            try await link.write([rate.rawValue], to: .sampleRate)
        } catch {
            return CommandOutcome(.monitorRefused, "the monitor did not take the rate: \(error)")
        }
        return CommandOutcome(
            .done, "a status every \(rate.periodMilliseconds ?? 0) ms, until rowgate is restarted")
    }
}
