import Bytes
import Glibc

/// A file that a setting names, by path or as a systemd credential.
package struct CredentialFile: Equatable, Sendable {
    /// A longer one is not a password but the wrong file.
    static let maximumPasswordSize = 4096

    /// An absolute path, or the bare name of a `LoadCredential=` of the unit.
    package var name: String

    package init(name: String) { self.name = name }

    /// Whether only systemd knows where it is.
    package var isCredential: Bool { !name.hasPrefix("/") }

    /// `$CREDENTIALS_DIRECTORY` of systemd.exec(5): where a service finds its secrets.
    package static var directory: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    /// Where it is.
    ///
    /// - Parameter credentialsDirectory: `$CREDENTIALS_DIRECTORY` of systemd.exec(5), where a bare
    ///   name is looked up.
    package func path(credentialsDirectory: String?) throws(ConfigurationFault) -> String {
        guard isCredential else { return name }
        guard let credentialsDirectory else {
            throw ConfigurationFault(
                "\(name.tomlText) is the name of a credential, and systemd gave none",
                suggestion: "add LoadCredential=\(name):/etc/rowgate/\(name) to the unit")
        }
        return credentialsDirectory + "/" + name
    }

    /// The password in its first line, without the line break.
    package func password(credentialsDirectory: String?) throws(ConfigurationFault) -> String {
        let path = try path(credentialsDirectory: credentialsDirectory)
        let contents: [UInt8]
        do { contents = try ConfigurationFolder.contents(of: path) } catch {
            throw ConfigurationFault("\(path) \(error.reason)", suggestion: error.suggestion)
        }
        guard contents.count <= Self.maximumPasswordSize else {
            throw ConfigurationFault("\(path) is longer than \(Self.maximumPasswordSize) bytes")
        }
        let line = TextLines.first(of: contents)
        guard !line.isEmpty else { throw ConfigurationFault("\(path) begins with an empty line") }
        return String(decoding: line, as: UTF8.self)
    }
}
