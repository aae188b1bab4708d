import Contract

/// The last status messages of the gateways.
///
/// Uses the table `said`.
final class StatusMessageTable {
    /// Maximum gateways with stored status messages; a publisher can make up any number.
    static let mostGateways: Int64 = 256

    private let connection: StoreConnection
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection) { self.connection = connection }

    func all() throws(StoreFailure) -> [GatewayStatusMessage] {
        try connection.live().rows("SELECT gw, kind, heard_ms, body FROM said ORDER BY gw, kind") { row in
            row.text(0).flatMap(GatewayID.init).flatMap { gateway in
                row.text(1).flatMap(GatewayStatusMessage.Kind.init).map { kind in
                    GatewayStatusMessage(
                        gateway: gateway, kind: kind, reportedAt: row.whole(2) ?? 0,
                        payload: row.bytes(3))
                }
            }
        }
        .compactMap(\.self)
    }

    /// Replaces earlier messages. With too many gateways, those received least recently are deleted.
    func save(_ messages: [GatewayStatusMessage]) throws(StoreFailure) {
        if messages.isEmpty { return }
        for message in messages {
            try database.run(
                """
                INSERT INTO said (gw, kind, heard_ms, body) VALUES (?, ?, ?, ?)
                ON CONFLICT (gw, kind)
                DO UPDATE SET heard_ms = excluded.heard_ms, body = excluded.body
                """,
                [
                    .text(message.gateway.slug), .text(message.kind.rawValue), .whole(message.reportedAt),
                    .bytes(message.payload),
                ])
        }
        try database.run(
            """
            DELETE FROM said WHERE gw NOT IN (
                SELECT gw FROM said GROUP BY gw ORDER BY max(heard_ms) DESC, gw LIMIT ?)
            """, [.whole(StatusMessageTable.mostGateways)])
    }
}
