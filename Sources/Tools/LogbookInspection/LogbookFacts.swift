import LogbookStores
import MQTTClient

/// What the logbook's doctor looks at, as plain values: whoever asks fills it, `LogbookCheckup` judges it.
package struct LogbookFacts: Sendable {
    /// Where the configuration is.
    package var configurationPath: String
    /// What is wrong with it, each with file, line and suggestion.
    package var problems: [String] = []
    /// nil where it could not be tried.
    package var broker: Broker?
    package var pages: Pages?
    /// nil where no records are kept.
    package var store: Store?
    /// The logbook that runs with this configuration; nil where none answers.
    package var running: RunningLogbook?
    /// The logbooks that share it; none where it is one logbook's alone.
    package var sharers: [StoreSharer] = []
    package var disk: Disk?
    package var isClockRight: Bool
    package var tokens: Tokens?
    /// What gateways are to forget; why that cannot be read. nil where nobody says where it is.
    package var errands: Result<[Errand], ErrandFile.Fault>?

    package init(configurationPath: String, isClockRight: Bool) {
        (self.configurationPath, self.isClockRight) = (configurationPath, isClockRight)
    }

    /// A subscription to what gateways publish.
    package struct Broker: Equatable, Sendable {
        /// `host:port`.
        package var address: String
        package var filter: String
        package var outcome: BrokerTrial.Outcome

        package init(address: String, filter: String, outcome: BrokerTrial.Outcome) {
            (self.address, self.filter, self.outcome) = (address, filter, outcome)
        }
    }

    /// Where pages are served.
    package struct Pages: Equatable, Sendable {
        package var address: String
        /// Whether somebody takes connections there.
        package var isServed: Bool
        /// Whether others than this machine get there.
        package var isOpen: Bool

        package init(address: String, isServed: Bool, isOpen: Bool) {
            (self.address, self.isServed, self.isOpen) = (address, isServed, isOpen)
        }
    }

    /// What the store says of itself.
    package enum Store: Equatable, Sendable {
        case failed(StoreFailure)
        case read(place: String, StoreSize, [GatewayAccount])
    }

    /// The file system of a store that is a file.
    package struct Disk: Equatable, Sendable {
        package var path: String
        package var freeBytes: Int
        package var isReadOnly: Bool

        package init(path: String, freeBytes: Int, isReadOnly: Bool) {
            (self.path, self.freeBytes, self.isReadOnly) = (path, freeBytes, isReadOnly)
        }
    }

    /// Who may do what.
    package enum Tokens: Equatable, Sendable {
        /// Why the file is of no use.
        case unreadable(String)
        /// How many there are, how many of them for coaches, and the file's permissions, if it is there.
        case held(path: String, count: Int, coaches: Int, mode: Int?)
    }
}
