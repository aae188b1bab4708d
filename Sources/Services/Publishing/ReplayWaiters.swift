import Contract

/// Who waits for which replay.
struct ReplayWaiters {
    private var waiters: [UInt64: CheckedContinuation<ReplayOutcome, Never>] = [:]

    mutating func add(_ waiter: CheckedContinuation<ReplayOutcome, Never>, for id: UInt64) {
        waiters[id] = waiter
    }

    mutating func resume(_ finished: (id: UInt64, outcome: ReplayOutcome)) {
        waiters.removeValue(forKey: finished.id)?.resume(returning: finished.outcome)
    }
}
