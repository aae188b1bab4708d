import Timeline

/// The gaps of a session. Changes `gaps` and `totals`; reads `head` and `intervals`.
extension Session {
    /// Declares missing strokes, or an outage without missing strokes. The gap ends when values arrived
    /// again, otherwise at `end`.
    mutating func declareGap(
        ofStrokes missing: Range<Int>, until end: BootInstant, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        totals.add(missingStrokes: missing.count)
        let outage = gaps.removeOutage()
        let since = outage?.since ?? gaps.lastStroke
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: outage?.reason ?? .notificationsLost,
                    strokes: missing.isEmpty ? nil : ClosedRange(missing),
                    isUncounted: outage?.isUncounted ?? false,
                    duration: since.duration(to: outage?.returned ?? end),
                    isRecovered: outage.map { $0.isRecovered && intervals.isTimeCertain } ?? true)))
    }

    /// Declares splits that the monitor sent but the gateway did not receive.
    func declareGap(
        ofSplits missing: Range<Int>, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard !missing.isEmpty else { return }
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: gaps.splitReason ?? .notificationsLost,
                    splits: ClosedRange(missing), duration: .zero,
                    isRecovered: intervals.isTimeCertain)))
    }
}
