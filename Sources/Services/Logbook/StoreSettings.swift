import Contract
import Glibc
import LogbookStores
import Settings

/// Section `[store]`: where records are kept.
package struct StoreSettings: Equatable, Sendable {
    /// Without its password.
    var place: StoreAddress
    /// For a server that asks for one.
    var password: CredentialFile?
    /// For how many days records of a kind are kept; those that are not named, for ever.
    var retention: [StreamKind: Int] = [:]

    /// A century is for ever; less than a week is a mistake.
    private static let retentionDays = 7...36_500

    /// nil where records are not to be kept.
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
                "password_file", "means nothing without a server",
                suggestion: "add postgres = \"...\"")
        }
        if isShared, !section.isSet("postgres") {
            section.report(
                "shared", "is for a database of PostgreSQL",
                suggestion: "take it out, or add postgres = \"...\"")
        }
        if section.isSet("path"), section.isSet("postgres") {
            section.report(
                "postgres", "stands beside path, and records are kept in one place",
                suggestion: "take one of them out; rowgate-logbook move takes records from one to "
                    + "the other")
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

    /// Where the store is, with the password that its file has; or what is wrong with that file.
    ///
    /// - Parameters:
    ///   - credentialsDirectory: where a file without a path is.
    ///   - settings: all that was read, which say where each stands.
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

    /// What is wrong with it, as far as it shows without the store being opened; and the setting that
    /// only systemd can tell.
    func problems(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        switch place {
        case .sqlite(let path):
            guard let folder = Self.missingFolder(of: path) else { return ([], []) }
            let fault = ConfigurationFault(
                "there is no folder \(folder)", suggestion: "make it, for the user that runs this")
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
