import Bytes
import Contract
import DeliveryProof
import HostRuntime
import LogbookStores
import Timeline

/// A link to the result of a group piece, without its code.
struct PieceLink: Equatable, Sendable {
    /// Names the link to users; the first digits of the digest of its code.
    var id: String { String(stored.digest.prefix(12)) }
    let stored: StoredPieceLink

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("link_id", id)
        json.field("created_ms", stored.createdAt)
        json.field("by", stored.by)
        json.field("expires_ms", stored.expiresAt)
    }
}

/// Links with which anybody can see the result of one group piece, without signing in.
///
/// A link belongs to the piece of the first of its sessions that is still stored. It is valid for 30 days, or until
/// it is revoked.
struct PieceLinkRepository {
    /// How long a link is valid: milliseconds.
    static let period: Int64 = 30 * 86_400_000
    /// The largest number of valid links to a piece, and of all links.
    static let (maximumOfPiece, maximum) = (20, 2000)

    /// A request that cannot be carried out, with the remedy.
    enum Fault: Error, Equatable, CustomStringConvertible {
        case unknown(String)
        case tooMany(Int)

        var description: String {
            switch self {
            case .unknown(let id):
                "there is no link \"\(id.prefix(40))\" to this piece; it may have expired or be revoked"
            case .tooMany(let count): "there are \(count) links already; revoke some first"
            }
        }
    }

    let store: any LogbookStore
    /// Unix milliseconds.
    let now: Int64

    // MARK: Reading

    /// Returns the valid links to a piece in order of creation.
    func links(to piece: StoredPiece) throws -> [PieceLink] {
        let names = Set(piece.sessions.map(\.name))
        return try store.pieceLinks.all().filter { link in
            guard link.expiresAt > now, link.sessionNames.contains(where: names.contains) else {
                return false
            }
            return try session(of: link).map(names.contains) ?? false
        }.map(PieceLink.init)
    }

    /// Returns the session whose piece a code shows; nil if its link is unknown, revoked or expired.
    func session(forCode code: Token) throws -> (name: SessionName, expiresAt: Int64)? {
        guard let link = try store.pieceLinks.link(with: code.digest, at: now) else { return nil }
        return try session(of: link).map { ($0, link.expiresAt) }
    }

    /// Returns the first session of a link that is still stored.
    private func session(of link: StoredPieceLink) throws -> SessionName? {
        try link.sessionNames.first { try store.session($0) != nil }
    }

    // MARK: Changing

    /// Stores a new link to a piece.
    ///
    /// - Parameter name: The name of the user or token that creates it.
    func share(_ piece: StoredPiece, with code: Token, by name: String?) throws -> PieceLink {
        let link = StoredPieceLink(
            digest: code.digest, gateway: piece.first.name.gateway,
            sessions: piece.sessions.map(\.name.session), createdAt: now, by: name,
            expiresAt: now + Self.period)
        try store.atomically {
            guard try links(to: piece).count < Self.maximumOfPiece else {
                throw Fault.tooMany(Self.maximumOfPiece)
            }
            guard try store.pieceLinks.all().count < Self.maximum else { throw Fault.tooMany(Self.maximum) }
            try store.pieceLinks.add(link)
        }
        return PieceLink(stored: link)
    }

    /// Makes a link to a piece invalid.
    func revoke(_ id: String, to piece: StoredPiece) throws {
        guard let link = try links(to: piece).first(where: { $0.id == id }),
            try store.pieceLinks.remove(link.stored.digest)
        else { throw Fault.unknown(id) }
    }
}

/// Deletes the links to group results that have expired, once an hour.
final class PieceLinkCleaner: Sendable {
    static let interval = Duration.seconds(3600)

    private let writer: StoreQueue
    private let runtime: any Runtime
    private let log: SystemLog
    private let executor: SerialQueueExecutor
    private nonisolated(unsafe) var timer: QueueTimer?  // of the executor alone

    init(writer: StoreQueue, runtime: any Runtime, log: SystemLog) {
        (self.writer, self.runtime, self.log) = (writer, runtime, log)
        executor = runtime.makeQueue(label: "logbook.links")
    }

    func start() {
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.clean() }
            timer?.fire(every: Self.interval)
            clean()
        }
    }

    func stop() { executor.enter { [self] in timer?.cancel() } }

    /// Waits for a synchronised clock, because the clock could be years ahead.
    func clean() {
        guard runtime.wall().isSynchronized else { return }
        let now = runtime.unixMilliseconds()
        _ = writer.perform(
            { store in
                guard try store.pieceLinks.hasExpired(at: now) else { return }
                try store.pieceLinks.removeExpired(at: now)
            }, failed: { [log] in log.warning("expired links are not deleted: \($0); retrying in an hour") })
    }
}
