/// Who keeps which parts of the gateways in a database that several logbooks share.
///
/// Each part is a lock that the connection holds on which records are written: whoever lost the
/// connection has lost its parts with it, and cannot write to what another has got meanwhile. The server
/// lets go of them as soon as it knows that a connection is no more: at once when a program was killed, and
/// after 25 s when its machine has gone (`PostgreSQLSession`).
struct PostgreSQLShare {
    /// Parts whose locks we hold.
    private(set) var held: Set<Int> = []
    /// Those of them that were not told yet.
    private var untold: Set<Int> = []

    /// The first half of the locks' names; the second is the part's number.
    private static let name = "hashtext('rowgate-logbook part ' || current_schema())"

    /// Takes what is free and lets go of what is too much, until everybody has the same, give or take one.
    mutating func deal(in database: any SQLDatabase) throws(StoreFailure) -> StoreShare {
        let (rank, logbooks) = try Self.present(in: database)
        let (each, more) = GatewayParts.count.quotientAndRemainder(dividingBy: logbooks)
        let due = each + (rank < more ? 1 : 0)
        for part in held.sorted(by: >).prefix(max(0, held.count - due)) {
            _ = try database.number("SELECT pg_advisory_unlock(\(Self.name), \(part))::int")
            held.remove(part)
        }
        for part in 0..<GatewayParts.count where held.count < due && !held.contains(part) {
            try take(part, in: database)
        }
        untold.formIntersection(held)
        defer { untold = [] }
        return StoreShare(
            parts: GatewayParts(held), taken: GatewayParts(untold), logbooks: logbooks)
    }

    /// After a connection was lost, and its locks with it: takes again what nobody has taken yet.
    mutating func takeAgain(in database: any SQLDatabase) throws(StoreFailure) {
        let before = held
        held = []
        for part in before.sorted() { try take(part, in: database) }
    }

    private mutating func take(_ part: Int, in database: any SQLDatabase) throws(StoreFailure) {
        let isOurs = try database.number(
            "SELECT pg_try_advisory_lock(\(Self.name), \(part))::int")
        guard isOurs == 1 else { return }
        held.insert(part)
        untold.insert(part)
    }

    /// How many logbooks there are, and which of them, in some order, we are.
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

    /// Who else is there, and what each of them holds, by process; takes nothing.
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
                found.append(StoreSharer(process: row.0, address: row.1, parts: .none))
            }
            if let part = row.2 { found[found.count - 1].parts.numbers.insert(part) }
        }
    }

    /// The processes at the server that hold the store together with others.
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
