import Contract
import Insights
import Rowing
import Timeline

/// What comes whole or not at all, wherever a cut falls: a report in which a session begins, ends, or has
/// its result. Half of it would have the next process end the session once more, and count a gap behind
/// its end.
///
/// The state says first which entries are about to come, numbers and bytes, and is on the medium before
/// them; the next process writes those that it does not find behind (`RingStorage.recoverState`).
/// Writes `numbering` and `retained`.
extension Recorder {
    /// Writes a report with an edge in it, and the manifest of a session that ended.
    func recordWhole(_ news: StationNews, clock: WallClock) {
        reserveNumbers(of: news)
        let messages = numbered(news, clock: clock)
        numbering.keep(checkpoint: news.checkpoint, of: news.station)
        let checkpoint = RingEntry.checkpoint(station: news.station, bytes: news.checkpoint)
        numbering.promise((messages.map(RingEntry.message) + [checkpoint]).map { $0.encode() })
        // What does not fit into one record comes before; the head of a segment takes it all.
        while storedState.count > store.writer.geometry.maximumRecordSize, keepPromise() {}
        appendState()
        store.flushInOrder(numbering.state)
        while keepPromise() {}
        flush()
        for message in messages { retainLast(message, of: news.station) }
        for case .session(let edge) in news.events where edge.kind == .ended {
            // A manifest never outlives what it counts.
            store.flushInOrder(numbering.state)
            writeManifests(at: edge.at, context(of: edge.session, in: news, clock: clock))
            publishState(of: news.station)
        }
    }

    /// Writes the next entry that was promised. Returns whether there was one.
    private func keepPromise() -> Bool {
        guard let entry = numbering.state.promised.first else { return false }
        append(RingRecordKind.entry, entry)
        numbering.keepPromise()
        return true
    }

    /// What numbers cost, declarations and commits, comes before them.
    private func reserveNumbers(of news: StationNews) {
        var counts = StreamNumbers(repeating: 0)
        for event in news.events { if let kind = event.kind { counts[kind] += 1 } }
        for insight in news.insights { counts[insight.kind] += 1 }
        for kind in StreamKind.ofStation where counts[kind] > 0 {
            reserveNumber(of: StreamID(station: news.station, kind: kind), count: counts[kind])
        }
    }

    /// All records of a report, in order, and what the state knows behind them.
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
