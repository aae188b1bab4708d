import CPostgreSQL

/// Where a database of PostgreSQL is, in libpq's own words: a connection string or a URI, without a
/// password, which comes by a file.
package struct PostgreSQLAddress: Equatable, Sendable {
    /// What is wrong with a text, as it goes on after it, and what helps.
    package struct Fault: Error, Equatable {
        package var reason: String
        package var remedy: String
    }

    /// As it was written.
    package let text: String
    /// nil where the server asks for none, or libpq finds it by itself: passfile(5) or service file.
    package var password: String?
    /// Whether several logbooks keep records in it, each of its part of the gateways.
    package var isShared = false
    /// As messages name it.
    package let place: String

    /// Reads a connection string; a service that it names is looked up when it is used.
    package init(_ text: String) throws(Fault) {
        guard let options = PQconninfoParse(text, nil) else {
            throw Fault(
                reason: "is no connection string of PostgreSQL",
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
                reason: "holds a password, which everybody can read who reads this file",
                remedy: "take it out, and name a file that has it: password_file = \"...\"")
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

    /// For libpq: what it is to take unless the text says otherwise, the text, and the rest.
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
