import Contract
import DeliveryProof

/// A link with which anybody can see the result of one group piece until it expires.
package struct StoredPieceLink: Equatable, Sendable {
    /// SHA-256 of its code.
    package var digest: String
    package var gateway: GatewayID
    /// The sessions of the piece when the link was created, the first one first. Each of them finds the piece, so the
    /// link stays valid if the session of an athlete is erased.
    package var sessions: [String]
    /// Unix milliseconds.
    package var createdAt: Int64
    /// The name of the user or token that created it.
    package var by: String?
    /// Unix milliseconds.
    package var expiresAt: Int64

    package init(
        digest: String, gateway: GatewayID, sessions: [String], createdAt: Int64, by: String?,
        expiresAt: Int64
    ) {
        (self.digest, self.gateway, self.sessions) = (digest, gateway, sessions)
        (self.createdAt, self.by, self.expiresAt) = (createdAt, by, expiresAt)
    }

    package var sessionNames: [SessionName] {
        sessions.map { SessionName(gateway: gateway, session: $0) }
    }
}

/// Links to the results of group pieces.
///
/// Uses the table `piece_link`.
package final class PieceLinkTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// All links, also expired ones, in order of creation.
    package func all() throws(StoreFailure) -> [StoredPieceLink] { try links(where: "", []) }

    /// The link with this digest; nil if it is unknown, revoked or expired.
    package func link(with digest: String, at now: Int64) throws(StoreFailure) -> StoredPieceLink? {
        try links(where: "WHERE digest = ? AND expires_ms > ?", [.text(digest), .whole(now)]).first
    }

    /// Whether a link has expired and was not deleted yet.
    package func hasExpired(at now: Int64) throws(StoreFailure) -> Bool {
        try connection.live().number(
            "SELECT count(*) FROM piece_link WHERE expires_ms <= ?", [.whole(now)]) ?? 0 > 0
    }

    private func links(
        where condition: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [StoredPieceLink] {
        try connection.live().rows(
            """
            SELECT digest, gw, session_ids, created_ms, created_by, expires_ms FROM piece_link \(condition)
            ORDER BY created_ms, digest
            """, values
        ) { row in
            row.text(1).flatMap { GatewayID($0) }.map { gateway in
                StoredPieceLink(
                    digest: row.text(0) ?? "", gateway: gateway,
                    sessions: (row.text(2) ?? "").split(separator: " ").map(String.init),
                    createdAt: row.whole(3) ?? 0, by: row.text(4), expiresAt: row.whole(5) ?? 0)
            }
        }.compactMap(\.self)
    }

    // MARK: Changing

    package func add(_ link: StoredPieceLink) throws(StoreFailure) {
        try connection.live().run(
            """
            INSERT INTO piece_link (digest, gw, session_ids, created_ms, created_by, expires_ms)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(link.digest), .text(link.gateway.slug), .text(link.sessions.joined(separator: " ")),
                .whole(link.createdAt), link.by.map { .text($0) } ?? .null, .whole(link.expiresAt),
            ])
    }

    /// Revokes a link. Returns false if there is no such link.
    package func remove(_ digest: String) throws(StoreFailure) -> Bool {
        try !connection.live().rows(
            "DELETE FROM piece_link WHERE digest = ? RETURNING digest", [.text(digest)]
        ) { _ in true }.isEmpty
    }

    /// Deletes the links that have expired.
    package func removeExpired(at now: Int64) throws(StoreFailure) {
        try connection.live().run("DELETE FROM piece_link WHERE expires_ms <= ?", [.whole(now)])
    }

    /// Deletes the links of which no session is left, because the only athlete was erased.
    func removeThoseWithoutSessions() throws(StoreFailure) {
        let database = try connection.live()
        for link in try all() {
            let marks = link.sessions.map { _ in "?" }.joined(separator: ", ")
            let count = try database.number(
                "SELECT count(*) FROM session WHERE gw = ? AND session_id IN (\(marks))",
                [.text(link.gateway.slug)] + link.sessions.map { .text($0) })
            if count == 0 { _ = try remove(link.digest) }
        }
    }
}
