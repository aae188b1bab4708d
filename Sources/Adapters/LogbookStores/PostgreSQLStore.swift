import CPostgreSQL

/// The logbook in a database of PostgreSQL: for several writers' worth of gateways, on a server.
///
/// A connection that was lost is made again with the next call; what was under way is told as failed,
/// or as in doubt, and the same call again settles it.
package final class PostgreSQLStore: SQLStore {
    /// How long a server may take for an answer. A commit is a few tenths of a second, and a stop waits
    /// for one.
    package static let usualPatience = Duration.seconds(15)

    /// Opens the store, or makes it. The database has to be there.
    ///
    /// - Parameter patience: a command that reads all of a great store takes more.
    package convenience init(
        _ address: PostgreSQLAddress, for access: Access, patience: Duration = usualPatience
    ) throws(StoreFailure) {
        var session = PostgreSQLSession(address: address, access: access, patience: patience)
        session.isShared = address.isShared && access == .keeping
        try self.init(session)
    }

    /// For records that are moved into it.
    convenience init(
        _ address: PostgreSQLAddress, forMovePatience patience: Duration
    ) throws(StoreFailure) {
        var session = PostgreSQLSession(address: address, access: .keeping, patience: patience)
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

    /// nil while it is this logbook's alone.
    private var share: PostgreSQLShare?

    override package func deal() throws(StoreFailure) -> StoreShare? {
        let database = try live()
        guard let share = try share?.deal(in: database) else { return nil }
        if share.taken != .none { entries = try Self.readEntries(of: database) }
        return share
    }

    override package func sharers() throws(StoreFailure) -> [StoreSharer] {
        try PostgreSQLShare.sharers(in: try live())
    }

    override func revived() throws(StoreFailure) {
        try share?.takeAgain(in: database)
        try super.revived()
    }

    override func own(_ batch: StoreBatch) -> StoreBatch {
        share.map { batch.limited(to: GatewayParts($0.held)) } ?? batch
    }
}
