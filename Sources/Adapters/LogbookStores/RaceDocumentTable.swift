import Bytes

/// A finished race or a regatta as JSON; `Regatta` and `Race` of the logbook parse it.
package struct StoredRaceDocument: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case race, regatta
        /// The race of a heat of a regatta.
        case heat
    }

    /// A ULID, so that later documents sort behind earlier ones.
    package var id: String
    package var kind: Kind
    /// Last change in Unix milliseconds.
    package var changedAt: Int64
    /// JSON.
    package var body: [UInt8]
    /// The content before the last change, which an undo restores; nil for none.
    package var formerBody: [UInt8]?

    package init(
        id: String, kind: Kind, changedAt: Int64, body: [UInt8], formerBody: [UInt8]? = nil
    ) {
        (self.id, self.kind, self.changedAt) = (id, kind, changedAt)
        (self.body, self.formerBody) = (body, formerBody)
    }
}

/// Finished races and regattas, by id.
///
/// Uses the table `race_document`.
package final class RaceDocumentTable {
    private let connection: StoreConnection

    init(_ connection: StoreConnection) { self.connection = connection }

    // MARK: Reading

    /// All documents, the oldest first.
    package func all() throws(StoreFailure) -> [StoredRaceDocument] {
        try documents("ORDER BY id", [])
    }

    /// The newest documents of some kinds, at most `limit`, of those before an id.
    package func newest(
        _ kinds: [StoredRaceDocument.Kind], before id: String?, limit: Int
    ) throws(StoreFailure) -> [StoredRaceDocument] {
        let condition = id == nil ? "" : "AND id < ? "
        let marks = kinds.map { _ in "?" }.joined(separator: ", ")
        var values: [SQLValue] = kinds.map { .text($0.rawValue) }
        if let id { values.append(.text(id)) }
        values.append(.whole(Int64(limit)))
        return try documents("WHERE kind IN (\(marks)) \(condition)ORDER BY id DESC LIMIT ?", values)
    }

    /// Returns nil if there is no document of this kind with the id.
    package func document(
        _ id: String, _ kind: StoredRaceDocument.Kind
    ) throws(StoreFailure) -> StoredRaceDocument? {
        try documents("WHERE id = ? AND kind = ?", [.text(id), .text(kind.rawValue)]).first
    }

    private func documents(
        _ condition: String, _ values: [SQLValue]
    ) throws(StoreFailure) -> [StoredRaceDocument] {
        try connection.live().rows(
            "SELECT id, kind, changed_ms, body, former_body FROM race_document \(condition)", values
        ) { row in
            row.text(1).flatMap(StoredRaceDocument.Kind.init).map { kind in
                let former = row.bytes(4)
                return StoredRaceDocument(
                    id: row.text(0) ?? "", kind: kind, changedAt: row.whole(2) ?? 0, body: row.bytes(3),
                    formerBody: former.isEmpty ? nil : former)
            }
        }.compactMap(\.self)
    }

    // MARK: Changing

    /// Stores a document and replaces one with the same id.
    package func save(_ document: StoredRaceDocument) throws(StoreFailure) {
        try connection.live().run(
            """
            INSERT INTO race_document (id, kind, changed_ms, body, former_body) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET changed_ms = excluded.changed_ms, body = excluded.body,
                former_body = excluded.former_body
            """,
            [
                .text(document.id), .text(document.kind.rawValue), .whole(document.changedAt),
                .bytes(document.body), document.formerBody.map { .bytes($0) } ?? .null,
            ])
    }

    /// Removes a document; false if there is none of this kind with the id.
    package func remove(_ id: String, _ kind: StoredRaceDocument.Kind) throws(StoreFailure) -> Bool {
        try !connection.live().rows(
            "DELETE FROM race_document WHERE id = ? AND kind = ? RETURNING id",
            [.text(id), .text(kind.rawValue)]
        ) { _ in true }.isEmpty
    }

    /// Removes the names, ids and sessions of athletes from all documents. Their results stay without a name, because
    /// the places of others depend on them.
    func removeAthletes(_ athletes: [String]) throws(StoreFailure) {
        for document in try all() {
            var new = document
            new.body = AnonymousJSON.removing(athletes, from: document.body)
            new.formerBody = document.formerBody.map { AnonymousJSON.removing(athletes, from: $0) }
            if new != document { try save(new) }
        }
    }
}

/// Removes athletes from JSON: each object whose `athlete_id` is one of them loses the members that identify a person.
private enum AnonymousJSON {
    private static let members = ["athlete_id", "athlete_name", "name", "session_id", "earlier_session_id"]

    /// Returns text that is not JSON without a change.
    static func removing(_ athletes: [String], from body: [UInt8]) -> [UInt8] {
        guard let object = try? JSONObject(parsing: body) else { return body }
        var json = JSONWriter()
        write(.object(object), to: &json, without: athletes)
        return json.bytes
    }

    private static func write(_ value: JSONValue, to json: inout JSONWriter, without athletes: [String]) {
        switch value {
        case .null: json.value(json: Array("null".utf8))
        case .flag(let flag): json.value(flag)
        case .number(let text): json.value(json: Array(text.utf8))
        case .text(let text): json.value(text)
        case .list(let values):
            json.beginArray()
            for value in values { write(value, to: &json, without: athletes) }
            json.endArray()
        case .object(let object):
            let isTheirs = object.text("athlete_id").map(athletes.contains) ?? false
            json.beginObject()
            for member in object.members where !(isTheirs && members.contains(member.name)) {
                json.key(member.name)
                // The session of a result identifies the athlete too.
                let isResult = isTheirs && member.name == "result"
                if isResult, case .object(let result) = member.value {
                    writeResult(result, to: &json)
                } else {
                    write(member.value, to: &json, without: athletes)
                }
            }
            json.endObject()
        }
    }

    private static func writeResult(_ result: JSONObject, to json: inout JSONWriter) {
        json.beginObject()
        for member in result.members {
            json.key(member.name)
            // A stored result needs a session.
            if member.name == "session_id" {
                json.value("")
            } else {
                json.value(json: Array(member.valueSource))
            }
        }
        json.endObject()
    }
}
