import Contract
import Insights
import Rowing
import Timeline

/// Reports whose records would have to wait for the disk, in order. Confined to the log queue.
///
/// A number identifies one record even after a power cut. Therefore the ring must have stored a
/// stream before its first record gets a number, and all but the last 1024 numbers. The streams of
/// configured ergs are stored at the start. Reports of an erg that appears later, or that is
/// blocked by a stalled disk, wait here; all others continue.
final class HeldUpdates {
    private var updates: [StationUpdate] = []

    /// Holds the reports of ergs that must wait, and of ergs with a report that waits already.
    ///
    /// - Returns: the other reports, and the ergs that wait.
    func hold(
        _ batch: [StationUpdate], where mustWait: (StationID) -> Bool
    ) -> (others: [StationUpdate], late: Set<StationID>) {
        let late = Set(updates.map(\.station)).union(batch.map(\.station).filter(mustWait))
        guard !late.isEmpty else { return (batch, late) }
        updates += batch.filter { late.contains($0.station) }
        return (batch.filter { !late.contains($0.station) }, late)
    }

    /// Removes and returns all reports.
    func drain() -> [StationUpdate] {
        defer { updates = [] }
        return updates
    }
}

/// Turns reports of stations into records.
extension Recorder {
    /// Records the reports of stations in order; edges of sessions do not wait for the next commit.
    package func record(_ batch: [StationUpdate]) {
        let batch = holdBackUpdates(batch)
        guard !batch.isEmpty else { return }
        let clock = readClock()
        var (hasEvents, isEdge) = (false, false)
        for update in batch {
            for entry in update.raw.entries { append(RingRecordKind.entry, Array(entry)) }
            guard !update.events.isEmpty || !update.insights.isEmpty else { continue }
            hasEvents = true
            if update.events.contains(where: \.isEdge) {
                isEdge = true
                recordAtomically(update, clock: clock)
            } else {
                record(update, clock: clock)
            }
            retained.markNumbersChanged(of: [update.station])
        }
        // Raw values alone are not published, and are written with the next commit.
        guard hasEvents else { return }
        flush()
        countWhenFarBehind()
        if isEdge {
            commit()
            publishPositions()
        }
        callbacks.recordsAvailable()
    }

    private func record(_ update: StationUpdate, clock: WallClock) {
        for event in update.events {
            if case .state(let report) = event { note(report, of: update) }
            let context = context(of: event.session, in: update, clock: clock)
            write(event, station: update.station, context: context)
        }
        for insight in update.insights {
            append(.message(number(insight, of: update, clock: clock)))
        }
        append(.checkpoint(station: update.station, bytes: update.checkpoint))
        numbering.store(checkpoint: update.checkpoint, of: update.station)
    }

    /// Updates the retained state of a station.
    func note(_ report: StationState, of update: StationUpdate) {
        retained.setReport(
            StationReport(station: report, monitorConnection: update.monitorConnection),
            of: update.station)
        publishState(of: update.station)
    }

    /// Returns the fields of a record of `session` beside the event; without a session, none of an
    /// athlete.
    func context(
        of session: SessionID?, in update: StationUpdate, clock: WallClock
    ) -> RecordContext {
        let assignment = numbering.state.stationStates[update.station]?.assignment
        return RecordContext(
            athlete: session.flatMap { assignment?.athlete(in: $0) },
            monitorSerial: update.monitorSerial, clock: clock)
    }

    /// Records insights about several ergs.
    package func record(_ insights: [RoomInsight]) {
        guard !insights.isEmpty else { return }
        let context = RecordContext(clock: readClock())
        for insight in insights {
            switch insight {
            case .room(let rollup):
                write(rollup, station: nil, at: rollup.at, context: context)
            case .crew(let rollup):
                write(rollup, station: nil, at: rollup.minute.at, context: context)
            }
        }
        flush()
        callbacks.recordsAvailable()
    }

    /// Numbers an insight, and notes alerts.
    func number(_ insight: Insight, of update: StationUpdate, clock: WallClock) -> DurableMessage {
        var context = context(of: insight.session, in: update, clock: clock)
        context.monitorSerial = nil
        switch insight {
        case .alert(let alert):
            let message = number(alert, station: update.station, at: alert.at, context: context)
            numbering.note(alert: message.payload, of: update.station)
            return message
        case .rollup(let rollup):
            return number(rollup, station: update.station, at: rollup.at, context: context)
        }
    }

    /// Records alerts of the gateway itself.
    package func record(_ alerts: [Alert]) {
        let clock = readClock()
        for alert in alerts {
            let stored = write(
                alert, station: nil, at: alert.at, context: RecordContext(clock: clock))
            numbering.note(alert: stored, of: nil)
        }
        flush()
        callbacks.recordsAvailable()
    }

    func write(_ event: SessionEvent, station: StationID, context: RecordContext) {
        guard let message = number(event, station: station, context: context) else { return }
        append(.message(message))
        retainLast(message, of: station)
    }

    /// Retains the last summary of an erg for later subscribers.
    func retainLast(_ message: DurableMessage, of station: StationID) {
        if message.kind == .summary { callbacks.retain(.lastSummary(station), message.payload) }
    }

    /// Returns nil for an event that is not recorded.
    func number(
        _ event: SessionEvent, station: StationID, context: RecordContext
    ) -> DurableMessage? {
        func numbered(_ body: some RecordBody, _ instant: BootInstant) -> DurableMessage {
            number(body, station: station, at: instant, context: context)
        }
        return switch event {
        case .session(let edge): numbered(edge, edge.at)
        case .stroke(let stroke): numbered(stroke, stroke.at)
        case .force(let curve): numbered(curve, curve.at)
        case .split(let split): numbered(split, split.at)
        case .gap(let gap): numbered(gap, gap.at)
        case .summary(let summary): numbered(summary, summary.at)
        case .state: nil
        }
    }

    // MARK: - Edges of sessions

    /// Writes a report with an edge of a session completely or not at all, even if the power fails, and the
    /// manifest if the session ended.
    ///
    /// An edge is the begin, the end or the result of a session. With half a report, the next process would
    /// end the session again and count a gap behind its end. Therefore the state first lists the pending
    /// entries with numbers and bytes, and is on the medium before them. The next process writes the missing
    /// ones (`RingStorage.recoverState`).
    private func recordAtomically(_ update: StationUpdate, clock: WallClock) {
        reserveNumbers(of: update)
        let messages = numbered(update, clock: clock)
        numbering.store(checkpoint: update.checkpoint, of: update.station)
        let checkpoint = RingEntry.checkpoint(station: update.station, bytes: update.checkpoint)
        numbering.setPendingEntries((messages.map(RingEntry.message) + [checkpoint]).map { $0.encode() })
        // Entries that do not fit into one record are written first; the head of a segment holds
        // all.
        while storedState.count > store.writer.geometry.maximumRecordSize, writeNextPendingEntry() {}
        appendState()
        store.flushInOrder(numbering.state)
        while writeNextPendingEntry() {}
        flush()
        for message in messages { retainLast(message, of: update.station) }
        for case .session(let edge) in update.events where edge.kind == .ended {
            // A manifest must never survive without the records that it counts.
            store.flushInOrder(numbering.state)
            writeManifests(at: edge.at, context(of: edge.session, in: update, clock: clock))
            publishState(of: update.station)
        }
    }

    /// Writes the next pending entry. Returns whether there was one.
    private func writeNextPendingEntry() -> Bool {
        guard let entry = numbering.state.pendingEntries.first else { return false }
        append(RingRecordKind.entry, entry)
        numbering.removeFirstPendingEntry()
        return true
    }

    /// Records that the numbers require, declarations and commits, come first.
    private func reserveNumbers(of update: StationUpdate) {
        var counts = StreamNumbers(repeating: 0)
        for event in update.events { if let kind = event.kind { counts[kind] += 1 } }
        for insight in update.insights { counts[insight.kind] += 1 }
        for kind in StreamKind.ofStation where counts[kind] > 0 {
            reserveNumber(of: StreamID(station: update.station, kind: kind), count: counts[kind])
        }
    }

    /// Returns all records of a report in order, and the state behind them.
    private func numbered(_ update: StationUpdate, clock: WallClock) -> [DurableMessage] {
        var messages: [DurableMessage] = []
        for event in update.events {
            if case .state(let report) = event { note(report, of: update) }
            if case .session(let edge) = event, edge.kind == .started {
                numbering.open(edge.session, of: update.station, at: store.writer.end.rawValue)
                openCounters()
            }
            let context = context(of: event.session, in: update, clock: clock)
            if let message = number(event, station: update.station, context: context) {
                messages.append(message)
            }
            if case .session(let edge) = event, edge.kind == .ended {
                numbering.end(
                    edge.session, at: update.station, monitorStrokes: edge.monitorStrokes)
                numbering.ended(edge.session, at: update.station)
            }
        }
        return messages + update.insights.map { number($0, of: update, clock: clock) }
    }

    // MARK: - Reports that wait for the disk

    /// Sets aside the reports that must wait; returns the others.
    private func holdBackUpdates(_ batch: [StationUpdate]) -> [StationUpdate] {
        guard store.device.failure == nil else { return batch }
        let (others, late) = heldUpdates.hold(batch) { !numbering.isReserved($0) }
        guard !late.isEmpty else { return batch }
        if numbering.add(late.sorted()) { appendState() }
        commit()
        return others
    }

    /// Records the reports that no longer have to wait.
    func releaseHeldUpdates() {
        let reports = heldUpdates.drain()
        if !reports.isEmpty { record(reports) }
    }
}
