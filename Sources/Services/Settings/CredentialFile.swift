import Bytes
import Glibc

/// A file named by a setting: a path or a systemd credential.
package struct CredentialFile: Equatable, Sendable {
    /// In bytes. A larger file is probably not a password file.
    static let maximumPasswordSize = 4096

    /// An absolute path, or the name of a `LoadCredential=` of the unit.
    package var name: String

    package init(name: String) { self.name = name }

    /// Whether it is a systemd credential.
    package var isCredential: Bool { !name.hasPrefix("/") }

    /// `$CREDENTIALS_DIRECTORY` of systemd.exec(5): the folder of the service's credentials.
    package static var directory: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    /// The path of the file.
    ///
    /// - Parameter credentialsDirectory: `$CREDENTIALS_DIRECTORY` of systemd.exec(5), the folder of
    ///   credentials.
    package func path(credentialsDirectory: String?) throws(ConfigurationFault) -> String {
        guard isCredential else { return name }
        guard let credentialsDirectory else {
            throw ConfigurationFault(
                "\(name.tomlText) is the name of a credential, and systemd gave none",
                suggestion: "add LoadCredential=\(name):/etc/rowgate/\(name) to the unit")
        }
        return credentialsDirectory + "/" + name
    }

    /// The first line of the file, without the line break.
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
