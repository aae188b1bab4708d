import Glibc
import HTTPClient
import Settings
import Uploads

/// Section `[uploads]`: the services to which athletes can let their sessions be uploaded.
package struct UploadSettings: Equatable, Sendable {
    /// The registration of this logbook at a service with OAuth.
    struct Registration: Equatable, Sendable {
        var destination: UploadDestination
        var clientID: String
        var secretFile: CredentialFile
    }

    /// The file with the key that encrypts credentials; nil if uploads are off.
    var keyFile: CredentialFile?
    var registrations: [Registration] = []
    /// Addresses instead of those of the real services.
    var addresses: [UploadDestination: String] = [:]
    /// Destinations that need no registration.
    var enabled: Set<UploadDestination>
    /// The address of the pages as the services send browsers back to it, with a slash at the end; nil for that of the
    /// web server.
    var pageAddress: String?
    var proxy: String?
    var authorityFile: String?
    var permitsPrivateAddresses: Bool

    private static let registered: [UploadDestination] = [.concept2, .strava, .intervalsICU]

    init(reading section: inout ConfigurationSection) {
        keyFile = section.credentialFile("key_file")
        enabled = []
        if section.boolean("intervals_icu", default: true) { enabled.insert(.intervalsICU) }
        if section.boolean("webhooks", default: true) { enabled.insert(.webhook) }
        pageAddress = Self.address("page_address", &section).map { $0 + "/" }
        proxy = section.optionalText("proxy")
        authorityFile = section.optionalText("ca_file", .absolutePath)
        permitsPrivateAddresses = section.boolean("allow_private_addresses", default: false)
        for destination in Self.registered {
            let name = destination.rawValue
            addresses[destination] = Self.address("\(name)_address", &section)
            let id = section.optionalText("\(name)_client_id")
            let file = section.credentialFile("\(name)_secret_file")
            if let id, let file {
                enabled.insert(destination)
                registrations.append(
                    Registration(destination: destination, clientID: id, secretFile: file))
            } else if id != nil || file != nil {
                let (given, missing) = id == nil ? ("secret_file", "client_id") : ("client_id", "secret_file")
                section.report(
                    "\(name)_\(given)", "has no effect without \(name)_\(missing)",
                    suggestion: "add \(name)_\(missing), which \(destination.title) shows at the registration"
                )
            }
        }
        if keyFile == nil, let key = Self.keys.first(where: { section.isSet($0) }) {
            section.report(
                key, "has no effect without key_file",
                suggestion:
                    "add key_file = \"uploads-key\", the file of the key that encrypts the athletes' access")
        }
    }

    /// The keys that need `key_file`.
    private static let keys =
        ["intervals_icu", "webhooks", "page_address", "proxy", "ca_file", "allow_private_addresses"]
        + registered.flatMap { destination in
            ["client_id", "secret_file", "address"].map { "\(destination.rawValue)_\($0)" }
        }

    /// Returns an address without a slash at the end.
    private static func address(_ key: String, _ section: inout ConfigurationSection) -> String? {
        guard let text = section.optionalText(key) else { return nil }
        let scheme = ["https://", "http://"].first { text.hasPrefix($0) }
        let rest = text.dropFirst(scheme?.count ?? 0)
        guard scheme != nil, !rest.isEmpty, rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !rest.contains("?"), !rest.contains("#"), !rest.contains("@")
        else {
            section.report(
                key, "\"\(text)\" is not a web address",
                suggestion: "begin with https:// and use neither a query nor a password")
            return nil
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    // MARK: Using

    /// What the upload service needs of the settings.
    struct Prepared: Sendable {
        var vault: CredentialVault
        var services: UploadServices
        var client: HTTPClient.Settings
    }

    /// Reads the files of keys and secrets; nil if uploads are off. Throws if a file cannot be used.
    ///
    /// - Parameters:
    ///   - credentialsDirectory: The folder of a file name without a path.
    ///   - settings: All settings, for the position in an error.
    ///   - pages: The address of the web server's pages, with a slash at the end.
    func prepared(
        credentialsDirectory: String?, settings: [ConfigurationSetting], pages: String
    ) throws(InvalidConfiguration) -> Prepared? {
        guard let keyFile else { return nil }
        func read(_ file: CredentialFile, _ key: String) throws(InvalidConfiguration) -> String {
            do throws(ConfigurationFault) {
                if !file.isCredential { try Self.checkMode(of: file.name) }
                return try file.password(credentialsDirectory: credentialsDirectory)
            } catch {
                throw InvalidConfiguration(problems: [settings.problem("uploads", key, error)])
            }
        }
        guard let vault = CredentialVault(keyText: try read(keyFile, "key_file")) else {
            let fault = ConfigurationFault(
                "the first line of \(keyFile.name) has less than \(CredentialVault.minimumKeyLength) characters",
                suggestion: "create a random one: head -c 32 /dev/urandom | base64 > FILE")
            throw InvalidConfiguration(problems: [settings.problem("uploads", "key_file", fault)])
        }
        var flows: [OAuthFlow] = []
        for one in registrations {
            flows.append(
                OAuthFlow(
                    for: one.destination, clientID: one.clientID,
                    clientSecret: try read(one.secretFile, "\(one.destination.rawValue)_secret_file"),
                    service: addresses[one.destination] ?? UploadServices.addresses[one.destination] ?? "",
                    returnAddress: (pageAddress ?? pages) + "uploads"))
        }
        var client = HTTPClient.Settings()
        (client.proxy, client.authorityFile) = (proxy, authorityFile)
        client.permitsPrivateAddresses = permitsPrivateAddresses
        client.permitsPlainHTTP = permitsPrivateAddresses
        return Prepared(
            vault: vault, services: UploadServices(enabled: enabled, flows: flows, addresses: addresses),
            client: client)
    }

    /// Throws if others than the owner and its group can read a file. Its owner may be root, with the group of the service.
    private static func checkMode(of path: String) throws(ConfigurationFault) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o007 != 0 else { return }
        throw ConfigurationFault("all users can read \(path)", suggestion: "run chmod 600 \(path)")
    }

    /// Returns the problems of the files, and the settings that only systemd can provide.
    func problems(
        credentialsDirectory: String?, settings: [ConfigurationSetting], pages: String
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        var files = registrations.map { ("\($0.destination.rawValue)_secret_file", $0.secretFile) }
        if let keyFile { files.append(("key_file", keyFile)) }
        if credentialsDirectory == nil, files.contains(where: \.1.isCredential) {
            return ([], files.filter(\.1.isCredential).map { "uploads.\($0.0)" })
        }
        do throws(InvalidConfiguration) {
            _ = try prepared(credentialsDirectory: credentialsDirectory, settings: settings, pages: pages)
            return ([], [])
        } catch { return (error.problems, []) }
    }
}
