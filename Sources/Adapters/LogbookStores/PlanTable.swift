/// A stored training plan; `body` is parsed by the plan module.
package struct StoredPlan: Equatable, Sendable {
    package var slug: String
    /// Last change in Unix milliseconds.
    package var changedAt: Int64
    /// JSON.
    package var body: [UInt8]

    package init(slug: String, changedAt: Int64, body: [UInt8]) {
        (self.slug, self.changedAt, self.body) = (slug, changedAt, body)
    }
}

/// Training plans, by slug.
///
/// Uses the table `training_plan`.
final class PlanTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    func all() throws(StoreFailure) -> [StoredPlan] {
        try connection.live().rows("SELECT slug, changed_ms, body FROM training_plan ORDER BY slug") { row in
            StoredPlan(
                slug: row.text(0) ?? "", changedAt: row.whole(1) ?? 0, body: row.bytes(2))
        }
    }

    func save(_ plan: StoredPlan) throws(StoreFailure) {
        try connection.live().run(
            """
            INSERT INTO training_plan (slug, changed_ms, body) VALUES (?, ?, ?)
            ON CONFLICT (slug)
            DO UPDATE SET changed_ms = excluded.changed_ms, body = excluded.body
            """, [.text(plan.slug), .whole(plan.changedAt), .bytes(plan.body)])
    }

    func remove(_ slug: String) throws(StoreFailure) -> Bool {
        let found = try connection.live().rows(
            "DELETE FROM training_plan WHERE slug = ? RETURNING slug", [.text(slug)]
        ) { _ in true }
        return !found.isEmpty
    }
}
