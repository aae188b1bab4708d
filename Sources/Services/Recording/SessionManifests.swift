import Bytes
import Contract
import RingLog
import Rowing
import Timeline

/// Counts the records of sessions and writes their manifests.
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
        guard !counters.isCatchingUp else { return }
        let new = numbering.state.unsettled.filter { !counters.contains($0.begun.session) }
            .map { SessionCounter($0.begun, of: $0.station) }
        add(new.filter { !isFar($0.position) })
        let far = new.filter { isFar($0.position) }
        guard !far.isEmpty else { return }
        counters.beginCatchUp()
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
        counters.endCatchUp()
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

/// Counts and digest of one session's records, as far as they were read back.
final class SessionCounter: @unchecked Sendable {
    // Used by one queue at a time: passed on as a whole.

    let station: StationID
    let session: SessionID
    /// Records of the session before this position are counted.
    var position: LogPosition
    private let first: StreamNumbers
    private var digest: SHA256Digest
    /// Without the digest.
    private var counted: SessionSum

    init(_ open: RecorderState.OpenSession, of station: StationID) {
        self.station = station
        session = open.session
        first = open.first
        position = LogPosition(rawValue: open.position)
        counted = open.counted ?? SessionSum()
        digest = SHA256Digest(state: counted.digest) ?? SHA256Digest()
    }

    /// The counts so far.
    var sum: SessionSum {
        var sum = counted
        sum.digest = digest.state
        return sum
    }

    /// Counts a record if it belongs to the session.
    ///
    /// Numbers alone are not enough: some may have been skipped, and a returned ring holds numbers
    /// of several epochs.
    func count(_ message: DurableMessage) {
        let kind = message.kind
        guard message.station == station, !message.isErased, message.sequence >= first[kind],
            // A record that was copied between rings is read twice.
            message.unixMilliseconds > counted.newest, message.session == session.text
        else { return }
        counted.newest = message.unixMilliseconds
        counted.counts[kind] += 1
        guard kind == .stroke else { return }
        digest.update(message.payload)
        let lowest = counted.strokes?.lowerBound ?? message.sequence
        counted.strokes = lowest...max(lowest, message.sequence)
    }

    /// Returns the manifest of the session.
    func manifest(monitorStrokes: Int?) -> Manifest {
        func count(_ kind: StreamKind) -> Int { Int(clamping: counted.counts[kind]) }
        return Manifest(
            session: session, strokes: counted.strokes, strokeCount: count(.stroke),
            strokeDigest: digest.hexadecimal(), forceCount: count(.force),
            splitCount: count(.split), gapCount: count(.gap), monitorStrokes: monitorStrokes)
    }
}

/// Counters of the open sessions, updated during the sessions.
///
/// Counts records that are read back from the ring soon after they were written. So a manifest proves the
/// stored content, a session's end leaves little to read, and later changes of the ring do not matter.
/// Confined to the log queue.
final class SessionCounters {
    private var counters: [SessionCounter] = []
    private let reader = ResumableReader()
    /// Where reading continues: all counters include the records before this position.
    private(set) var position = LogPosition.zero
    /// Whether another queue counts the older records of some sessions.
    private(set) var isCatchingUp = false

    func contains(_ session: SessionID) -> Bool { counters.contains { $0.session == session } }

    /// Counts the records since the last call.
    func follow(_ ring: LogView) throws(RingLogError) {
        guard !counters.isEmpty else {
            position = ring.end
            return
        }
        let stretch = try reader.stretch(from: position, in: ring, messages: .max)
        for case .message(let message, _) in stretch.items {
            for counter in counters { counter.count(message) }
        }
        if let next = stretch.next { position = next }
    }

    /// Notes that another queue counts the older records of some sessions, until `endCatchUp`.
    func beginCatchUp() { isCatchingUp = true }
    func endCatchUp() { isCatchingUp = false }

    /// Adds counters and their missing counts. Call directly after `follow`.
    func add(_ new: [SessionCounter], _ ring: LogView) throws(RingLogError) {
        counters += new
        guard let start = new.map(\.position).min(), start < position else { return }
        let rest = try ResumableReader().stretch(from: start, in: ring, messages: .max)
        for case .message(let message, let place) in rest.items where place < position {
            for counter in new where counter.position <= place { counter.count(message) }
        }
    }

    /// Removes and returns a counter; nil if there is none.
    func remove(_ session: SessionID) -> SessionCounter? {
        guard let index = counters.firstIndex(where: { $0.session == session }) else { return nil }
        return counters.remove(at: index)
    }

    /// Switches to another ring, from its end on; the counters stay.
    ///
    /// - Returns: the counts so far. The new ring may not hold those records.
    func changeRing(to ring: LogView) -> [SessionID: SessionSum] {
        position = ring.end
        reader.forget()
        return Dictionary(uniqueKeysWithValues: counters.map { ($0.session, $0.sum) })
    }
}

/// The counts and digest of a session's records, as a state stores them.
struct SessionSum: Equatable {
    /// The counted kinds.
    static let kinds: [StreamKind] = [.stroke, .force, .split, .gap]

    var counts = StreamNumbers(repeating: 0)
    /// Numbers of the first and the last stroke.
    var strokes: ClosedRange<UInt64>?
    /// `ts_ms` of the last record.
    var newest: UInt64 = 0
    /// Digest of the strokes, as `SHA256Digest.state`.
    var digest = SHA256Digest().state

    /// Whether the digest holds the id, in its pending last bytes.
    func mentions(_ athlete: String) -> Bool {
        !athlete.isEmpty && digest.range(of: athlete) != nil
    }
}
