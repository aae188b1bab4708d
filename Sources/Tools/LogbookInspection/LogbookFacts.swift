import Contract
import LogbookStores
import MQTTClient

/// The facts that the logbook's doctor collects as plain values; `LogbookCheckup` evaluates them.
package struct LogbookFacts: Sendable {
    /// Path of the configuration.
    package var configurationPath: String
    /// Configuration errors, each with file, line and suggestion.
    package var problems: [String] = []
    /// The first levels of all topics.
    package var topicPrefix = TopicPrefix.standard
    /// nil if the connection could not be tried.
    package var broker: Broker?
    package var pages: Pages?
    /// nil if no store is configured.
    package var store: Store?
    /// The running logbook with this configuration; nil if there is no answer.
    package var running: RunningLogbook?
    /// The logbooks that share the store; empty if it is not shared.
    package var sharers: [StoreSharer] = []
    package var disk: Disk?
    package var isClockRight: Bool
    package var tokens: Tokens?
    /// The number of coaches and captains with a device that is signed in; nil if the store cannot be read.
    package var signedInCoaches: Int?
    /// The erasure requests, or why they cannot be read; nil if their location is unknown.
    package var erasureRequests: Result<[ErasureRequest], ErasureRequestFile.Fault>?

    package init(configurationPath: String, isClockRight: Bool) {
        (self.configurationPath, self.isClockRight) = (configurationPath, isClockRight)
    }

    /// The result of subscribing to the gateways' messages.
    package struct Broker: Equatable, Sendable {
        /// `host:port`.
        package var address: String
        package var filter: String
        package var outcome: BrokerTrial.Outcome

        package init(address: String, filter: String, outcome: BrokerTrial.Outcome) {
            (self.address, self.filter, self.outcome) = (address, filter, outcome)
        }
    }

    /// The HTTP listener.
    package struct Pages: Equatable, Sendable {
        package var address: String
        /// Whether the address accepts connections.
        package var isServed: Bool
        /// Whether other machines can connect.
        package var isOpen: Bool

        package init(address: String, isServed: Bool, isOpen: Bool) {
            (self.address, self.isServed, self.isOpen) = (address, isServed, isOpen)
        }
    }

    /// The contents of the store.
    package enum Store: Equatable, Sendable {
        case failed(StoreFailure)
        case read(place: String, StoreSize, [GatewaySummary])
    }

    /// The file system of a file store.
    package struct Disk: Equatable, Sendable {
        package var path: String
        package var freeBytes: Int
        package var isReadOnly: Bool
        /// Bytes that the store needs in a year; nil if unknown.
        package var bytesPerYear: Int?

        package init(path: String, freeBytes: Int, isReadOnly: Bool) {
            (self.path, self.freeBytes, self.isReadOnly) = (path, freeBytes, isReadOnly)
        }
    }

    /// The access tokens of the token file.
    package enum Tokens: Equatable, Sendable {
        /// Why the file cannot be used.
        case unreadable(String)
        /// Number of tokens, number of coach tokens, and the file's mode if it exists.
        case held(path: String, count: Int, coaches: Int, mode: Int?)
    }
}
