extension SQLStore {
    package func plans() throws(StoreFailure) -> [StoredPlan] {
        try liveDatabase().rows("SELECT slug, changed_ms, body FROM training_plan ORDER BY slug") { row in
            StoredPlan(
                slug: row.text(0) ?? "", changedAt: row.whole(1) ?? 0, body: row.bytes(2))
        }
    }

    package func save(_ plan: StoredPlan) throws(StoreFailure) {
        try liveDatabase().run(
            """
            INSERT INTO training_plan (slug, changed_ms, body) VALUES (?, ?, ?)
            ON CONFLICT (slug)
            DO UPDATE SET changed_ms = excluded.changed_ms, body = excluded.body
            """, [.text(plan.slug), .whole(plan.changedAt), .bytes(plan.body)])
    }

    package func removePlan(_ slug: String) throws(StoreFailure) -> Bool {
        let found = try liveDatabase().rows(
            "DELETE FROM training_plan WHERE slug = ? RETURNING slug", [.text(slug)]
        ) { _ in true }
        return !found.isEmpty
    }
}
