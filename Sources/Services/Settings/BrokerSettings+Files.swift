import Glibc
import MQTTClient

/// Reads and checks the files that `[broker]` names. Changes `password` and `tls`.
extension BrokerSettings {
    /// Reads the password and checks the files for TLS. Throws all problems together, each with the place
    /// of its setting.
    ///
    /// - Parameters:
    ///   - credentialsDirectory: folder of systemd credentials.
    ///   - settings: all settings, with their places.
    package func configuration(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) throws(InvalidConfiguration) -> BrokerConfiguration {
        var problems: [ConfigurationProblem] = []
        func collectingProblems(_ key: String, _ read: () throws(ConfigurationFault) -> String?) -> String? {
            do { return try read() } catch {
                problems.append(settings.brokerProblem(key, error))
                return nil
            }
        }
        var configuration = connection
        configuration.password = collectingProblems("password_file") {
            () throws(ConfigurationFault) in
            try password?.password(credentialsDirectory: credentialsDirectory)
        }
        if let tls {
            func path(_ key: String, _ file: CredentialFile?) -> String? {
                collectingProblems(key) { () throws(ConfigurationFault) in
                    try file?.path(credentialsDirectory: credentialsDirectory)
                }
            }
            let files = BrokerConfiguration.TLSConfiguration(
                authorityFile: path("ca_file", tls.authority),
                certificateFile: path("cert_file", tls.certificate),
                keyFile: path("key_file", tls.key))
            for fault in files.faults() {
                let fileFault = ConfigurationFault(fault.reason, suggestion: fault.suggestion)
                problems.append(settings.brokerProblem(fault.file.key, fileFault))
            }
            configuration.tls = files
        }
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return configuration
    }

    /// Checks the files. Also returns the settings whose files cannot be checked: systemd credentials, if
    /// systemd did not start this process.
    package func fileProblems(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        var checked = self
        let unchecked = credentialsDirectory == nil ? checked.dropCredentials() : []
        do {
            _ = try checked.configuration(
                credentialsDirectory: credentialsDirectory, settings: settings)
            return ([], unchecked)
        } catch { return (error.problems, unchecked) }
    }

    /// Removes the files that are credentials; returns their settings.
    private mutating func dropCredentials() -> [String] {
        var dropped: [String] = []
        func drop(_ key: String, _ file: inout CredentialFile?) {
            guard file?.isCredential == true else { return }
            file = nil
            dropped.append("broker.\(key)")
        }
        drop("password_file", &password)
        guard var tls else { return dropped }
        drop("ca_file", &tls.authority)
        drop("cert_file", &tls.certificate)
        drop("key_file", &tls.key)
        self.tls = tls
        return dropped
    }

    /// The configuration without password and TLS.
    private var connection: BrokerConfiguration {
        var connection = BrokerConfiguration(
            host: host, port: UInt16(clamping: port), clientID: clientID)
        connection.alternatives = alternatives
        connection.username = username
        connection.keepAliveSeconds = UInt16(clamping: keepalive.components.seconds)
        connection.protocolVersion = protocolVersion
        connection.inFlightWindow = inFlight
        connection.holdsWhenUnsubscribed = holdsWhenUnsubscribed
        connection.willDelaySeconds = UInt32(clamping: willDelay.components.seconds)
        connection.maximumPublishRate = maximumPublishRate
        connection.announcePeriod = announcePeriod
        return connection
    }
}

extension [ConfigurationSetting] {
    fileprivate func brokerProblem(_ key: String, _ fault: ConfigurationFault)
        -> ConfigurationProblem
    {
        problem("broker", key, fault)
    }

    /// A problem with a setting, at its place.
    package func problem(
        _ section: String, _ key: String, _ fault: ConfigurationFault
    ) -> ConfigurationProblem {
        let setting = first { $0.section == section && $0.key == key }
        var place = ConfigurationPlace(file: "")
        if case .file(let found)? = setting?.origin { place = found }
        return ConfigurationProblem(
            at: place, key: "\(section).\(key)", fault.reason, suggestion: fault.suggestion)
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
