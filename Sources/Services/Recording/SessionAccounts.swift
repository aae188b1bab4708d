import Contract
import HostRuntime
import RingLog
import Rowing

/// What the records of one session add up to, as far as they have been read back.
final class SessionAccount: @unchecked Sendable {
    // Of one queue at a time: it is handed over whole.

    let station: StationID
    let session: SessionID
    /// Its records before this are counted.
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

    /// What it has counted.
    var sum: SessionSum {
        var sum = counted
        sum.digest = digest.state
        return sum
    }

    /// Counts a record if it is one of the session.
    ///
    /// Numbers alone would not do: some may have been passed over, and a ring that came back holds
    /// numbers of several epochs.
    func take(_ message: DurableMessage) {
        let kind = message.kind
        guard message.station == station, !message.isErased, message.sequence >= first[kind],
            // A record that was brought from one ring into the other is met twice.
            message.unixMilliseconds > counted.newest, message.session == session.text
        else { return }
        counted.newest = message.unixMilliseconds
        counted.counts[kind] += 1
        guard kind == .stroke else { return }
        digest.update(message.payload)
        let lowest = counted.strokes?.lowerBound ?? message.sequence
        counted.strokes = lowest...max(lowest, message.sequence)
    }

    /// What it says of the session.
    func manifest(monitorStrokes: Int?) -> Manifest {
        func count(_ kind: StreamKind) -> Int { Int(clamping: counted.counts[kind]) }
        return Manifest(
            session: session, strokes: counted.strokes, strokeCount: count(.stroke),
            strokeDigest: digest.hexadecimal(), forceCount: count(.force),
            splitCount: count(.split), gapCount: count(.gap), monitorStrokes: monitorStrokes)
    }
}

/// The accounts of the sessions that are open, kept while they are rowed.
///
/// Their records are read back from the ring soon after they were written: that proves what was
/// kept rather than what was meant to be, leaves next to nothing to read when a session ends, and
/// holds whatever becomes of the ring afterwards. Confined to the log queue.
struct SessionAccounts {
    private var accounts: [SessionAccount] = []
    private let reader = ResumableReader()
    /// Where reading goes on: the records before this are counted in all accounts.
    private(set) var position = LogPosition.zero

    func contains(_ session: SessionID) -> Bool { accounts.contains { $0.session == session } }

    /// Counts what was recorded since the last call.
    mutating func follow(_ ring: LogView) throws(RingLogError) {
        guard !accounts.isEmpty else {
            position = ring.end
            return
        }
        let stretch = try reader.stretch(from: position, in: ring, messages: .max)
        for case .message(let message, _) in stretch.items {
            for account in accounts { account.take(message) }
        }
        if let next = stretch.next { position = next }
    }

    /// Takes over accounts that were begun elsewhere, or have nothing yet, and counts in them what
    /// they lack; `follow` has just been called.
    mutating func add(_ new: [SessionAccount], _ ring: LogView) throws(RingLogError) {
        accounts += new
        guard let start = new.map(\.position).min(), start < position else { return }
        let rest = try ResumableReader().stretch(from: start, in: ring, messages: .max)
        for case .message(let message, let place) in rest.items where place < position {
            for account in new where account.position <= place { account.take(message) }
        }
    }

    /// Ends an account; nil where there is none.
    mutating func take(_ session: SessionID) -> SessionAccount? {
        guard let index = accounts.firstIndex(where: { $0.session == session }) else { return nil }
        return accounts.remove(at: index)
    }

    /// Another ring is written to from now on, behind its end; what the accounts have stays.
    ///
    /// - Returns: what that is. The ring need not hold the records.
    mutating func changeRing(to ring: LogView) -> [SessionID: SessionSum] {
        position = ring.end
        reader.forget()
        return Dictionary(uniqueKeysWithValues: accounts.map { ($0.session, $0.sum) })
    }
}
