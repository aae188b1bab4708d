import Contract
import RingLog
import Rowing
import Timeline

/// Counts the records of sessions and writes their manifests. Writes `counters`, `isCatchingUp`,
/// `numbering` and `retained`.
extension Recorder {
    /// Whether the reader must read `position`, because it is far back.
    func isFar(_ position: LogPosition) -> Bool {
        let end = store.writer.end
        return end.rawValue - min(position, end).rawValue > RingReader.near
    }

    /// Reads back the records since the last call.
    func countNewRecords() {
        flush()
        attempt { () throws(RingLogError) in try counters.follow(store.writer.view) }
    }

    /// Limits the amount to read back, however rare commits are.
    func countWhenFarBehind() {
        let end = store.writer.end.rawValue
        if end - min(counters.position.rawValue, end) > RingReader.near / 2 { countNewRecords() }
    }

    /// Adds a counter for each session without one: a new session, or one with records of another process
    /// or a returned ring.
    func openCounters() {
        guard !isCatchingUp else { return }
        let new = numbering.state.unsettled.filter { !counters.contains($0.begun.session) }
            .map { SessionCounter($0.begun, of: $0.station) }
        add(new.filter { !isFar($0.position) })
        let far = new.filter { isFar($0.position) }
        guard !far.isEmpty else { return }
        isCatchingUp = true
        Task { await catchUp(far) }
    }

    /// Makes the reader count older records, until the rest is near.
    private func catchUp(_ far: [SessionCounter]) async {
        var ring = store.writer.view
        repeat {
            ring = store.writer.view
            do throws(RingLogError) {
                try await reader.count(in: far, ring)
            } catch {
                report(error)
            }
        } while ring.device === store.device && isFar(ring.end)
        isCatchingUp = false
        // In another ring the sessions begin at other positions.
        if ring.device === store.device { add(far) }
        openCounters()
        writePendingManifests()
    }

    private func add(_ new: [SessionCounter]) {
        guard !new.isEmpty else { return }
        countNewRecords()
        attempt { () throws(RingLogError) in try counters.add(new, store.writer.view) }
    }

    /// Writes the manifests of ended sessions whose records are all counted: together with the
    /// record `ended`, or as soon as reading back has caught up.
    func writeManifests(at instant: BootInstant, _ context: RecordContext) {
        countNewRecords()
        for ended in numbering.state.ended {
            guard let counter = counters.remove(ended.begun.session) else { continue }
            let manifest = counter.manifest(monitorStrokes: ended.monitorStrokes)
            write(manifest, station: ended.station, at: instant, context: context)
            numbering.settle(ended.begun.session)
            retained.markNumbersChanged(of: [ended.station])
        }
    }

    /// Writes the pending manifests of sessions that an earlier process began, as far as possible;
    /// the ring stores the others.
    func writePendingManifests() {
        guard !numbering.state.ended.isEmpty else { return }
        writeManifests(at: runtime.now(), RecordContext(clock: readClock()))
        appendState()
        commit()
        publishPositions()
        callbacks.recordsAvailable()
    }

    private func attempt(_ body: () throws(RingLogError) -> Void) {
        do throws(RingLogError) { try body() } catch { report(error) }
    }

    private func report(_ error: RingLogError) {
        log.error("records of a session could not be read back for its manifest: \(error)")
    }

    // MARK: - Sessions of another process

    /// Ends the sessions that were open in a returned ring of another process: they cannot
    /// continue, because the monitors were connected without the knowledge of that ring.
    func endSessions(openIn found: RecorderState) {
        let clock = readClock()
        numbering.addPending(found.ended)
        for station in found.stationStates.keys.compactMap(\.self).sorted() {
            guard let stationState = found.stationStates[station], let open = stationState.open
            else { continue }
            let context = RecordContext(
                athlete: stationState.assignment.athlete(in: open.session), clock: clock)
            // Without an end it is unknown how far the session got, but the records in the ring are
            // counted.
            var ended = RecorderState.EndedSession(station: station, begun: open)
            for event in ending(of: open, at: station, in: found) {
                write(event, station: station, context: context)
                if case .session(let edge) = event { ended.monitorStrokes = edge.monitorStrokes }
            }
            numbering.addPending([ended])
            retained.markNumbersChanged(of: [station])
        }
        openCounters()
        writePendingManifests()
    }

    /// Empty if no checkpoint of the session was stored.
    private func ending(
        of open: RecorderState.OpenSession, at station: StationID, in state: RecorderState
    ) -> [SessionEvent] {
        guard let left = InterruptedSession(at: station, in: state, runtime: runtime),
            left.checkpoint.session == open.session
        else { return [] }
        return left.checkpoint.endingEvents(awayFor: left.away, at: runtime.now())
    }
}
