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
    private let first: RecorderState.Numbers
    private let digest = SHA256Digest()
    private var counts: [StreamKind: Int] = [:]
    private var strokes: ClosedRange<UInt64>?
    private var newest: UInt64 = 0

    init(_ open: RecorderState.OpenSession, of station: StationID) {
        self.station = station
        session = open.session
        first = open.first
        position = LogPosition(rawValue: open.position)
    }

    /// Counts a record if it is one of the session.
    ///
    /// Numbers alone would not do: some may have been passed over, and a ring that came back holds
    /// numbers of several epochs.
    func take(_ message: DurableMessage) {
        let kind = message.kind
        guard message.station == station, !message.isErased, message.sequence >= first[kind],
            // A record that was brought from one ring into the other is met twice.
            message.unixMilliseconds > newest, message.session == session.text
        else { return }
        newest = message.unixMilliseconds
        counts[kind, default: 0] += 1
        guard kind == .stroke else { return }
        digest.update(message.payload)
        let lowest = strokes?.lowerBound ?? message.sequence
        strokes = lowest...max(lowest, message.sequence)
    }

    /// The account is closed with it.
    func manifest(monitorStrokes: Int?) -> Manifest {
        Manifest(
            session: session, strokes: strokes, strokeCount: counts[.stroke] ?? 0,
            strokeDigest: digest.hexadecimal(), forceCount: counts[.force] ?? 0,
            splitCount: counts[.split] ?? 0, gapCount: counts[.gap] ?? 0,
            monitorStrokes: monitorStrokes)
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
    mutating func changeRing(to ring: LogView) {
        position = ring.end
        reader.forget()
    }
}
