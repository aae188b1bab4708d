import Contract

/// A notice of the logbook, to be numbered, stored and published.
package struct Notice: Equatable, Sendable {
    package var kind: NoticeKind
    /// Identifies its content: a notice of a kind and subject exists once until it is withdrawn.
    package var subject: String
    /// The athlete it is about.
    package var athlete: String?
    /// The session it is based on.
    package var session: SessionName?
    /// A JSON object with its specific members.
    package var members: [UInt8]

    package init(
        _ kind: NoticeKind, subject: String, athlete: String? = nil, session: SessionName? = nil,
        members: [UInt8]
    ) {
        (self.kind, self.subject, self.athlete) = (kind, subject, athlete)
        (self.session, self.members) = (session, members)
    }
}

/// A notice with its number.
package struct StoredNotice: Equatable, Sendable {
    package var sequence: UInt64
    package var kind: NoticeKind
    /// nil for a withdrawal, or a withdrawn notice.
    package var subject: String?
    /// Unix milliseconds: when it was created.
    package var madeAt: Int64
    /// The number of the notice that it withdraws.
    package var withdraws: UInt64?
    /// A JSON object with its specific members; empty if withdrawn.
    package var members: [UInt8]
}

/// Identifies the sequence in which notices are numbered. Each store has its own, so that a subscriber notices
/// that a store was replaced.
package struct NoticeNumbers: Equatable, Sendable {
    /// ULID.
    package var epoch: String
    /// Unix milliseconds: when notices were first created.
    package var since: Int64
    /// The last assigned number; 0 before the first.
    package var last: UInt64
    /// All notices up to this number are published.
    package var published: UInt64
}

/// Changes of notices within a batch.
package struct NoticeChanges: Equatable, Sendable {
    /// Starts the numbering if there is none.
    package var epoch: String?
    /// Existing notices are not added again.
    package var added: [Notice] = []
    /// Numbers of notices that are no longer true.
    package var withdrawn: [UInt64] = []
    /// All notices up to this number are published.
    package var published: UInt64?

    package init() {}

    package var isEmpty: Bool { self == NoticeChanges() }

    package mutating func merge(_ later: NoticeChanges) {
        epoch = epoch ?? later.epoch
        added += later.added
        withdrawn += later.withdrawn
        published = later.published ?? published
    }
}

/// The notices that the logbook publishes, and their numbering.
///
/// Uses the tables `notice` and `notice_numbers`.
final class NoticeTable {
    /// Maximum stored notices; the oldest are deleted, published or not. A club of 64 makes about 70 000 a
    /// year, most of which are withdrawn and empty. Fewer in tests.
    var limit: UInt64 = 100_000
    private let connection: StoreConnection
    private var database: any SQLDatabase { connection.database }

    init(_ connection: StoreConnection) { self.connection = connection }

    func numbering() throws(StoreFailure) -> NoticeNumbers? {
        try connection.live().rows("SELECT epoch, since_ms, last, published FROM notice_numbers") { row in
            NoticeNumbers(
                epoch: row.text(0) ?? "", since: row.whole(1) ?? 0, last: row.natural(2),
                published: row.natural(3))
        }.first
    }

    func notices(
        after sequence: UInt64, limit: Int
    ) throws(StoreFailure) -> [StoredNotice] {
        try notices(
            "seq > ? ORDER BY seq LIMIT ?",
            [.whole(Int64(clamping: sequence)), .whole(Int64(limit))])
    }

    func notices(
        of kind: NoticeKind, about athlete: String
    ) throws(StoreFailure) -> [StoredNotice] {
        try notices(
            "kind = ? AND athlete_id = ? ORDER BY seq", [.text(kind.rawValue), .text(athlete)])
    }

    private func notices(
        _ condition: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [StoredNotice] {
        try connection.live().rows(
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

    func athletesOfStrays() throws(StoreFailure) -> [String] {
        try connection.live().rows(
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
        if let epoch = changes.epoch, try numbering() == nil {
            try database.run(
                "INSERT INTO notice_numbers (epoch, since_ms, last, published) VALUES (?, ?, 0, 0)",
                [.text(epoch), .whole(now)])
        }
        // Locks the numbering: another logbook that shares the store waits here until this transaction
        // ends.
        try database.run("UPDATE notice_numbers SET last = last", [])
        guard var numbers = try numbering() else { return }
        for sequence in changes.withdrawn { try withdraw(sequence, at: now, &numbers) }
        for notice in changes.added { try add(notice, at: now, &numbers) }
        if let published = changes.published {
            numbers.published = max(numbers.published, published)
        }
        try database.run(
            "UPDATE notice_numbers SET last = ?, published = ?",
            [.whole(Int64(numbers.last)), .whole(Int64(numbers.published))])
        guard numbers.last > limit else { return }
        try database.run(
            "DELETE FROM notice WHERE seq <= ?", [.whole(Int64(numbers.last - limit))])
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
