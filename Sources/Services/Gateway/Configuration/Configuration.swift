import BlueZLink
import Contract
import HostRuntime
import Insights
import MQTTClient
import PM5Codec
import Publishing
import Recording
import Settings

/// The administrator's settings: `/etc/rowgate/rowgate.toml` and its drop-ins, checked.
///
/// `config/rowgate.toml` documents every key with meaning, unit, range and default; the values here
/// satisfy them.
package struct Configuration: Equatable, Sendable {
    /// Maximum number of PM5s of one gateway.
    package static let maximumErgs = GatewayErgs.maximum

    /// Section `[gateway]`: the identity of the room.
    package struct Gateway: Equatable, Sendable {
        /// A slug, and the `{gw}` of every topic: unique among the gateways of a broker.
        package var id: String
    }

    package typealias Broker = BrokerSettings

    /// Section `[bluetooth]`: adapters and monitors.
    package struct Bluetooth: Equatable, Sendable {
        /// Which monitors are connected.
        package enum Discovery: String, CaseIterable, Sendable {
            /// Only monitors that an `[[erg]]` names.
            case listed
            /// Every PM5 in range, up to `limit`.
            case any
        }

        /// Upper case, in the order of preference; empty for all adapters.
        package var adapters: [String]
        /// Maximum number of links per adapter; nil to learn it from failures.
        package var slots: Int?
        /// How often a PM5 sends its general status: 1000, 500, 250 or 100 ms.
        package var sampleRate: Duration
        package var carrier: NotificationCarrier
        package var discovery: Discovery
        /// Maximum number of PM5s, 1 to 8.
        package var limit: Int
        /// In dBm; `any` ignores weaker monitors.
        package var weakestSignal: Int
        /// Time without use after which a link is released; nil for never.
        package var idleBeforeRelease: Duration?
        /// How long a released monitor is left alone while it still advertises.
        package var releaseHold: Duration
        /// Whether bluetooth.service may be restarted when an adapter hangs.
        package var mayRestartService: Bool
        /// Adapters that are reserved for relays to phones, by kernel name or address in upper case.
        package var relayAdapters: [String] = []
    }

    /// One `[[erg]]`: an erg and its monitor.
    package struct Erg: Equatable, Sendable {
        /// The name of the erg, and the `{erg}` of its topics.
        package var slug: String
        /// Nine digits.
        package var serial: String
        /// The room's setting, unless the erg has its own.
        package var carrier = NotificationCarrier.automatic
        /// The room's settings, unless the erg has its own.
        package var alerts = AlertSettings()
        /// Whether a phone may use the monitor too, through a relay.
        package var isRelayed = false
    }

    package typealias Ring = RingSettings

    /// Section `[athletes]`: published data about athletes.
    package struct Athletes: Equatable, Sendable {
        /// Where the athletes who may be assigned come from.
        package enum RosterSource: Equatable, Sendable {
            /// A file with this path.
            case file(String)
            /// The command `roster` of a logbook.
            case logbook
        }

        /// nil without a roster: any athlete may be assigned then.
        package var roster: RosterSource?
        /// Whether the retained `state` contains names.
        package var publishesNames = false
    }

    /// The least important messages that reach the journal.
    package enum LogLevel: String, CaseIterable, Sendable {
        case error, warning, notice, info, debug
    }

    package var gateway: Gateway
    package var broker: Broker
    package var bluetooth: Bluetooth
    /// In file order; slugs and serials are unique.
    package var ergs: [Erg]
    /// In file order; names are unique.
    package var workouts: [NamedWorkout]
    /// In file order; names are unique.
    package var crews: [Crew]
    package var ring: Ring
    /// The path of the control socket for rowgatectl.
    package var controlSocket: String
    /// Time between two live messages of an erg, in `MetricsSample.liveIntervalRange`.
    package var liveInterval: Duration
    package var commands: AllowedCommands
    /// Alerts for coaches.
    package var alerts: AlertSettings
    package var homeAssistantDiscovery: HomeAssistantBridge.Discovery
    package var athletes: Athletes
    /// The content of the file `athletes.roster`; with the roster of a logbook, what it sent last.
    package var roster: AthleteRoster?
    package var logLevel: LogLevel

    /// Allowed settings that are probably mistakes.
    package var warnings: [ConfigurationProblem]
    /// Every value with its origin, for `--print-config`.
    package var settings: [ConfigurationSetting]
}

// The configuration, converted to the types of the adapters.

extension Configuration.Bluetooth {
    fileprivate func room(roster: Roster, seed: UInt64) -> RoomLinkConfiguration {
        var room = RoomLinkConfiguration(roster: roster)
        room.rules.adapters = Set(adapters.map { $0.uppercased() })
        room.rules.slotsPerAdapter = slots
        room.sampleRate = rate
        room.carrier = carrier
        room.seed = seed
        room.rules.weakestSignal = weakestSignal
        room.rules.mayRestartService = mayRestartService
        room.rules.idleRelease = idleBeforeRelease.map { IdleRelease(after: $0, hold: releaseHold) }
        return room
    }

    var rate: SampleRate {
        switch sampleRate {
        case .milliseconds(1000): .every1000Milliseconds
        case .milliseconds(250): .every250Milliseconds
        case .milliseconds(100): .every100Milliseconds
        default: .every500Milliseconds
        }
    }
}

extension Configuration {
    /// The room for its links.
    func room(roster: Roster, seed: UInt64) -> RoomLinkConfiguration {
        var room = bluetooth.room(roster: roster, seed: seed)
        for erg in ergs { room.carriers[erg.serial] = erg.carrier }
        let relayed = ergs.filter(\.isRelayed)
        let adapters = bluetooth.relayAdapters.map(RelayAdapter.init)
        room.rules.relayAdapters = Set(adapters)
        room.relays = adapters.enumerated().map { index, adapter in
            RelayConfiguration(
                adapter: adapter, serial: index < relayed.count ? relayed[index].serial : nil)
        }
        return room
    }
}

extension Configuration.LogLevel {
    var threshold: SystemLog.Priority {
        switch self {
        case .error: .error
        case .warning: .warning
        case .notice: .notice
        case .info: .info
        case .debug: .debug
        }
    }
}

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

/// Reads the `[[crew]]` sections.
extension Configuration {
    /// - Parameter ergs: the existing slugs; nil if others may appear.
    static func readCrews(_ reader: inout ConfigurationReader, ergs: [String]?) -> [Crew] {
        var names: [String: ConfigurationPlace] = [:]
        // An unreadable [[erg]] is reported once, and not again for its crew.
        let ergs = ergs?.count == reader.count(of: "erg") ? ergs : nil
        return reader.sections("crew") { section in
            let name = section.requiredText("name", .crewName)
            let slugs = section.requiredTexts("ergs", .ergSlug, count: 1...CrewID.maximumMembers)
            if let name { section.reportRepeated("name", name, in: &names) }
            if let ergs, let unknown = slugs?.first(where: { !ergs.contains($0) }) {
                let near = Spelling.nearest(to: unknown, among: ergs)
                section.report(
                    "ergs", "\(unknown.tomlText) is the slug of no [[erg]]",
                    suggestion: near.map { "did you mean \($0.tomlText)?" })
            }
            return name.flatMap { CrewID($0) }.flatMap { id in
                slugs.flatMap { Crew(id, $0.compactMap { StationID($0) }) }
            }
        }
    }
}

extension Configuration {
    /// A file in the folder of the ring.
    func stateFile(_ name: String) -> StateFile {
        let slash = ring.path.lastIndex(of: "/") ?? ring.path.startIndex
        return StateFile(path: "\(ring.path[..<slash])/\(name)")
    }
}
