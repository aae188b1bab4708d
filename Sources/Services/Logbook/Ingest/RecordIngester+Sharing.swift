import Contract
import LogbookStores

/// Sharing one store between several logbooks. Changes `executorState`.
///
/// Each logbook receives all messages and stores the records of its gateways. A logbook that takes over a
/// shard reads its state from the store. Records that were not stored meanwhile are gaps and are requested.
extension RecordIngester {
    /// Whether this logbook, and not another one, stores the gateway's records.
    func stores(_ gateway: GatewayID) -> Bool {
        queue.withLock { $0.shards.contains(gateway) }
    }

    /// Whether this logbook publishes for all logbooks that share the store.
    var isFirst: Bool { queue.withLock { $0.shards.isFirst } }

    /// Negotiates the shards with the other logbooks and applies the result.
    func updateShare() {
        // The next owner of a shard must find all its records in the store.
        if executorState.lastFailure == nil { commitBatch(isLast: true) }
        do throws(StoreFailure) {
            guard let share = try store.rebalanceShards() else { return }
            recovered()
            guard let before = executorState.share, share.isChanged(from: before) else { return }
            try apply(share)
            if share.shards.isFirst, !before.shards.isFirst { try startPublishingNotices() }
            logShare()
        } catch { failed(error) }
    }

    func logShare() {
        if let share = executorState.share { log.notice("this logbook stores \(share.summary)") }
    }

    private func apply(_ share: StoreShare) throws(StoreFailure) {
        let (states, declarations) = (try store.streams(), try store.declarations())
        let incomplete = try Self.incompleteSessions(in: store, share.acquired)
        queue.withLock { $0.apply(share, states, declarations) }
        executorState.unverified = executorState.unverified.filter { share.shards.contains($0.gateway) }
        executorState.unverified.formUnion(incomplete)
        executorState.verifier.release { !share.shards.contains($0) }
        executorState.share = share
    }

    /// Publishes the notices of all logbooks from now on.
    private func startPublishingNotices() throws(StoreFailure) {
        executorState.noticeNumbers = try store.noticeNumbers()
        executorState.noticeQueue.restart(published: executorState.noticeNumbers?.published ?? 0)
    }
}

extension StoreShare {
    fileprivate func isChanged(from before: StoreShare) -> Bool {
        acquired != .none || shards != before.shards || logbooks != before.logbooks
    }

    /// A text such as `8 of 16 shards of the gateways; 2 logbooks share the store`.
    fileprivate var summary: String {
        "\(shards.numbers.count) of \(GatewayShards.count) shards of the gateways; \(logbooks) "
            + "\(logbooks == 1 ? "logbook uses" : "logbooks share") the store"
    }
}
