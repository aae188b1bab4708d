import Contract
import Glibc
import LogbookStores
import MQTTClient
import Settings
import WebServer

/// The logbook's broker, store, address and files, for commands that inspect them while the logbook runs.
/// Parts are nil if the configuration is invalid.
package struct ConfiguredLogbook: Sendable {
    /// The problems in the configuration, each with file, line and suggestion.
    package private(set) var problems: [String] = []
    /// The logbook's broker configuration with another client id; nil if the configuration is invalid.
    package private(set) var broker: BrokerConfiguration?
    package private(set) var store: StoreAddress?
    package private(set) var listen: ListenAddress?
    private var tokensFile: String?
    /// The pending erasure requests; nil if the configuration cannot be read.
    package private(set) var erasureRequests: ErasureRequestFile?

    /// The first levels of all topics.
    package private(set) var topicPrefix = TopicPrefix.standard

    package init(configurationPath: String) {
        do throws(InvalidConfiguration) {
            let (configuration, mistakes) = try LogbookConfiguration.read(from: configurationPath)
            problems = mistakes.map { "\($0)" }
            listen = configuration.listen
            topicPrefix = configuration.topicPrefix
            tokensFile = configuration.tokensFile
            erasureRequests = configuration.erasureRequests
            let (directory, settings) = (Self.credentials, configuration.settings)
            store = try configuration.store?.address(
                credentialsDirectory: directory, settings: settings)
            guard mistakes.isEmpty else { return }
            broker = try configuration.broker.configuration(
                credentialsDirectory: directory, settings: settings)
            // The broker would disconnect the logbook if another client used its client id.
            broker?.clientID = "rowgate-logbook-doctor-\(getpid())"
        } catch {
            problems += error.problems.map { "\($0)" }
        }
    }

    /// The folder of the unit's credentials while it runs. Root can read it.
    private static var credentials: String {
        CredentialFile.directory ?? "/run/credentials/rowgate-logbook.service"
    }

    /// The response of the running logbook to `/api/v1/health`; nil if no logbook answers.
    package var health: [UInt8]? { listen?.body(of: Endpoint.health.route.path) }

    /// Passes the facts about the tokens file to a closure and returns its result; nil if no path is known.
    package func tokens<Found>(
        unreadable: (String) -> Found,
        held: (_ path: String, _ count: Int, _ coaches: Int, _ mode: Int?) -> Found
    ) -> Found? {
        guard let tokensFile else { return nil }
        do throws(TokenFile.Fault) {
            let holders = try TokenFile(path: tokensFile).read()
            var status = stat()
            let mode = stat(tokensFile, &status) == 0 ? Int(status.st_mode & 0o777) : nil
            return held(tokensFile, holders.count, holders.count { $0.role.includes(.coach) }, mode)
        } catch { return unreadable("\(error)") }
    }
}
