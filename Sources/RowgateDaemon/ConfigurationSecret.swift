import Glibc

/// A file whose content is a password, named by path or as a systemd credential.
package struct SecretFile: Equatable, Sendable {
    /// Longer is not a password but the wrong file.
    static let maximumSize = 4096

    /// An absolute path, or the bare name of a `LoadCredential=` of the unit.
    package var name: String

    package init(name: String) { self.name = name }

    /// The password, without the line break that editors end a file with.
    ///
    /// - Parameter credentialsDirectory: `$CREDENTIALS_DIRECTORY` of systemd.exec(5), where a bare
    ///   name is looked up.
    package func password(
        credentialsDirectory: String?
    ) throws(ConfigurationProblem) -> String {
        let path = try path(credentialsDirectory: credentialsDirectory)
        let contents = try ConfigurationFolder.contents(of: path)
        guard contents.count <= Self.maximumSize else {
            throw problem(path, "is longer than \(Self.maximumSize) bytes")
        }
        let line = contents.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else { throw problem(path, "begins with an empty line") }
        return String(decoding: line, as: UTF8.self)
    }

    private func path(credentialsDirectory: String?) throws(ConfigurationProblem) -> String {
        if name.hasPrefix("/") { return name }
        guard let credentialsDirectory else {
            throw problem(
                name, "is the name of a credential, and systemd gave none",
                suggestion: "add LoadCredential=\(name):/etc/rowgate/\(name) to the unit")
        }
        return credentialsDirectory + "/" + name
    }

    private func problem(
        _ file: String, _ reason: String, suggestion: String? = nil
    ) -> ConfigurationProblem {
        ConfigurationProblem(
            at: ConfigurationPlace(file: file), key: "broker.password_file", reason,
            suggestion: suggestion)
    }
}
