import Bytes
import Contract

/// Erased athletes and the time of each erasure. Ids are stored only as digests.
///
/// Records in transit during an erasure, and records that a gateway replays afterwards, must not be stored
/// again.
struct ForgottenAthletes {
    /// Unix milliseconds by digest: records up to this time are erased.
    private let until: [String: Int64]

    init(in database: any SQLDatabase) throws(StoreFailure) {
        let rows = try database.rows("SELECT digest, until_ms FROM forgotten_athlete") {
            row throws(StoreFailure) in (row.text(0) ?? "", row.whole(1) ?? 0)
        }
        until = Dictionary(rows, uniquingKeysWith: { max($0, $1) })
    }

    var isEmpty: Bool { until.isEmpty }

    /// Returns the digest under which an erased athlete id is stored, so that the id itself is not.
    static func digest(of athlete: String) -> String {
        SHA256Digest.hexadecimal(of: [Array("rowgate athlete \(athlete)".utf8)])
    }

    /// Whether a new record belongs to an erased athlete: it names the athlete, or it belongs to an erased
    /// session and names no other athlete.
    func covers(_ record: ValidatedRecord, _ database: any SQLDatabase) throws(StoreFailure) -> Bool {
        var isWhole: Bool?
        if let session = record.session { isWhole = try Self.isForgottenAsAWhole(session, database) }
        if isWhole == true { return true }
        if case .text(let athlete) = record.value("athlete_id") {
            guard let until = until[Self.digest(of: athlete)] else { return false }
            if record.unixMilliseconds <= until { return true }
        } else if record.value("athlete_id") != .null {
            return false
        }
        return isWhole != nil
    }

    /// Whether a session belongs to an erased athlete.
    static func isForgotten(
        _ session: SessionName, _ database: any SQLDatabase
    ) throws(StoreFailure) -> Bool {
        try isForgottenAsAWhole(session, database) != nil
    }

    /// Whether all records of a forgotten session are erased, also those that name another athlete, because it was
    /// erased for an athlete for whom it counted by a correction. nil if the session is not forgotten.
    private static func isForgottenAsAWhole(
        _ session: SessionName, _ database: any SQLDatabase
    ) throws(StoreFailure) -> Bool? {
        try database.number(
            "SELECT is_whole FROM forgotten_session WHERE gw = ? AND session_id = ?",
            [.text(session.gateway.slug), .text(session.session)]
        ).map { $0 == 1 }
    }

    /// Removes the name of an erased athlete who acknowledged another athlete's alert, as gateways do after
    /// an erasure.
    func redacted(_ record: ValidatedRecord) -> ValidatedRecord {
        guard !isEmpty, record.stream.stream.kind == .alert,
            case .text(let name) = record.value("acknowledged_by"),
            let until = until[Self.digest(of: name)], record.unixMilliseconds <= until
        else { return record }
        return record.withoutAcknowledger(name)
    }
}
