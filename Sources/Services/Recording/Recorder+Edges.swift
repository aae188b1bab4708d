import Contract
import Insights
import Rowing
import Timeline

/// Writes reports completely or not at all, even if the power fails: those in which a session
/// begins, ends, or gets its result. With half a report, the next process would end the session
/// again and count a gap behind its end.
///
/// The state first lists the announced entries with numbers and bytes, and is on the medium before
/// them. The next process writes those that are missing behind it (`RingStorage.recoverState`).
/// Writes `numbering` and `retained`.
extension Recorder {
    /// Writes a report with an edge of a session, and the manifest if the session ended.
    func recordWhole(_ news: StationNews, clock: WallClock) {
        reserveNumbers(of: news)
        let messages = numbered(news, clock: clock)
        numbering.keep(checkpoint: news.checkpoint, of: news.station)
        let checkpoint = RingEntry.checkpoint(station: news.station, bytes: news.checkpoint)
        numbering.promise((messages.map(RingEntry.message) + [checkpoint]).map { $0.encode() })
        // Entries that do not fit into one record are written first; the head of a segment holds
        // all.
        while storedState.count > store.writer.geometry.maximumRecordSize, keepPromise() {}
        appendState()
        store.flushInOrder(numbering.state)
        while keepPromise() {}
        flush()
        for message in messages { retainLast(message, of: news.station) }
        for case .session(let edge) in news.events where edge.kind == .ended {
            // A manifest must never survive without the records that it counts.
            store.flushInOrder(numbering.state)
            writeManifests(at: edge.at, context(of: edge.session, in: news, clock: clock))
            publishState(of: news.station)
        }
    }

    /// Writes the next announced entry. Returns whether there was one.
    private func keepPromise() -> Bool {
        guard let entry = numbering.state.promised.first else { return false }
        append(RingRecordKind.entry, entry)
        numbering.keepPromise()
        return true
    }

    /// Records that the numbers require, declarations and commits, come first.
    private func reserveNumbers(of news: StationNews) {
        var counts = StreamNumbers(repeating: 0)
        for event in news.events { if let kind = event.kind { counts[kind] += 1 } }
        for insight in news.insights { counts[insight.kind] += 1 }
        for kind in StreamKind.ofStation where counts[kind] > 0 {
            reserveNumber(of: StreamID(station: news.station, kind: kind), count: counts[kind])
        }
    }

    /// Returns all records of a report in order, and the state behind them.
    private func numbered(_ news: StationNews, clock: WallClock) -> [DurableMessage] {
        var messages: [DurableMessage] = []
        for event in news.events {
            if case .state(let report) = event { note(report, of: news) }
            if case .session(let edge) = event, edge.kind == .started {
                numbering.open(edge.session, of: news.station, at: store.writer.end.rawValue)
                accountForSessions()
            }
            let context = context(of: event.session, in: news, clock: clock)
            if let message = number(event, station: news.station, context: context) {
                messages.append(message)
            }
            if case .session(let edge) = event, edge.kind == .ended {
                numbering.end(
                    edge.session, at: news.station, monitorStrokes: edge.monitorStrokes)
                numbering.ended(edge.session, at: news.station)
            }
        }
        return messages + news.insights.map { number($0, of: news, clock: clock) }
    }
}
