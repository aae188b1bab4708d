import Contract

extension SQLStore {
    /// Gateways whose words are kept: whoever may publish can make up any number.
    static let mostGateways: Int64 = 256

    package func words() throws(StoreFailure) -> [GatewayWord] {
        try live().rows("SELECT gw, kind, heard_ms, body FROM said ORDER BY gw, kind") { row in
            row.text(0).flatMap(GatewayID.init).flatMap { gateway in
                row.text(1).flatMap(GatewayWord.Kind.init).map { kind in
                    GatewayWord(
                        gateway: gateway, kind: kind, heardAt: row.whole(2) ?? 0,
                        payload: row.bytes(3))
                }
            }
        }
        .compactMap(\.self)
    }

    /// Puts words in the place of earlier ones; the gateways that were not heard for longest make room.
    func keep(_ words: [GatewayWord]) throws(StoreFailure) {
        if words.isEmpty { return }
        for word in words {
            try database.run(
                """
                INSERT INTO said (gw, kind, heard_ms, body) VALUES (?, ?, ?, ?)
                ON CONFLICT (gw, kind)
                DO UPDATE SET heard_ms = excluded.heard_ms, body = excluded.body
                """,
                [
                    .text(word.gateway.slug), .text(word.kind.rawValue), .whole(word.heardAt),
                    .bytes(word.payload),
                ])
        }
        try database.run(
            """
            DELETE FROM said WHERE gw NOT IN (
                SELECT gw FROM said GROUP BY gw ORDER BY max(heard_ms) DESC, gw LIMIT ?)
            """, [.whole(Self.mostGateways)])
    }
}
