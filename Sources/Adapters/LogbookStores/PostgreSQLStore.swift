import Bytes
import CPostgreSQL

/// The logbook in a PostgreSQL database, for many gateways on a server.
///
/// A lost connection is restored by the next call. A call in progress fails, with `inDoubt` if its outcome
/// is unknown; repeating the call resolves it.
package final class PostgreSQLStore: SQLStore {
    /// Time limit for an answer. A commit takes a few tenths of a second, and a shutdown waits for it.
    package static let defaultPatience = Duration.seconds(15)

    /// Opens the store, or creates its tables. The database must exist.
    ///
    /// - Parameter patience: commands that read a whole large store need more.
    package convenience init(
        _ address: PostgreSQLAddress, for access: Access, patience: Duration = defaultPatience
    ) throws(StoreFailure) {
        var session = PostgreSQLSession(address: address, access: access, patience: patience)
        session.isShared = address.isShared && access == .recording
        try self.init(session)
    }

    /// Opens the target of a move.
    convenience init(
        _ address: PostgreSQLAddress, forMovePatience patience: Duration
    ) throws(StoreFailure) {
        var session = PostgreSQLSession(address: address, access: .recording, patience: patience)
        session.isMove = true
        try self.init(session)
    }

    private init(_ session: PostgreSQLSession) throws(StoreFailure) {
        share = session.isShared ? PostgreSQLShare() : nil
        try super.init(
            try PostgreSQLDatabase(session.address.place) { () throws(StoreFailure) in
                try session.connection()
            }, for: session.access)
    }

    /// nil if the store is not shared.
    private var share: PostgreSQLShare?

    override package func rebalanceShards() throws(StoreFailure) -> StoreShare? {
        let database = try connection.live()
        guard let share = try share?.rebalanceShards(in: database) else { return nil }
        if share.acquired != .none { try streamTable.reload() }
        return share
    }

    override package func sharers() throws(StoreFailure) -> [StoreSharer] {
        try PostgreSQLShare.sharers(in: try connection.live())
    }

    override func didReconnect() throws(StoreFailure) {
        try share?.reacquire(in: database)
        try super.didReconnect()
    }

    /// Returns the part of the batch from gateways whose shards this logbook holds; the whole batch if the store is
    /// not shared.
    override func ownedPart(of batch: StoreBatch) -> StoreBatch {
        share.map { batch.limited(to: GatewayShards($0.held)) } ?? batch
    }
}

/// Translates server errors into store failures, with a remedy if a person can fix them.
enum PostgreSQLFailure {
    static let waiting = "records are stored once the server answers"

    /// Handles the error classes that matter to callers: PostgreSQL 15, appendix A.
    static func answer(
        _ result: OpaquePointer, _ operation: String, _ place: String
    ) -> StoreFailure {
        let state = String(cString: rg_pq_state(result))
        let message = sentence(String(cString: rg_pq_words(result)))
        switch state {
        case "53100":
            return StoreFailure(
                .full, operation, place, "the server's disk is full",
                remedy: "free space on it; gateways send the missing records again")
        case "55P03", "40001", "40P01":
            return StoreFailure(.busy, operation, place, "another program has locked it (\(message))")
        case "42501", "25006":
            return StoreFailure(
                .other, operation, place, message,
                remedy: "the role needs permission to create tables and to write to them")
        case _ where state.hasPrefix("XX"):
            return StoreFailure(
                .corrupt, operation, place, "the server reports damage (\(message))",
                remedy: "check the server's log; restore the database from its backup")
        case _ where ["57P", "08", "53"].contains { state.hasPrefix($0) }:
            return StoreFailure(.unreachable, operation, place, message, remedy: waiting)
        default: return StoreFailure(.other, operation, place, message)
        }
    }

    /// Why connecting failed.
    static func connecting(_ message: String, _ place: String) -> StoreFailure {
        let cause = sentence(message)
        let remedy =
            if cause.contains("authentication failed") || cause.contains("no password") {
                "check user, [store] password_file and the server's pg_hba.conf"
            } else if cause.contains("does not exist") {
                "create it with createuser and createdb"
            } else {
                "the logbook retries; the server must run and accept connections from this machine"
            }
        return StoreFailure(.unreachable, "open", place, cause, remedy: remedy)
    }

    /// Joins the lines of a libpq message into one sentence.
    static func sentence(_ message: String) -> String {
        let lines = message.split(whereSeparator: \.isNewline).map { line in
            var line = line.drop { $0 == " " || $0 == "\t" }
            for prefix in ["ERROR:", "FATAL:"] where line.hasPrefix(prefix) {
                line = line.dropFirst(prefix.count).drop { $0 == " " }
            }
            return String(line)
        }
        return lines.isEmpty ? "the server closed the connection" : lines.joined(separator: "; ")
    }
}

/// The tables of the PostgreSQL store, version by version, forward only.
///
/// They equal those of `SQLiteMigrations`, except for `record`, which is partitioned by month. Rows derived
/// from a record have its time, `ts_ms`, in addition to its id: the time determines the month. Bulk tables
/// have no foreign keys, because each row would be looked up; one writer fills them in one transaction.
enum PostgreSQLMigrations {
    /// The version that this program writes.
    static var newest: Int { all.count }

    /// `all[n]` migrates version n to n + 1.
    static let all: [String] = [
        version + translated(SQLiteMigrations.numbers) + record
            + translated(SQLiteMigrations.reading) + translated(SQLiteMigrations.alertsAndRollups)
            + translated(SQLiteMigrations.targets) + translated(SQLiteMigrations.roomRollups),
        translated(SQLiteMigrations.gatewayStatus),
        translated(SQLiteMigrations.notices),
        translated(SQLiteMigrations.suggestions),
        translated(SQLiteMigrations.removing),
        translated(SQLiteMigrations.plans),
        translated(SQLiteMigrations.places),
        translated(SQLiteMigrations.heart),
        translated(SQLiteMigrations.sessionRecords),
        translated(SQLiteMigrations.refused),
        translated(SQLiteMigrations.machines),
        translated(SQLiteMigrations.people),
        translated(SQLiteMigrations.corrections),
        translated(SQLiteMigrations.users),
        translated(SQLiteMigrations.merges),
        translated(SQLiteMigrations.pieceLinks),
        translated(SQLiteMigrations.raceDocuments),
        translated(SQLiteMigrations.pieceAdditions),
        translated(SQLiteMigrations.sessionMetrics),
        translated(SQLiteMigrations.workouts),
        translated(ClubQuarterMigration.table) + ClubQuarterMigration.postgreSQLTriggers,
        translated(SQLiteMigrations.sessionPlaces),
        translated(SQLiteMigrations.uploads),
    ]

    /// Temporary tables of a connection, for incoming records.
    static let temporary = """
        CREATE TEMPORARY TABLE incoming (
            id BIGINT, stream BIGINT, seq BIGINT, ts_ms BIGINT, stored_ms BIGINT, body BYTEA)
            ON COMMIT DELETE ROWS;
        ALTER TABLE incoming ALTER COLUMN body SET STORAGE EXTERNAL;
        CREATE TEMPORARY TABLE again (LIKE incoming INCLUDING ALL) ON COMMIT DELETE ROWS
        """

    /// A database with this table belongs to the logbook; its one row is the version.
    private static let version = "CREATE TABLE rowgate_logbook (version BIGINT NOT NULL);\n"

    /// - `record`: the authoritative records. A unique index must contain the partition key.
    /// - `moving`: the source of a move into this store. `finished` is 0 during the move, 1 when both are
    ///   equal, and 2 once something else was written to the store.
    private static let record = """
        CREATE SEQUENCE record_id;
        CREATE TABLE record (
            id BIGINT NOT NULL, stream BIGINT NOT NULL, seq BIGINT NOT NULL, ts_ms BIGINT NOT NULL,
            stored_ms BIGINT NOT NULL, body BYTEA NOT NULL, PRIMARY KEY (id, ts_ms),
            UNIQUE (stream, seq, ts_ms)) PARTITION BY RANGE (ts_ms);
        CREATE INDEX record_time ON record USING brin (ts_ms);
        CREATE TABLE record_other PARTITION OF record DEFAULT;
        CREATE TABLE conflict (
            id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
            stream BIGINT NOT NULL REFERENCES stream, seq BIGINT NOT NULL,
            stored_ms BIGINT NOT NULL, times BIGINT NOT NULL, body BYTEA NOT NULL,
            UNIQUE (stream, seq));
        CREATE TABLE moving (source TEXT NOT NULL, finished BIGINT NOT NULL);

        """

    /// Translates SQLite's table definitions. Texts are sorted by bytes.
    private static func translated(_ sql: String) -> String {
        [
            (
                "record INTEGER PRIMARY KEY REFERENCES record",
                "record BIGINT PRIMARY KEY, ts_ms BIGINT NOT NULL"
            ),
            ("(record, session) SELECT r.id,", "(record, ts_ms, session) SELECT r.id, r.ts_ms,"),
            ("CAST(r.body AS TEXT)", "convert_from(r.body, 'UTF8')"), ("instr(", "strpos("),
            ("manifest INTEGER REFERENCES record", "manifest BIGINT, manifest_ms BIGINT"),
            ("session INTEGER REFERENCES session", "session BIGINT"),
            ("id INTEGER PRIMARY KEY", "id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
            (" WITHOUT ROWID", ""), ("INTEGER", "BIGINT"), ("REAL", "DOUBLE PRECISION"),
            ("TEXT", "TEXT COLLATE \"C\""), ("BLOB", "BYTEA"),
        ].reduce(sql + "\n") { $0.replacing($1.0, with: $1.1) }
    }
}
