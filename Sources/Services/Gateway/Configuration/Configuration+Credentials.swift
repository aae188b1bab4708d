import MQTTClient
import Settings

/// The broker with its files: what a configuration alone cannot tell is right.
extension Configuration {
    /// Reads the password and looks at the files for TLS, or says all that is wrong with them, each
    /// at its setting.
    ///
    /// - Parameter credentialsDirectory: where files without a path are.
    func brokerConfiguration(
        credentialsDirectory: String?
    ) throws(InvalidConfiguration) -> BrokerConfiguration {
        try broker.configuration(credentialsDirectory: credentialsDirectory, settings: settings)
    }

    /// What is wrong with the files that can be looked at now, and the settings whose files cannot.
    func fileProblems(
        credentialsDirectory: String?
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        broker.fileProblems(credentialsDirectory: credentialsDirectory, settings: settings)
    }
}
