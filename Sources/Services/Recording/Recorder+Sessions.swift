import Contract
import Insights
import Rowing
import Timeline

/// What stations have to say, as records. Writes `numbering` and `retained`.
extension Recorder {
    /// Writes what stations had to say, in order; the edges of sessions are not left to the next commit.
    package func record(_ batch: [StationNews]) {
        let batch = holdBack(batch)
        guard !batch.isEmpty else { return }
        let clock = readClock()
        var (hasEvents, isEdge) = (false, false)
        for news in batch {
            for entry in news.raw.entries { append(RingRecordKind.entry, Array(entry)) }
            guard !news.events.isEmpty || !news.insights.isEmpty else { continue }
            hasEvents = true
            for event in news.events {
                record(event, of: news, clock: clock)
                isEdge = isEdge || event.isEdge
            }
            for insight in news.insights { record(insight, of: news, clock: clock) }
            append(.checkpoint(station: news.station, bytes: news.checkpoint))
            numbering.keep(checkpoint: news.checkpoint, of: news.station)
            retained.numbersMoved(of: [news.station])
        }
        // Values alone are nobody's to publish, and are written with the next commit.
        guard hasEvents else { return }
        flush()
        followWhenFar()
        if isEdge {
            commit()
            publishPositions()
        }
        outlet.recordsAvailable()
    }

    private func record(_ event: SessionEvent, of news: StationNews, clock: WallClock) {
        let station = news.station
        let assignment = numbering.state.streams[station]?.assignment
        let context = RecordContext(
            athlete: event.session.flatMap { assignment?.athlete(in: $0) },
            monitorSerial: news.monitorSerial, clock: clock)
        switch event {
        case .session(let edge):
            if edge.kind == .started {
                numbering.open(edge.session, of: station, at: store.writer.end.rawValue)
                accountForSessions()
            }
            write(event, station: station, context: context)
            if edge.kind == .ended {
                numbering.end(edge.session, at: station, monitorStrokes: edge.monitorStrokes)
                writeManifests(at: edge.at, context)
                numbering.ended(edge.session, at: station)
                publishState(of: station)
            }
            // The state names the open session, which no record does in a form we could read back.
            appendState()
        case .state(let report):
            retained.note(StationReport(station: report, presence: news.presence), of: station)
            publishState(of: station)
        case .stroke, .force, .split, .gap, .summary:
            write(event, station: station, context: context)
        }
    }

    /// Writes what the strokes of several ergs mean.
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
        outlet.recordsAvailable()
    }

    private func record(_ insight: Insight, of news: StationNews, clock: WallClock) {
        let station = news.station
        let assignment = numbering.state.streams[station]?.assignment
        func context(_ session: SessionID?) -> RecordContext {
            RecordContext(athlete: session.flatMap { assignment?.athlete(in: $0) }, clock: clock)
        }
        switch insight {
        case .alert(let alert): record(alert, of: station, context: context(alert.session))
        case .rollup(let rollup):
            write(rollup, station: station, at: rollup.at, context: context(rollup.session))
        }
    }

    /// Writes alerts of the gateway itself.
    package func record(_ alerts: [Alert]) {
        let clock = readClock()
        for alert in alerts { record(alert, of: nil, context: RecordContext(clock: clock)) }
        flush()
        outlet.recordsAvailable()
    }

    private func record(_ alert: Alert, of station: StationID?, context: RecordContext) {
        let stored = write(alert, station: station, at: alert.at, context: context)
        numbering.note(alert: stored, of: station)
    }

    func write(_ event: SessionEvent, station: StationID, context: RecordContext) {
        switch event {
        case .session(let edge): write(edge, station: station, at: edge.at, context: context)
        case .stroke(let stroke): write(stroke, station: station, at: stroke.at, context: context)
        case .force(let curve): write(curve, station: station, at: curve.at, context: context)
        case .split(let split): write(split, station: station, at: split.at, context: context)
        case .gap(let gap): write(gap, station: station, at: gap.at, context: context)
        case .summary(let summary):
            let stored = write(summary, station: station, at: summary.at, context: context)
            outlet.retain(.lastSummary(station), stored)
        case .state: break
        }
    }
}
