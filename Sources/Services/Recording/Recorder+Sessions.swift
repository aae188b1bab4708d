import Contract
import HostRuntime
import RingLog
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
            guard !news.events.isEmpty else { continue }
            hasEvents = true
            for event in news.events {
                record(event, of: news, clock: clock)
                isEdge = isEdge || event.isEdge
            }
            append(.checkpoint(station: news.station, bytes: news.checkpoint))
            numbering.keep(checkpoint: news.checkpoint, of: news.station)
            retained.numbersMoved(of: [news.station])
        }
        // Values alone are nobody's to publish, and are written with the next commit.
        guard hasEvents else { return }
        flush()
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
            }
            write(event, station: station, context: context)
            if edge.kind == .ended {
                let open = numbering.state.streams[station]?.open
                if let open, open.session == edge.session {
                    numbering.close(station)
                    writeManifest(of: open, ending: edge, station: station, context: context)
                }
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

    private func write(_ event: SessionEvent, station: StationID, context: RecordContext) {
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

    // MARK: - Ends

    /// Ends the sessions that were open in another process's ring which came back: nobody goes on
    /// with them, since the monitors were taken up without knowing what that ring knows.
    func endSessions(openIn found: RecorderState) {
        let clock = readClock()
        for station in found.streams.keys.compactMap(\.self).sorted() {
            guard let streams = found.streams[station], let open = streams.open else { continue }
            let context = RecordContext(
                athlete: streams.assignment.athlete(in: open.session), clock: clock)
            let events = ending(of: open, at: station, in: found)
            for event in events {
                write(event, station: station, context: context)
                guard case .session(let edge) = event else { continue }
                writeManifest(of: open, ending: edge, station: station, context: context)
            }
            // Nobody knows how far it got, but what the ring has of it is counted.
            if events.isEmpty {
                writeManifest(of: open, ending: nil, station: station, context: context)
            }
            retained.numbersMoved(of: [station])
        }
    }

    /// Empty where no checkpoint of the session was kept.
    private func ending(
        of open: RecorderState.OpenSession, at station: StationID, in state: RecorderState
    ) -> [SessionEvent] {
        guard let left = InterruptedSession(at: station, in: state, runtime: runtime),
            left.checkpoint.session == open.session
        else { return [] }
        return left.checkpoint.ending(awayFor: left.away, at: runtime.now())
    }

    /// - Parameter edge: nil where the end was not recorded.
    private func writeManifest(
        of open: RecorderState.OpenSession, ending edge: SessionEdge?, station: StationID,
        context: RecordContext
    ) {
        flush()
        var manifest = sessionManifest(open, station: station)
        manifest.monitorStrokes = edge?.monitorStrokes
        write(manifest, station: station, at: edge?.at ?? runtime.now(), context: context)
    }

    /// Counts and digest of a session's records, read back from the ring.
    ///
    /// Reading back proves what is on disk rather than what was meant to be, and needs no digest
    /// state that would have to survive a restart. Numbers alone would not do: some may have been
    /// passed over, and a ring that came back holds numbers of several epochs.
    private func sessionManifest(
        _ open: RecorderState.OpenSession, station: StationID
    ) -> Manifest {
        let digest = SHA256Digest()
        var counts: [StreamKind: Int] = [:]
        var strokes: ClosedRange<UInt64>?
        var newest: UInt64 = 0
        forEachMessage(from: open.position) { message in
            let kind = message.kind
            guard message.station == station, message.sequence >= open.first[kind],
                message.session == open.session.text,
                // A record that was brought from one ring into the other is met twice.
                message.unixMilliseconds > newest
            else { return }
            newest = message.unixMilliseconds
            counts[kind, default: 0] += 1
            guard kind == .stroke else { return }
            digest.update(message.payload)
            let first = strokes?.lowerBound ?? message.sequence
            strokes = first...max(first, message.sequence)
        }
        return Manifest(
            session: open.session, strokes: strokes, strokeCount: counts[.stroke] ?? 0,
            strokeDigest: digest.hexadecimal(), forceCount: counts[.force] ?? 0,
            splitCount: counts[.split] ?? 0, gapCount: counts[.gap] ?? 0)
    }

    private func forEachMessage(from position: UInt64, _ body: (DurableMessage) -> Void) {
        do throws(RingLogError) {
            var reader = try LogReader(
                device: store.device, from: LogPosition(rawValue: position))
            while let item = try reader.next() {
                if case .record(let record) = item, let message = DurableMessage(record) {
                    body(message)
                }
            }
        } catch {
            log.error("a session could not be read back for its manifest: \(error)")
        }
    }
}
