import Contract

extension SQLStore {
    /// Maximum stored notices; the oldest are deleted, published or not. A club of 64 makes about 70 000 a
    /// year, most of which are withdrawn and empty.
    static let mostNotices: UInt64 = 100_000

    package func noticeNumbers() throws(StoreFailure) -> NoticeNumbers? {
        try liveDatabase().rows("SELECT epoch, since_ms, last, published FROM notice_numbers") { row in
            NoticeNumbers(
                epoch: row.text(0) ?? "", since: row.whole(1) ?? 0, last: row.natural(2),
                published: row.natural(3))
        }.first
    }

    package func notices(
        after sequence: UInt64, limit: Int
    ) throws(StoreFailure) -> [StoredNotice] {
        try notices(
            "seq > ? ORDER BY seq LIMIT ?",
            [.whole(Int64(clamping: sequence)), .whole(Int64(limit))])
    }

    package func notices(
        of kind: NoticeKind, about athlete: String
    ) throws(StoreFailure) -> [StoredNotice] {
        try notices(
            "kind = ? AND athlete_id = ? ORDER BY seq", [.text(kind.rawValue), .text(athlete)])
    }

    private func notices(
        _ condition: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [StoredNotice] {
        try liveDatabase().rows(
            "SELECT seq, kind, subject, made_ms, withdraws, body FROM notice WHERE \(condition)",
            values
        ) { row in
            row.text(1).flatMap(NoticeKind.init).map { kind in
                StoredNotice(
                    sequence: row.natural(0), kind: kind, subject: row.text(2),
                    madeAt: row.whole(3) ?? 0,
                    withdraws: row.whole(4).map { UInt64(clamping: $0) }, members: row.bytes(5))
            }
        }
        .compactMap(\.self)
    }

    package func athletesOfStrayNotices() throws(StoreFailure) -> [String] {
        try liveDatabase().rows(
            """
            SELECT DISTINCT athlete_id FROM notice
            WHERE athlete_id IS NOT NULL AND session_id IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM session WHERE session.gw = notice.gw
                AND session.session_id = notice.session_id
                AND session.athlete_id = notice.athlete_id)
            ORDER BY athlete_id
            """
        ) { $0.text(0) }.compactMap(\.self)
    }

    // MARK: Writing

    /// Call within a transaction.
    func apply(_ changes: NoticeChanges, at now: Int64) throws(StoreFailure) {
        if changes.isEmpty { return }
        if let epoch = changes.epoch, try noticeNumbers() == nil {
            try database.run(
                "INSERT INTO notice_numbers (epoch, since_ms, last, published) VALUES (?, ?, 0, 0)",
                [.text(epoch), .whole(now)])
        }
        // Locks the numbering: another logbook that shares the store waits here until this transaction
        // ends.
        try database.run("UPDATE notice_numbers SET last = last", [])
        guard var numbers = try noticeNumbers() else { return }
        for sequence in changes.withdrawn { try withdraw(sequence, at: now, &numbers) }
        for notice in changes.added { try add(notice, at: now, &numbers) }
        if let published = changes.published {
            numbers.published = max(numbers.published, published)
        }
        try database.run(
            "UPDATE notice_numbers SET last = ?, published = ?",
            [.whole(Int64(numbers.last)), .whole(Int64(numbers.published))])
        guard numbers.last > mostNotices else { return }
        try database.run(
            "DELETE FROM notice WHERE seq <= ?", [.whole(Int64(numbers.last - mostNotices))])
    }

    private func add(
        _ notice: Notice, at now: Int64, _ numbers: inout NoticeNumbers
    ) throws(StoreFailure) {
        let known = try database.number(
            "SELECT seq FROM notice WHERE kind = ? AND subject = ?",
            [.text(notice.kind.rawValue), .text(notice.subject)])
        if known != nil { return }
        // The athlete was erased after the notice was made.
        if let session = notice.session, try ForgottenAthletes.isForgotten(session, database) { return }
        numbers.last += 1
        try database.run(
            """
            INSERT INTO notice (seq, kind, subject, athlete_id, gw, session_id, made_ms, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .whole(Int64(numbers.last)), .text(notice.kind.rawValue), .text(notice.subject),
                SQLValue(notice.athlete), SQLValue(notice.session?.gateway.slug),
                SQLValue(notice.session?.session), .whole(now), .bytes(notice.members),
            ])
    }

    /// Deletes the notice's content, and adds its withdrawal under a new number.
    private func withdraw(
        _ sequence: UInt64, at now: Int64, _ numbers: inout NoticeNumbers
    ) throws(StoreFailure) {
        let kind = try database.rows(
            "SELECT kind FROM notice WHERE seq = ? AND subject IS NOT NULL",
            [.whole(Int64(clamping: sequence))]
        ) { row throws(StoreFailure) in row.text(0) ?? "" }.first
        guard let kind else { return }
        try database.run(
            """
            UPDATE notice SET subject = NULL, athlete_id = NULL, gw = NULL, session_id = NULL,
                body = ? WHERE seq = ?
            """, [.bytes([]), .whole(Int64(clamping: sequence))])
        numbers.last += 1
        try database.run(
            "INSERT INTO notice (seq, kind, made_ms, withdraws, body) VALUES (?, ?, ?, ?, ?)",
            [
                .whole(Int64(numbers.last)), .text(kind), .whole(now),
                .whole(Int64(clamping: sequence)),
                .bytes(NoticePayload.withdrawal(of: sequence)),
            ])
    }
}

extension SQLValue {
    fileprivate init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}
