import Contract
import Glibc
import LogbookStores
import Settings

/// Section `[store]`: the store for records.
package struct StoreSettings: Equatable, Sendable {
    /// The address of the store, without the password.
    var place: StoreAddress
    /// The file with the password of the database server.
    var password: CredentialFile?
    /// The retention time by kind of record, in days. Other kinds are never removed.
    var retention: [StreamKind: Int] = [:]

    /// The valid retention times. Less than a week is probably a mistake.
    private static let retentionDays = 7...36_500

    /// Reads the section. Returns nil if no store is configured.
    init?(reading section: inout ConfigurationSection) {
        let path = section.optionalText("path", .absolutePath)
        let text = section.optionalText("postgres")
        for kind in RetentionPass.kinds {
            retention[kind] = section.optionalInteger(
                "keep_\(kind.topicName)_days", in: Self.retentionDays)
        }
        let isShared = section.boolean("shared", default: false)
        password = section.credentialFile("password_file")
        if section.isSet("password_file"), !section.isSet("postgres") {
            section.report(
                "password_file", "has no effect without a database server",
                suggestion: "add postgres = \"...\"")
        }
        if isShared, !section.isSet("postgres") {
            section.report(
                "shared", "requires a PostgreSQL database",
                suggestion: "remove it, or add postgres = \"...\"")
        }
        if section.isSet("path"), section.isSet("postgres") {
            section.report(
                "postgres", "cannot be combined with path: there is only one store",
                suggestion: "remove one of them; rowgate-logbook move copies the records to the "
                    + "other store")
        }
        if let text {
            guard var address = Self.address(text, &section) else { return nil }
            address.isShared = isShared
            place = .postgres(address)
        } else if let path {
            place = .sqlite(path: path)
        } else {
            return nil
        }
    }

    private static func address(
        _ text: String, _ section: inout ConfigurationSection
    ) -> PostgreSQLAddress? {
        do throws(PostgreSQLAddress.Fault) { return try PostgreSQLAddress(text) } catch {
            section.report("postgres", error.reason, suggestion: error.remedy)
            return nil
        }
    }

    /// Returns the address of the store with its password. Throws if the password file cannot be read.
    ///
    /// - Parameters:
    ///   - credentialsDirectory: The folder of a file name without a path.
    ///   - settings: All settings, for the position in an error.
    package func address(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) throws(InvalidConfiguration) -> StoreAddress {
        guard case .postgres(var address) = place, let password else { return place }
        do throws(ConfigurationFault) {
            address.password = try password.password(credentialsDirectory: credentialsDirectory)
        } catch {
            throw InvalidConfiguration(problems: [
                settings.problem("store", "password_file", error)
            ])
        }
        return .postgres(address)
    }

    /// Returns the problems that are visible without opening the store, and the settings that only systemd
    /// can provide.
    func problems(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        switch place {
        case .sqlite(let path):
            guard let folder = Self.missingFolder(of: path) else { return ([], []) }
            let fault = ConfigurationFault(
                "there is no folder \(folder)",
                suggestion: "create it, owned by the user that runs the logbook")
            return ([settings.problem("store", "path", fault)], [])
        case .postgres:
            if password?.isCredential == true, credentialsDirectory == nil {
                return ([], ["store.password_file"])
            }
            do throws(InvalidConfiguration) {
                _ = try address(credentialsDirectory: credentialsDirectory, settings: settings)
                return ([], [])
            } catch { return (error.problems, []) }
        }
    }

    private static func missingFolder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        var found = stat()
        return stat(folder, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR ? nil : folder
    }
}
