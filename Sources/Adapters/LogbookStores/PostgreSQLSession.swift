import CPostgreSQL

/// How a connection is made fit for use.
struct PostgreSQLSession {
    let address: PostgreSQLAddress
    let access: SQLStore.Access
    let patience: Duration
    /// Whether records are moved into it.
    var isMove = false
    /// Whether others may keep records in it too, each of its part of the gateways.
    var isShared = false

    /// "rowL", as in SQLite's `application_id`: the first half of the lock's name. The second is the
    /// schema's. Logbooks that share a store hold it together.
    static let lockClass = "1919907660"
    private static let lock = "\(lockClass), hashtext(current_schema())"
    /// How long another writer may take to let go: one that has just died needs a moment.
    private static let lockPatience = "5s"

    /// Connects, and holds the lock where records are to be kept. Throws for a database that is not
    /// for this program.
    func connection() throws(StoreFailure) -> PostgreSQLConnection {
        let milliseconds = patience.components.seconds * 1000
        let connection = try PostgreSQLConnection(
            address.parameters(patienceMilliseconds: milliseconds), place: address.place,
            patience: patience)
        // A server that outlives us is to let go of the lock soon, and of what nobody waits for.
        try connection.execute(
            """
            SET client_min_messages = error; SET standard_conforming_strings = on;
            SET statement_timeout = \(milliseconds); SET tcp_keepalives_idle = 10;
            SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
            SET idle_in_transaction_session_timeout = \(2 * milliseconds)
            """, "open")
        switch access {
        case .keeping: try prepare(connection)
        case .looking, .changing:
            if access == .looking {
                try connection.execute("SET default_transaction_read_only = on", "open")
            }
            let version = try version(on: connection)
            guard version > 0 else {
                throw StoreFailure(
                    .absent, "open", address.place, "no records are kept in it",
                    remedy: "rowgate-logbook makes its tables when it is started with it")
            }
            try StoreVersion.check(
                version, of: PostgreSQLMigrations.newest, at: address.place, access)
        }
        let unfinished = try text("SELECT 'yes' FROM moving WHERE finished = 0", on: connection)
        guard isMove || unfinished == nil else {
            throw StoreFailure(
                .absent, "open", address.place, "records are being moved into it",
                remedy: "run rowgate-logbook move again, to its end")
        }
        if !isMove, access != .looking {
            // From now on a move would take away what comes in here.
            try connection.execute("UPDATE moving SET finished = 2 WHERE finished = 1", "open")
        }
        return connection
    }

    private func prepare(_ connection: PostgreSQLConnection) throws(StoreFailure) {
        // Tables are made and changed by one alone.
        let isNewest = try version(on: connection) == PostgreSQLMigrations.newest
        try takeLock(connection, withOthers: isShared && isNewest)
        let version = try version(on: connection)
        try StoreVersion.check(version, of: PostgreSQLMigrations.newest, at: address.place, access)
        for (index, migration) in PostgreSQLMigrations.all.enumerated().dropFirst(version) {
            // What stands in one message is one transaction.
            try connection.execute(
                """
                \(migration);
                DELETE FROM rowgate_logbook; INSERT INTO rowgate_logbook VALUES (\(index + 1))
                """, "open")
        }
        if isShared, !isNewest {
            try takeLock(connection, withOthers: true)
            try connection.execute("SELECT pg_advisory_unlock(\(Self.lock))", "open")
        }
        try connection.execute(PostgreSQLMigrations.temporary, "open")
    }

    /// Held as long as the connection stands.
    private func takeLock(
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
                "another rowgate-logbook keeps records in it (\(holder ?? "just gone"))",
                remedy: isShared
                    ? "stop that one, or set shared = true for it too"
                    : "stop that one, give this one a database of its own, or let them share this one "
                        + "with [store] shared = true")
        }
    }

    /// 0 for an empty database. Throws for one that somebody else uses.
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
                .corrupt, "open", address.place, "it is a database of another program",
                remedy: "make one for the logbook alone, with createdb")
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
