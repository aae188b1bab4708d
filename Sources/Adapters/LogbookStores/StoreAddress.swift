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

/// The location of a PostgreSQL database: a libpq connection string or URI without a password; the password
/// comes from a file.
package struct PostgreSQLAddress: Equatable, Sendable {
    /// Why a text is invalid, as the rest of a sentence that begins with it, and a remedy.
    package struct Fault: Error, Equatable {
        package var reason: String
        package var remedy: String
    }

    /// As configured.
    package let text: String
    /// nil if the server needs none, or libpq finds it in a passfile or service file.
    package var password: String?
    /// Whether several logbooks store records in it, each for its shards.
    package var isShared = false
    /// Location for messages.
    package let place: String

    /// Parses a connection string; a service in it is resolved on connecting.
    package init(_ text: String) throws(Fault) {
        guard let options = PQconninfoParse(text, nil) else {
            throw Fault(
                reason: "is not a PostgreSQL connection string",
                remedy: "write \"host=db.example.org dbname=logbook user=logbook\", or "
                    + "\"postgresql://logbook@db.example.org/logbook\"")
        }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                found[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        guard found["password"] == nil, found["sslpassword"] == nil else {
            throw Fault(
                reason: "contains a password, which all readers of this file can see",
                remedy: "remove it, and store it in a file: password_file = \"...\"")
        }
        self.text = text
        place = Self.place(found)
    }

    private static func place(_ options: [String: String]) -> String {
        if let service = options["service"] { return "postgresql:///?service=\(service)" }
        let (name, host) = (options["dbname"] ?? "", options["host"] ?? options["hostaddr"] ?? "")
        if host.hasPrefix("/") { return "postgresql:///\(name)?host=\(host)" }
        let port = options["port"].map { ":\($0)" } ?? ""
        return "postgresql://\(host)\(port)/\(name)"
    }

    /// Parameters for libpq: defaults, then the configured text, then overriding values.
    func parameters(
        patienceMilliseconds: Int64
    ) -> [(keyword: String, value: String)] {
        [
            ("fallback_application_name", "rowgate-logbook"), ("keepalives_idle", "10"),
            ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "\(patienceMilliseconds)"), ("dbname", text),
            ("client_encoding", "UTF8"),
        ] + (password.map { [("password", $0)] } ?? [])
    }
}
