import CPostgreSQL

/// Where a logbook's records are kept.
package enum StoreAddress: Equatable, Sendable {
    /// A file.
    case sqlite(path: String)
    /// A database on a server.
    case postgres(PostgreSQLAddress)

    /// Opens the store for a command that adds records, or makes it. Throws while a logbook has it: that
    /// one would not know of them.
    package func openAlone(_ operation: String, patience: Duration) throws(StoreFailure) -> SQLStore
    {
        switch self {
        case .sqlite(let path): try FilePlace(path).refuseWhileOpen(operation)
        case .postgres(var address):
            address.isShared = false
            return try PostgreSQLStore(address, for: .keeping, patience: patience)
        }
        return try open(for: .keeping, patience: patience)
    }

    /// Removes what a restore left next to a store that is a file when its process was killed. The paths
    /// that were removed.
    package func removeLeftCopies() -> [String] {
        guard case .sqlite(let path) = self else { return [] }
        return StoreRestore.removeLeft(of: path)
    }

    /// Opens the store, or makes it.
    ///
    /// - Parameter patience: how long a server may take for an answer.
    package func open(
        for access: SQLStore.Access, patience: Duration = PostgreSQLStore.usualPatience
    ) throws(StoreFailure) -> SQLStore {
        switch self {
        case .sqlite(let path): try SQLiteStore(path, for: access)
        case .postgres(let address): try PostgreSQLStore(address, for: access, patience: patience)
        }
    }
}
