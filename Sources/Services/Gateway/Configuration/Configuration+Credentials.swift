import MQTTClient
import Settings

/// Settings that refer to files, which the configuration alone cannot check.
extension Configuration {
    /// Reads the password and checks the files for TLS. Throws all problems with them, each with
    /// its setting.
    ///
    /// - Parameter credentialsDirectory: the folder of files given without a path.
    func brokerConfiguration(
        credentialsDirectory: String?
    ) throws(InvalidConfiguration) -> BrokerConfiguration {
        try broker.configuration(credentialsDirectory: credentialsDirectory, settings: settings)
    }

    /// Returns the problems of the files that can be checked now, and the settings whose files
    /// cannot.
    func fileProblems(
        credentialsDirectory: String?
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        broker.fileProblems(credentialsDirectory: credentialsDirectory, settings: settings)
    }
}
