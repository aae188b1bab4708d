import Contract
import Insights
import Rowing
import Timeline

/// Turns reports of stations into records. Writes `numbering` and `retained`.
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
}
