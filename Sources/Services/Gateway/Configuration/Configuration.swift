import BlueZLink
import Contract
import Insights
import MQTTClient
import PM5Codec
import Publishing
import Recording
import Rowing
import Settings

/// The administrator's settings: `/etc/rowgate/rowgate.toml` and its drop-ins, checked.
///
/// `config/rowgate.toml` documents every key with meaning, unit, range and default; the values here
/// satisfy them.
package struct Configuration: Equatable, Sendable {
    /// Maximum number of PM5s of one gateway.
    package static let maximumErgs = GatewayErgs.maximum

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

// Each section with its keys. The range and the default of a key are where it is read; those of `[alerts]` are in
// `AlertSettings+Reading`.

extension Configuration {
    /// Reads every section; invalid values get their defaults.
    init(reading reader: inout ConfigurationReader, hostName: String) {
        gateway = Self.readGateway(&reader, hostName: hostName)
        broker = Self.readBroker(&reader, gateway: gateway.id)
        bluetooth = Self.readBluetooth(&reader)
        alerts = reader.section("alerts") { section in AlertSettings(reading: &section) }
        ergs = Self.readErgs(&reader, carrier: bluetooth.carrier, alerts: alerts)
        workouts = Self.readWorkouts(&reader)
        crews = Self.readCrews(
            &reader, ergs: bluetooth.discovery == .listed ? ergs.map(\.slug) : nil)
        ring = Self.readRing(&reader)
        controlSocket = reader.section("control") { section in
            section.text("socket", default: "/run/rowgate/control.sock", .socketPath)
        }
        liveInterval = reader.section("live") { section in
            .milliseconds(section.integer("interval_ms", in: MetricsSample.liveIntervalRange, default: 500))
        }
        commands = reader.section("commands") { section in
            AllowedCommands(
                changes: section.boolean("enabled", default: false),
                erasure: section.boolean("forget", default: false))
        }
        homeAssistantDiscovery = reader.section("homeassistant") { section in
            section.choice("discovery", default: .automatic)
        }
        athletes = Self.readAthletes(&reader)
        roster = nil
        logLevel = reader.section("log") { section in section.choice("level", default: .info) }
        warnings = []
        settings = []
        checkTogether(&reader)
        warnings = reader.warnings
        settings = reader.settings
    }
}

// MARK: - [gateway]

extension Configuration {
    /// Section `[gateway]`: the identity of the room.
    package struct Gateway: Equatable, Sendable {
        /// A slug, and the `{gw}` of every topic: unique among the gateways of a broker.
        package var id: String
        /// Whether apps in the network find the gateway by mDNS.
        package var isAnnounced = true
    }

    fileprivate static func readGateway(
        _ reader: inout ConfigurationReader, hostName: String
    ) -> Gateway {
        let fallback = Slug.of(hostName: hostName)
        let (gateway, isDerived) = reader.section("gateway") { section in
            let id = section.text(
                "id", default: fallback, origin: .derived(from: "the host name"), .slug)
            let isAnnounced = section.boolean("mdns", default: true)
            return (Gateway(id: id, isAnnounced: isAnnounced), !section.isSet("id"))
        }
        if isDerived, GatewayName.isGeneric(fallback) {
            reader.warn(
                ConfigurationProblem(
                    at: reader.place(of: "gateway"), key: "gateway.id",
                    "is not set, and the host name \"\(fallback)\" is not unique",
                    suggestion: "set it: two gateways of one name push each other off the broker"))
        }
        return gateway
    }
}

/// The gateway's name if the configuration has none.
private enum GatewayName {
    /// Names that images and installers give to every machine.
    private static let generic = ["rowgate", "localhost", "raspberrypi", "debian", "ubuntu"]

    static func isGeneric(_ slug: String) -> Bool { generic.contains(slug) }
}

// MARK: - [broker]

extension Configuration {
    package typealias Broker = BrokerSettings

    fileprivate static func readBroker(
        _ reader: inout ConfigurationReader, gateway: String
    ) -> Broker {
        reader.section("broker") { section in
            var broker = Broker(
                reading: &section, clientID: { "\($0.clientName)-\(gateway)" },
                origin: .derived(from: "gateway.id"))
            broker.inFlight = section.integer(
                "in_flight", in: 1...1000, default: BrokerConfiguration.defaultInFlightWindow)
            broker.holdsWhenUnsubscribed = section.boolean(
                "hold_when_unsubscribed", default: false)
            broker.willDelay = .seconds(
                section.integer(
                    "will_delay_s", in: 0...3600,
                    default: Int(BrokerConfiguration.defaultWillDelaySeconds)))
            broker.maximumPublishRate = section.optionalInteger(
                "max_publish_per_s", in: 10...10_000)
            let minutes = section.integer("announce_min", in: 0...1440, default: 0)
            broker.announcePeriod = minutes > 0 ? .seconds(minutes * 60) : nil
            return broker
        }
    }
}

// MARK: - [bluetooth]

extension Configuration {
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
        /// Whether relays of monitors without a fitness machine service have one.
        package var relaysFitnessMachine = false
        /// Whether rowgate sets the clocks of monitors to the local time of this machine.
        package var setsMonitorClocks = false
    }

    fileprivate static func readBluetooth(_ reader: inout ConfigurationReader) -> Bluetooth {
        reader.section("bluetooth") { section in
            Bluetooth(
                adapters: section.textList("adapters", .bluetoothAddress) { $0.uppercased() },
                slots: section.optionalInteger("slots", in: 1...Self.maximumErgs),
                sampleRate: .milliseconds(
                    section.integer("sample_rate_ms", among: [1000, 500, 250, 100], default: 500)),
                carrier: section.choice("carrier", default: .automatic),
                discovery: section.choice("discovery", default: .listed),
                limit: section.integer(
                    "limit", in: 1...Self.maximumErgs, default: Self.maximumErgs),
                weakestSignal: section.integer(
                    "min_rssi_dbm", in: -100 ... -40, default: RoomRules.defaultWeakestSignal),
                idleBeforeRelease: readIdleRelease(&section),
                releaseHold: .seconds(
                    60 * section.integer("release_hold_min", in: 1...60, default: 5)),
                mayRestartService: section.boolean("restart_service", default: false),
                relayAdapters: section.textList("relay_adapters", .bluetoothAdapter) {
                    $0.hasPrefix("hci") ? $0 : $0.uppercased()
                },
                relaysFitnessMachine: section.boolean("relay_fitness_machine", default: false),
                setsMonitorClocks: section.boolean("set_monitor_clocks", default: false))
        }
    }

    private static func readIdleRelease(_ section: inout ConfigurationSection) -> Duration? {
        let minutes = section.integer("release_idle_min", in: 0...1440, default: 15)
        return minutes > 0 ? .seconds(minutes * 60) : nil
    }
}

// MARK: - [[erg]]

extension Configuration {
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

    /// Reads each `[[erg]]`, and reports duplicate slugs and serials.
    fileprivate static func readErgs(
        _ reader: inout ConfigurationReader, carrier: NotificationCarrier, alerts: AlertSettings
    ) -> [Erg] {
        var slugs: [String: ConfigurationPlace] = [:]
        var serials: [String: ConfigurationPlace] = [:]
        return reader.sections("erg") { section in
            let slug = section.requiredText("slug", .ergSlug)
            let serial = section.requiredText("serial", .serial)
            let carrier = section.choice(
                "carrier", default: carrier, origin: .derived(from: "bluetooth.carrier"))
            let isRelayed = section.boolean("relay", default: false)
            var alerts = alerts
            alerts.readOwn(from: &section)
            if let slug { section.reportRepeated("slug", slug, in: &slugs) }
            if let serial { section.reportRepeated("serial", serial, in: &serials) }
            guard let slug, let serial else { return nil }
            return Erg(
                slug: slug, serial: serial, carrier: carrier, alerts: alerts, isRelayed: isRelayed)
        }
    }
}

// MARK: - [[workout]] and [[crew]]

extension Configuration {
    /// Reads each `[[workout]]`, and reports duplicate names.
    fileprivate static func readWorkouts(_ reader: inout ConfigurationReader) -> [NamedWorkout] {
        var names: [String: ConfigurationPlace] = [:]
        return reader.sections("workout") { section in
            let name = section.requiredText("name", .slug)
            let row = section.requiredText("row", .workout)
            if let name { section.reportRepeated("name", name, in: &names) }
            guard let name, let row else { return nil }
            return try? NamedWorkout(name, row: row)
        }
    }

    /// Reads each `[[crew]]`.
    ///
    /// - Parameter ergs: the existing slugs; nil if others may appear.
    fileprivate static func readCrews(_ reader: inout ConfigurationReader, ergs: [String]?) -> [Crew] {
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

// MARK: - [ring]

extension Configuration {
    package typealias Ring = RingSettings

    fileprivate static func readRing(_ reader: inout ConfigurationReader) -> Ring {
        reader.section("ring") { section in
            Ring(
                path: section.text("path", default: "/var/lib/rowgate/ring.log", .absolutePath),
                sizeBytes: section.integer("size_mib", in: 4...4096, default: 256) << 20,
                commitInterval: .milliseconds(
                    section.integer("commit_ms", in: 10...60_000, default: 1000)),
                keepsRaw: section.boolean("raw", default: true))
        }
    }
}

// MARK: - [athletes] and [log]

extension Configuration {
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

    fileprivate static func readAthletes(_ reader: inout ConfigurationReader) -> Athletes {
        reader.section("athletes") { section in
            Athletes(
                roster: section.optionalText("roster", .roster).map {
                    $0 == "logbook" ? .logbook : .file($0)
                },
                publishesNames: section.boolean("publish_names", default: false))
        }
    }

    /// The least important messages that reach the journal.
    package enum LogLevel: String, CaseIterable, Sendable {
        case error, warning, notice, info, debug
    }
}
