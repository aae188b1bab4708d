import Contract
import RingLog
import Rowing
import Timeline

/// What the records of sessions add up to, and the manifests that say so. Writes `accounts`,
/// `isCatchingUp`, `numbering` and `retained`.
extension Recorder {
    /// Whether what stands at `position` is left to the reader.
    func isFar(_ position: LogPosition) -> Bool {
        let end = store.writer.end
        return end.rawValue - min(position, end).rawValue > RingReader.near
    }

    /// Reads back what was recorded since the last call.
    func followSessions() {
        flush()
        attempt { () throws(RingLogError) in try accounts.follow(store.writer.view) }
    }

    /// So that there is never much to read back at once, however rare commits are.
    func followWhenFar() {
        let end = store.writer.end.rawValue
        if end - min(accounts.position.rawValue, end) > RingReader.near / 2 { followSessions() }
    }

    /// Opens an account for each session that has none: it begins now, or another process or a ring
    /// that came back has records of it.
    func accountForSessions() {
        guard !isCatchingUp else { return }
        let new = numbering.state.unsettled.filter { !accounts.contains($0.begun.session) }
            .map { SessionAccount($0.begun, of: $0.station) }
        add(new.filter { !isFar($0.position) })
        let far = new.filter { isFar($0.position) }
        guard !far.isEmpty else { return }
        isCatchingUp = true
        Task { await catchUp(far) }
    }

    /// Has the reader count what lies far back, until what is left is near.
    private func catchUp(_ far: [SessionAccount]) async {
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
        // In another ring the sessions begin elsewhere.
        if ring.device === store.device { add(far) }
        accountForSessions()
        writeOwedManifests()
    }

    private func add(_ new: [SessionAccount]) {
        guard !new.isEmpty else { return }
        followSessions()
        attempt { () throws(RingLogError) in try accounts.add(new, store.writer.view) }
    }

    /// Writes the manifests of sessions that have ended, as far as all their records are counted: with
    /// the record `ended`, or as soon as what was read back has caught up.
    func writeManifests(at instant: BootInstant, _ context: RecordContext) {
        followSessions()
        for ended in numbering.state.ended {
            guard let account = accounts.take(ended.begun.session) else { continue }
            let manifest = account.manifest(monitorStrokes: ended.monitorStrokes)
            write(manifest, station: ended.station, at: instant, context: context)
            numbering.settle(ended.begun.session)
            retained.numbersMoved(of: [ended.station])
        }
    }

    /// Writes what is owed for sessions that an earlier process began, as far as it can be; the ring
    /// is told of the rest.
    func writeOwedManifests() {
        guard !numbering.state.ended.isEmpty else { return }
        writeManifests(at: runtime.now(), RecordContext(clock: readClock()))
        appendState()
        commit()
        publishPositions()
        outlet.recordsAvailable()
    }

    private func attempt(_ body: () throws(RingLogError) -> Void) {
        do throws(RingLogError) { try body() } catch { report(error) }
    }

    private func report(_ error: RingLogError) {
        log.error("records of a session could not be read back for its manifest: \(error)")
    }

    // MARK: - Sessions of others

    /// Ends the sessions that were open in another process's ring which came back: nobody goes on
    /// with them, since the monitors were taken up without knowing what that ring knows.
    func endSessions(openIn found: RecorderState) {
        let clock = readClock()
        numbering.owe(found.ended)
        for station in found.streams.keys.compactMap(\.self).sorted() {
            guard let streams = found.streams[station], let open = streams.open else { continue }
            let context = RecordContext(
                athlete: streams.assignment.athlete(in: open.session), clock: clock)
            // Without an end nobody knows how far it got, but what the ring has of it is counted.
            var ended = RecorderState.EndedSession(station: station, begun: open)
            for event in ending(of: open, at: station, in: found) {
                write(event, station: station, context: context)
                if case .session(let edge) = event { ended.monitorStrokes = edge.monitorStrokes }
            }
            numbering.owe([ended])
            retained.numbersMoved(of: [station])
        }
        accountForSessions()
        writeOwedManifests()
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
}
