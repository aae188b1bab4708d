import Contract

/// How often records of a gateway were refused for one reason.
package struct RefusalCount: Equatable, Sendable {
    package var gateway: GatewayID
    /// Completes a sentence that begins with "refused, because".
    package var reason: String
    package var times: UInt64
    /// Unix milliseconds: the last refusal.
    package var lastAt: Int64

    package init(gateway: GatewayID, reason: String, times: UInt64, lastAt: Int64) {
        (self.gateway, self.reason) = (gateway, reason)
        (self.times, self.lastAt) = (times, lastAt)
    }

    /// Combines further reasons of a gateway with too many.
    package static let otherReason = "of other reasons"
    /// Maximum separate reasons of a gateway; a publisher can cause any number.
    package static let mostReasons = 50
}

/// Counts of refused records.
///
/// Uses the table `refusal`.
final class RefusalTable {
    private let connection: StoreConnection
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection) { self.connection = connection }

    func counts() throws(StoreFailure) -> [RefusalCount] {
        try connection.live().rows("SELECT gw, reason, times, last_ms FROM refusal ORDER BY gw, reason") {
            row in
            row.text(0).flatMap(GatewayID.init).map {
                RefusalCount(
                    gateway: $0, reason: row.text(1) ?? "", times: row.natural(2),
                    lastAt: row.whole(3) ?? 0)
            }
        }
        .compactMap(\.self)
    }

    /// Adds to the stored counts. With too many gateways, those refused least recently are deleted.
    func add(_ refusals: [RefusalCount]) throws(StoreFailure) {
        if refusals.isEmpty { return }
        for refusal in refusals {
            let known = try database.rows(
                "SELECT reason FROM refusal WHERE gw = ?", [.text(refusal.gateway.slug)]
            ) { row throws(StoreFailure) in row.text(0) ?? "" }
            let isCounted =
                known.contains(refusal.reason) || known.count < RefusalCount.mostReasons
            try database.run(
                """
                INSERT INTO refusal (gw, reason, times, last_ms) VALUES (?, ?, ?, ?)
                ON CONFLICT (gw, reason) DO UPDATE
                SET times = refusal.times + excluded.times, last_ms = excluded.last_ms
                """,
                [
                    .text(refusal.gateway.slug),
                    .text(isCounted ? refusal.reason : RefusalCount.otherReason),
                    .whole(Int64(clamping: refusal.times)), .whole(refusal.lastAt),
                ])
        }
        try database.run(
            """
            DELETE FROM refusal WHERE gw NOT IN (
                SELECT gw FROM refusal GROUP BY gw ORDER BY max(last_ms) DESC, gw LIMIT ?)
            """, [.whole(StatusMessageTable.mostGateways)])
    }
}
