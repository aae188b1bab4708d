import Contract
import HostRuntime

/// Who was forgotten, and until when: by digests, since the ids are not kept.
///
/// Records that are under way when somebody is forgotten, or that a gateway replays afterwards, must
/// not bring them back.
struct ForgottenAthletes {
    /// Unix milliseconds by digest: what happened until then is theirs no more.
    private let until: [String: Int64]

    init(in database: any SQLDatabase) throws(StoreFailure) {
        let rows = try database.rows("SELECT digest, until_ms FROM forgotten_athlete") {
            row throws(StoreFailure) in (row.text(0) ?? "", row.whole(1) ?? 0)
        }
        until = Dictionary(rows, uniquingKeysWith: { max($0, $1) })
    }

    var isEmpty: Bool { until.isEmpty }

    /// What is kept of an id.
    static func digest(of athlete: String) -> String {
        SHA256Digest.hexadecimal(of: [Array("rowgate athlete \(athlete)".utf8)])
    }

    /// Whether a record that has just come is of somebody who was forgotten before it came: by name, or
    /// by its session and nobody's else by name.
    func owns(_ record: KeptRecord, _ database: any SQLDatabase) throws(StoreFailure) -> Bool {
        if case .text(let athlete) = record.value("athlete_id") {
            guard let until = until[Self.digest(of: athlete)] else { return false }
            if record.unixMilliseconds <= until { return true }
        } else if record.value("athlete_id") != .null {
            return false
        }
        guard let session = record.session else { return false }
        return try Self.own(session, database)
    }

    /// Whether a session is of somebody who was forgotten.
    static func own(
        _ session: SessionName, _ database: any SQLDatabase
    ) throws(StoreFailure) -> Bool {
        let found = try database.number(
            "SELECT 1 FROM forgotten_session WHERE gw = ? AND session_id = ?",
            [.text(session.gateway.slug), .text(session.session)])
        return found != nil
    }

    /// An alert that somebody else has seen who was forgotten, without their name: as a gateway sends it
    /// that has forgotten them too.
    func redacted(_ record: KeptRecord) -> KeptRecord {
        guard !isEmpty, record.stream.stream.kind == .alert,
            case .text(let name) = record.value("acknowledged_by"),
            let until = until[Self.digest(of: name)], record.unixMilliseconds <= until
        else { return record }
        return record.withoutAcknowledger(name)
    }
}
