import Glibc
import MQTTClient
import Settings

/// The broker with its files: what a configuration alone cannot tell is right. In a copy of itself,
/// changes `broker`.
extension Configuration {
    /// `$CREDENTIALS_DIRECTORY` of systemd.exec(5): where a service finds its secrets.
    static var credentialsDirectory: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    /// Reads the password and looks at the files for TLS, or says all that is wrong with them, each
    /// at its setting.
    ///
    /// - Parameter credentialsDirectory: where files without a path are.
    func brokerConfiguration(
        credentialsDirectory: String?
    ) throws(InvalidConfiguration) -> BrokerConfiguration {
        var problems: [ConfigurationProblem] = []
        func taking(_ key: String, _ read: () throws(ConfigurationFault) -> String?) -> String? {
            do { return try read() } catch {
                problems.append(problem(key, error))
                return nil
            }
        }
        var configuration = broker.connection
        configuration.password = taking("password_file") { () throws(ConfigurationFault) in
            try broker.password?.password(credentialsDirectory: credentialsDirectory)
        }
        if let tls = broker.tls {
            func path(_ key: String, _ file: CredentialFile?) -> String? {
                taking(key) { () throws(ConfigurationFault) in
                    try file?.path(credentialsDirectory: credentialsDirectory)
                }
            }
            let files = BrokerConfiguration.TLSConfiguration(
                authorityFile: path("ca_file", tls.authority),
                certificateFile: path("cert_file", tls.certificate),
                keyFile: path("key_file", tls.key))
            for fault in files.faults() {
                let words = ConfigurationFault(fault.reason, suggestion: fault.suggestion)
                problems.append(problem(fault.file.key, words))
            }
            configuration.tls = files
        }
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return configuration
    }

    /// What is wrong with the files that can be looked at now, and the settings whose files cannot,
    /// because only systemd knows where they are and this process was not started by it.
    func fileProblems(
        credentialsDirectory: String?
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        var checked = self
        let unchecked = credentialsDirectory == nil ? checked.dropCredentials() : []
        do {
            _ = try checked.brokerConfiguration(credentialsDirectory: credentialsDirectory)
            return ([], unchecked)
        } catch { return (error.problems, unchecked) }
    }

    /// Forgets each file that is a credential; returns their settings.
    private mutating func dropCredentials() -> [String] {
        var dropped: [String] = []
        func drop(_ key: String, _ file: inout CredentialFile?) {
            guard file?.isCredential == true else { return }
            file = nil
            dropped.append("broker.\(key)")
        }
        drop("password_file", &broker.password)
        guard var tls = broker.tls else { return dropped }
        drop("ca_file", &tls.authority)
        drop("cert_file", &tls.certificate)
        drop("key_file", &tls.key)
        broker.tls = tls
        return dropped
    }

    private func problem(_ key: String, _ fault: ConfigurationFault) -> ConfigurationProblem {
        let setting = settings.first { $0.section == "broker" && $0.key == key }
        var place = ConfigurationPlace(file: "")
        if case .file(let found)? = setting?.origin { place = found }
        return ConfigurationProblem(
            at: place, key: "broker.\(key)", fault.reason, suggestion: fault.suggestion)
    }
}

extension TLSFileFault.File {
    fileprivate var key: String {
        switch self {
        case .authority: "ca_file"
        case .certificate: "cert_file"
        case .key: "key_file"
        }
    }
}
