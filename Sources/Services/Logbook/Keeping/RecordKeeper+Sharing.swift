import Contract
import LogbookStores

/// A store that several logbooks share: whose gateways are whose. Changes `desk`.
///
/// All of them hear everything, and each keeps the records of its gateways. A part that changes hands
/// brings what the store has of it; what nobody stored meanwhile is a hole, and is asked for.
extension RecordKeeper {
    /// Whether records of a gateway are kept here, and not by another logbook.
    func keeps(_ gateway: GatewayID) -> Bool {
        intake.withLock { $0.parts.contains(gateway) }
    }

    /// Whether this logbook speaks for all that share the store.
    var isFirst: Bool { intake.withLock { $0.parts.isFirst } }

    /// Agrees with the others, and takes what is ours.
    func deal() {
        // Whoever gets a part next is to find in the store what we have of it.
        if desk.words == nil { keep(isLast: true) }
        do throws(StoreFailure) {
            guard let share = try store.deal() else { return }
            recovered()
            guard let before = desk.share, share.isNews(after: before) else { return }
            try take(share)
            if share.parts.isFirst, !before.parts.isFirst { try leadNotices() }
            sayShare()
        } catch { failed(error) }
    }

    func sayShare() {
        if let share = desk.share { log.notice("of the store, ours are \(share.words)") }
    }

    private func take(_ share: StoreShare) throws(StoreFailure) {
        let (states, declarations) = (try store.streams(), try store.declarations())
        let missing = try Self.missing(in: store, share.taken)
        intake.withLock { $0.take(share, states, declarations) }
        desk.unjudged = desk.unjudged.filter { share.parts.contains($0.gateway) }
        desk.unjudged.formUnion(missing)
        desk.judge.leave { !share.parts.contains($0) }
        desk.share = share
    }

    /// What the logbooks have to say is published here from now on.
    private func leadNotices() throws(StoreFailure) {
        desk.numbers = try store.noticeNumbers()
        desk.notices.takeOver(published: desk.numbers?.published ?? 0)
    }
}

extension StoreShare {
    fileprivate func isNews(after before: StoreShare) -> Bool {
        taken != .none || parts != before.parts || logbooks != before.logbooks
    }

    /// `8 of 16 parts of the gateways, as one of 2 logbooks that share it`.
    fileprivate var words: String {
        "\(parts.numbers.count) of \(GatewayParts.count) parts of the gateways, as one of "
            + "\(logbooks) \(logbooks == 1 ? "logbook" : "logbooks") that share it"
    }
}
