import Contract
import Glibc
import LogbookStores
import MQTTClient
import Settings
import WebServer

/// What a configuration says of the logbook's surroundings, for a command that looks at them beside the
/// program: as far as it can be known when some of it is wrong.
package struct LogbookSurroundings: Sendable {
    /// What is wrong, each with file, line and suggestion.
    package private(set) var problems: [String] = []
    /// As the program connects to it, under another name; nil where that cannot be known.
    package private(set) var broker: BrokerConfiguration?
    package private(set) var store: StoreAddress?
    package private(set) var listen: ListenAddress?
    private var tokensFile: String?
    /// nil where nobody says where it is.
    package private(set) var errands: ErrandFile?

    /// What is heard of all gateways.
    package let filter = TopicMap.filter(of: nil)

    package init(configurationPath: String) {
        do throws(InvalidConfiguration) {
            let (configuration, mistakes) = try LogbookConfiguration.read(from: configurationPath)
            problems = mistakes.map { "\($0)" }
            listen = configuration.listen
            tokensFile = configuration.tokensFile
            errands = configuration.errands
            let (directory, settings) = (Self.credentials, configuration.settings)
            store = try configuration.store?.address(
                credentialsDirectory: directory, settings: settings)
            guard mistakes.isEmpty else { return }
            broker = try configuration.broker.configuration(
                credentialsDirectory: directory, settings: settings)
            // The program's own name would throw it out of the broker.
            broker?.clientID = "rowgate-logbook-doctor-\(getpid())"
        } catch {
            problems += error.problems.map { "\($0)" }
        }
    }

    /// Where the unit's credentials are while it runs; root may read them.
    private static var credentials: String {
        CredentialFile.directory ?? "/run/credentials/rowgate-logbook.service"
    }

    /// What the logbook that runs says of itself, as `/api/v1/health` has it; nil where none answers.
    package var health: [UInt8]? { listen?.body(of: Endpoint.health.rawValue) }

    /// Who holds tokens; nil where nobody says where they are.
    package func tokens<Found>(
        unreadable: (String) -> Found,
        held: (_ path: String, _ count: Int, _ coaches: Int, _ mode: Int?) -> Found
    ) -> Found? {
        guard let tokensFile else { return nil }
        do throws(TokenFile.Fault) {
            let holders = try TokenFile(path: tokensFile).read()
            var status = stat()
            let mode = stat(tokensFile, &status) == 0 ? Int(status.st_mode & 0o777) : nil
            return held(tokensFile, holders.count, holders.count { $0.role == .coach }, mode)
        } catch { return unreadable("\(error)") }
    }
}
