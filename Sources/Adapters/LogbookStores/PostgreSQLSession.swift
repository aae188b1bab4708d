import CPostgreSQL

/// Prepares a connection for use.
struct PostgreSQLSession {
    let address: PostgreSQLAddress
    let access: SQLStore.Access
    let patience: Duration
    /// Whether it is the target of a move.
    var isMove = false
    /// Whether several logbooks store records in it, each for its shards.
    var isShared = false

    /// "rowL", as in SQLite's `application_id`: the first half of the lock's key. The second half is the
    /// schema. Logbooks that share a store hold the lock in shared mode.
    static let lockClass = "1919907660"
    private static let lock = "\(lockClass), hashtext(current_schema())"
    /// How long to wait for another writer; after a crash the server needs a moment to release its lock.
    private static let lockPatience = "5s"

    /// Connects, and holds the writer lock if records are to be stored. Throws for a database of another
    /// program.
    func connection() throws(StoreFailure) -> PostgreSQLConnection {
        let milliseconds = patience.components.seconds * 1000
        let connection = try PostgreSQLConnection(
            address.parameters(patienceMilliseconds: milliseconds), place: address.place,
            patience: patience)
        // So that the server soon releases the lock and cancels abandoned statements if this program dies. It must not
        // compile queries: for a list of sessions in a large store, that takes longer than the query itself. Nor must
        // it plan a prepared statement for each value: with a partition for each month, that takes 12 ms.
        try connection.execute(
            """
            SET client_min_messages = error; SET standard_conforming_strings = on;
            SET statement_timeout = \(milliseconds); SET tcp_keepalives_idle = 10;
            SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
            SET idle_in_transaction_session_timeout = \(2 * milliseconds); SET jit = off;
            SET plan_cache_mode = force_generic_plan
            """, "open")
        switch access {
        case .recording: try prepare(connection)
        case .readOnly, .editing:
            if access == .readOnly {
                try connection.execute("SET default_transaction_read_only = on", "open")
            }
            let version = try version(on: connection)
            guard version > 0 else {
                throw StoreFailure(
                    .absent, "open", address.place, "it has no tables of a logbook",
                    remedy: "rowgate-logbook creates them when it starts with this database")
            }
            try StoreVersion.check(
                version, of: PostgreSQLMigrations.newest, at: address.place, access)
        }
        let unfinished = try text("SELECT 'yes' FROM moving WHERE finished = 0", on: connection)
        guard isMove || unfinished == nil else {
            throw StoreFailure(
                .absent, "open", address.place, "a move into it is unfinished",
                remedy: "run rowgate-logbook move again until it is done")
        }
        if !isMove, access != .readOnly {
            // From now on a move would overwrite records that arrive here.
            try connection.execute("UPDATE moving SET finished = 2 WHERE finished = 1", "open")
        }
        return connection
    }

    private func prepare(_ connection: PostgreSQLConnection) throws(StoreFailure) {
        // The schema is changed under an exclusive lock.
        let isNewest = try version(on: connection) == PostgreSQLMigrations.newest
        try acquireLock(connection, withOthers: isShared && isNewest)
        let version = try version(on: connection)
        try StoreVersion.check(version, of: PostgreSQLMigrations.newest, at: address.place, access)
        for (index, migration) in PostgreSQLMigrations.all.enumerated().dropFirst(version) {
            // One message is one transaction.
            try connection.execute(
                """
                \(migration);
                DELETE FROM rowgate_logbook; INSERT INTO rowgate_logbook VALUES (\(index + 1))
                """, "open")
        }
        if isShared, !isNewest {
            try acquireLock(connection, withOthers: true)
            try connection.execute("SELECT pg_advisory_unlock(\(Self.lock))", "open")
        }
        try connection.execute(PostgreSQLMigrations.temporary, "open")
    }

    /// The lock is held as long as the connection exists.
    private func acquireLock(
        _ connection: PostgreSQLConnection, withOthers isShared: Bool
    ) throws(StoreFailure) {
        do throws(StoreFailure) {
            try connection.execute(
                "SET lock_timeout = '\(Self.lockPatience)'; "
                    + "SELECT pg_advisory_lock\(isShared ? "_shared" : "")(\(Self.lock)); "
                    + "SET lock_timeout = 0", "open")
        } catch {
            guard error.kind == .busy else { throw error }
            let holder = try text(
                """
                SELECT 'server process ' || a.pid || coalesce(' for ' || host(a.client_addr), '')
                FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
                WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
                    AND l.classid = \(Self.lockClass)
                """, on: connection)
            throw StoreFailure(
                .busy, "open", address.place,
                "another rowgate-logbook uses it (\(holder ?? "just closed"))",
                remedy: isShared
                    ? "stop that logbook, or set shared = true for it too"
                    : "stop that logbook, use another database for this one, or set [store] shared = true "
                        + "for both")
        }
    }

    /// 0 for an empty database. Throws for a database of another program.
    private func version(on connection: PostgreSQLConnection) throws(StoreFailure) -> Int {
        let found = try text(
            """
            SELECT CASE WHEN to_regclass('rowgate_logbook') IS NOT NULL THEN 'ours'
                WHEN EXISTS (SELECT FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm')
                    AND relnamespace = current_schema()::regnamespace) THEN 'theirs'
                ELSE 'empty' END
            """, on: connection)
        switch found {
        case "ours":
            let version = try text("SELECT version::text FROM rowgate_logbook", on: connection)
            return version.flatMap { Int($0) } ?? 0
        case "empty": return 0
        default:
            throw StoreFailure(
                .corrupt, "open", address.place, "it belongs to another program",
                remedy: "create one only for the logbook, with createdb")
        }
    }

    /// The first column of the first row.
    private func text(
        _ sql: String, on connection: PostgreSQLConnection
    ) throws(StoreFailure) -> String? {
        let result = try connection.result(sql, [], "open")
        defer { PQclear(result) }
        return PQntuples(result) > 0 ? String(cString: PQgetvalue(result, 0, 0)) : nil
    }
}
