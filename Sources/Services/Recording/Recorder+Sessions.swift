import Contract
import Insights
import Rowing
import Timeline

/// Turns reports of stations into records. Writes `numbering` and `retained`.
extension Recorder {
    /// Records the reports of stations in order; edges of sessions do not wait for the next commit.
    package func record(_ batch: [StationNews]) {
        let batch = holdBack(batch)
        guard !batch.isEmpty else { return }
        let clock = readClock()
        var (hasEvents, isEdge) = (false, false)
        for news in batch {
            for entry in news.raw.entries { append(RingRecordKind.entry, Array(entry)) }
            guard !news.events.isEmpty || !news.insights.isEmpty else { continue }
            hasEvents = true
            if news.events.contains(where: \.isEdge) {
                isEdge = true
                recordWhole(news, clock: clock)
            } else {
                record(news, clock: clock)
            }
            retained.numbersMoved(of: [news.station])
        }
        // Raw values alone are not published, and are written with the next commit.
        guard hasEvents else { return }
        flush()
        followWhenFar()
        if isEdge {
            commit()
            publishPositions()
        }
        outlet.recordsAvailable()
    }

    private func record(_ news: StationNews, clock: WallClock) {
        for event in news.events {
            if case .state(let report) = event { note(report, of: news) }
            let context = context(of: event.session, in: news, clock: clock)
            write(event, station: news.station, context: context)
        }
        for insight in news.insights {
            append(.message(number(insight, of: news, clock: clock)))
        }
        append(.checkpoint(station: news.station, bytes: news.checkpoint))
        numbering.keep(checkpoint: news.checkpoint, of: news.station)
    }

    /// Updates the retained state of a station.
    func note(_ report: StationState, of news: StationNews) {
        retained.note(StationReport(station: report, presence: news.presence), of: news.station)
        publishState(of: news.station)
    }

    /// Returns the fields of a record of `session` beside the event; without a session, none of an
    /// athlete.
    func context(
        of session: SessionID?, in news: StationNews, clock: WallClock
    ) -> RecordContext {
        let assignment = numbering.state.streams[news.station]?.assignment
        return RecordContext(
            athlete: session.flatMap { assignment?.athlete(in: $0) },
            monitorSerial: news.monitorSerial, clock: clock)
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
        outlet.recordsAvailable()
    }

    /// Numbers an insight, and notes alerts.
    func number(_ insight: Insight, of news: StationNews, clock: WallClock) -> DurableMessage {
        var context = context(of: insight.session, in: news, clock: clock)
        context.monitorSerial = nil
        switch insight {
        case .alert(let alert):
            let message = number(alert, station: news.station, at: alert.at, context: context)
            numbering.note(alert: message.payload, of: news.station)
            return message
        case .rollup(let rollup):
            return number(rollup, station: news.station, at: rollup.at, context: context)
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
        outlet.recordsAvailable()
    }

    func write(_ event: SessionEvent, station: StationID, context: RecordContext) {
        guard let message = number(event, station: station, context: context) else { return }
        append(.message(message))
        retainLast(message, of: station)
    }

    /// Retains the last summary of an erg for later subscribers.
    func retainLast(_ message: DurableMessage, of station: StationID) {
        if message.kind == .summary { outlet.retain(.lastSummary(station), message.payload) }
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
}
