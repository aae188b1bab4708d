import Contract
import Insights
import Rowing
import Timeline

/// Writes reports completely or not at all, even if the power fails: those in which a session
/// begins, ends, or gets its result. With half a report, the next process would end the session
/// again and count a gap behind its end.
///
/// The state first lists the pending entries with numbers and bytes, and is on the medium before
/// them. The next process writes the missing ones (`RingStorage.recoverState`).
/// Writes `numbering` and `retained`.
extension Recorder {
    /// Writes a report with an edge of a session, and the manifest if the session ended.
    func recordAtomically(_ update: StationUpdate, clock: WallClock) {
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
}
