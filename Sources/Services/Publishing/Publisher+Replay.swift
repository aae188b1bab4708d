import Contract

/// Records that somebody wants once more.
extension Publisher {
    /// Publishes the stored records of a range again, `historical`, and returns when the broker has
    /// them.
    ///
    /// First deliveries go on beside it, and the cursor does not move. A broken connection is waited
    /// out; only `stop` cuts a replay short.
    package func replay(_ request: ReplayRequest) async -> ReplayOutcome {
        guard phase != .idle, phase != .stopping else { return ReplayOutcome(ending: .stopped) }
        guard let id = replays.add(request) else { return ReplayOutcome(ending: .busy) }
        return await withCheckedContinuation { waiter in
            replayWaiters[id] = waiter
            pump()
        }
    }

    /// Sends what is due of the replays, after the records that are published for the first time.
    func pumpReplays() {
        guard phase == .online else { return }
        while let record = replays.next(at: now()) {
            if !send(record, historical: true, awaiting: .replay(record)) {
                replays.settle(record, reason: PublishReason.unspecified)
            }
        }
        while let finished = replays.takeFinished() { resumeReplays([finished]) }
        readOnForReplay()
        if let due = replays.nextDue {
            replayTimer?.fire(after: now().duration(to: due))
        } else {
            replayTimer?.stop()
        }
    }

    private func readOnForReplay() {
        guard let job = replays.wantsRecords, !isReadingReplay else { return }
        isReadingReplay = true
        Task {
            let batch = await source.records(
                of: job.request, after: job.position, limit: Self.batchLimit)
            isReadingReplay = false
            replays.supply(batch, for: job)
            pump()
        }
    }

    func resumeReplays(_ finished: [(id: UInt64, outcome: ReplayOutcome)]) {
        for (id, outcome) in finished {
            replayWaiters.removeValue(forKey: id)?.resume(returning: outcome)
        }
    }
}
