import CPostgreSQL

/// The location of a logbook's store.
package enum StoreAddress: Equatable, Sendable {
    /// A file.
    case sqlite(path: String)
    /// A database on a server.
    case postgres(PostgreSQLAddress)

    /// Opens or creates the store for a command that adds records. Throws while a logbook has it open,
    /// because that logbook would not know of them.
    package func openAlone(_ operation: String, patience: Duration) throws(StoreFailure) -> SQLStore {
        switch self {
        case .sqlite(let path): try StoreFile(path).refuseWhileOpen(operation)
        case .postgres(var address):
            address.isShared = false
            return try PostgreSQLStore(address, for: .recording, patience: patience)
        }
        return try open(for: .recording, patience: patience)
    }

    /// Removes leftovers next to a file store from a restore that was killed. Returns the removed paths.
    package func removeLeftCopies() -> [String] {
        guard case .sqlite(let path) = self else { return [] }
        return StoreRestore.removeLeftovers(of: path)
    }

    /// Opens or creates the store.
    ///
    /// - Parameter patience: time limit for an answer of a server.
    package func open(
        for access: SQLStore.Access, patience: Duration = PostgreSQLStore.defaultPatience
    ) throws(StoreFailure) -> SQLStore {
        switch self {
        case .sqlite(let path): try SQLiteStore(path, for: access)
        case .postgres(let address): try PostgreSQLStore(address, for: access, patience: patience)
        }
    }
}
