import Timeline

/// The gaps of a session. Changes `gaps` and `totals`; reads `head` and `ledger`.
extension Session {
    /// Declares the strokes that are missing, or a time without any: up to `end`, unless the
    /// monitor was back before.
    mutating func declareGap(
        ofStrokes missing: Range<Int>, until end: BootInstant, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        totals.add(missingStrokes: missing.count)
        let outage = gaps.takeOutage()
        let since = outage?.since ?? gaps.lastStroke
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: outage?.reason ?? .notificationsLost,
                    strokes: missing.isEmpty ? nil : ClosedRange(missing),
                    isUncounted: outage?.isUncounted ?? false,
                    duration: since.duration(to: outage?.returned ?? end),
                    isRecovered: outage.map { $0.isRecovered && ledger.isTimeCertain } ?? true)))
    }

    /// Declares splits that the monitor has told and nobody here has heard.
    func declareGap(
        ofSplits missing: Range<Int>, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard !missing.isEmpty else { return }
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: gaps.splitReason ?? .notificationsLost,
                    splits: ClosedRange(missing), duration: .zero,
                    isRecovered: ledger.isTimeCertain)))
    }
}
