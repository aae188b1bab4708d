import Contract

/// Replays of records: `replays` and `waiters`.
extension Publisher {
    /// Publishes the stored records of a range again, as `historical`. Returns when the broker has
    /// acknowledged them.
    ///
    /// First deliveries continue meanwhile, and the cursor does not move. After a broken connection
    /// the replay continues; only `stop` ends it early.
    package func replay(_ request: ReplayRequest) async -> ReplayOutcome {
        guard state.phase != .idle, state.phase != .stopping else {
            return ReplayOutcome(ending: .stopped)
        }
        if parked.isParked(.stream(request.stream)) {
            return ReplayOutcome(ending: .brokerRefused(reason: PublishReason.notAuthorized))
        }
        guard let id = replays.add(request) else { return ReplayOutcome(ending: .busy) }
        return await withCheckedContinuation { waiter in
            waiters[id] = waiter
            pump()
        }
    }

    func resumeWaiter(of finished: (id: UInt64, outcome: ReplayOutcome)) {
        waiters.removeValue(forKey: finished.id)?.resume(returning: finished.outcome)
    }

    /// Sends due records of the replays, after the records that are published for the first time.
    func pumpReplays() {
        while mayPublishRecord, let record = replays.next(at: now()) {
            send(record, historical: true, awaiting: .replay(record))
        }
        while let finished = replays.removeFinished() { resumeWaiter(of: finished) }
        guard let job = replays.wantsRecords, logCalls.begin(.readForReplay) else { return }
        Task {
            let batch = await source.records(
                of: job.request, after: job.position, limit: Self.batchLimit)
            logCalls.end(.readForReplay)
            replays.supply(batch, for: job)
            pump()
        }
    }
}
