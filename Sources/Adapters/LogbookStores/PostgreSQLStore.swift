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

    override func ownedPart(of batch: StoreBatch) -> StoreBatch {
        share.map { batch.limited(to: GatewayShards($0.held)) } ?? batch
    }
}
