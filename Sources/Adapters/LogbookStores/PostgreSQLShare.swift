/// The ownership of gateway shards in a database that several logbooks share.
///
/// Each shard is a lock held by the connection that writes the records. A logbook that loses its connection
/// loses its shards with it, and cannot write to shards that another has acquired. The server releases the
/// locks as soon as it notices the loss: at once if a program was killed, after 25 s if its machine is gone
/// (`PostgreSQLSession`).
struct PostgreSQLShare {
    /// Shards whose locks this logbook holds.
    private(set) var held: Set<Int> = []
    /// Shards acquired but not reported yet.
    private var unreported: Set<Int> = []

    /// The first half of the locks' keys; the second is the shard number.
    private static let name = "hashtext('rowgate-logbook part ' || current_schema())"

    /// Acquires free shards and releases surplus ones, until all logbooks own equally many, give or take
    /// one.
    mutating func rebalanceShards(in database: any SQLDatabase) throws(StoreFailure) -> StoreShare {
        let (rank, logbooks) = try Self.present(in: database)
        let (each, more) = GatewayShards.count.quotientAndRemainder(dividingBy: logbooks)
        let due = each + (rank < more ? 1 : 0)
        for part in held.sorted(by: >).prefix(max(0, held.count - due)) {
            _ = try database.number("SELECT pg_advisory_unlock(\(Self.name), \(part))::int")
            held.remove(part)
        }
        for part in 0..<GatewayShards.count where held.count < due && !held.contains(part) {
            try tryLock(part, in: database)
        }
        unreported.formIntersection(held)
        defer { unreported = [] }
        return StoreShare(
            shards: GatewayShards(held), acquired: GatewayShards(unreported), logbooks: logbooks)
    }

    /// Reacquires the locks after a reconnect, unless another logbook holds them now.
    mutating func reacquire(in database: any SQLDatabase) throws(StoreFailure) {
        let before = held
        held = []
        for part in before.sorted() { try tryLock(part, in: database) }
    }

    private mutating func tryLock(_ part: Int, in database: any SQLDatabase) throws(StoreFailure) {
        let isOurs = try database.number(
            "SELECT pg_try_advisory_lock(\(Self.name), \(part))::int")
        guard isOurs == 1 else { return }
        held.insert(part)
        unreported.insert(part)
    }

    /// The number of logbooks, and this logbook's position among them.
    private static func present(
        in database: any SQLDatabase
    ) throws(StoreFailure) -> (rank: Int, logbooks: Int) {
        let places = try database.rows(
            """
            SELECT (pid = pg_backend_pid())::int FROM (\(presence)) presence ORDER BY pid
            """
        ) { row throws(StoreFailure) in row.whole(0) == 1 }
        return (places.firstIndex(of: true) ?? 0, max(1, places.count))
    }

    /// The other logbooks and the shards that each holds, by process; acquires nothing.
    static func sharers(in database: any SQLDatabase) throws(StoreFailure) -> [StoreSharer] {
        let rows = try database.rows(
            """
            SELECT presence.pid, host(a.client_addr), part.objid::bigint FROM (\(presence)) presence
            LEFT JOIN pg_stat_activity a ON a.pid = presence.pid
            LEFT JOIN pg_locks part ON part.pid = presence.pid AND part.locktype = 'advisory'
                AND part.granted AND part.classid::bigint = \(name)::bigint & 4294967295
            ORDER BY 1, 3
            """
        ) { row throws(StoreFailure) in
            (Int(row.whole(0) ?? 0), row.text(1), row.whole(2).map { Int($0) })
        }
        return rows.reduce(into: []) { found, row in
            if found.last?.process != row.0 {
                found.append(StoreSharer(process: row.0, address: row.1, shards: .none))
            }
            if let part = row.2 { found[found.count - 1].shards.numbers.insert(part) }
        }
    }

    /// The server processes that hold the shared lock of the store.
    private static var presence: String {
        """
        SELECT pid FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND mode = 'ShareLock'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            AND classid = \(PostgreSQLSession.lockClass)
            AND objid::bigint = hashtext(current_schema())::bigint & 4294967295
        """
    }
}
