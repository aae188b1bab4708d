import Contract
import HostRuntime
import RingLog
import Rowing

/// Counts and digest of one session's records, as far as they were read back.
final class SessionCounter: @unchecked Sendable {
    // Used by one queue at a time: passed on as a whole.

    let station: StationID
    let session: SessionID
    /// Records of the session before this position are counted.
    var position: LogPosition
    private let first: StreamNumbers
    private let digest: SHA256Digest
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
struct SessionCounters {
    private var counters: [SessionCounter] = []
    private let reader = ResumableReader()
    /// Where reading continues: all counters include the records before this position.
    private(set) var position = LogPosition.zero

    func contains(_ session: SessionID) -> Bool { counters.contains { $0.session == session } }

    /// Counts the records since the last call.
    mutating func follow(_ ring: LogView) throws(RingLogError) {
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

    /// Adds counters and their missing counts. Call directly after `follow`.
    mutating func add(_ new: [SessionCounter], _ ring: LogView) throws(RingLogError) {
        counters += new
        guard let start = new.map(\.position).min(), start < position else { return }
        let rest = try ResumableReader().stretch(from: start, in: ring, messages: .max)
        for case .message(let message, let place) in rest.items where place < position {
            for counter in new where counter.position <= place { counter.count(message) }
        }
    }

    /// Removes and returns a counter; nil if there is none.
    mutating func remove(_ session: SessionID) -> SessionCounter? {
        guard let index = counters.firstIndex(where: { $0.session == session }) else { return nil }
        return counters.remove(at: index)
    }

    /// Switches to another ring, from its end on; the counters stay.
    ///
    /// - Returns: the counts so far. The new ring may not hold those records.
    mutating func changeRing(to ring: LogView) -> [SessionID: SessionSum] {
        position = ring.end
        reader.forget()
        return Dictionary(uniqueKeysWithValues: counters.map { ($0.session, $0.sum) })
    }
}
