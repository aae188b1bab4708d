import BlueZLink
import Contract
import Glibc
import Insights
import MQTTClient
import PM5Codec
import Rowing
import Settings

/// Reads the configuration from files. Only this file changes every field of it.
extension Configuration {
    package static let defaultPath = "/etc/rowgate/rowgate.toml"

    /// Reads the file at `path` and its `conf.d/*.toml`. Throws all problems at once.
    package static func load(
        from path: String = defaultPath
    ) throws(InvalidConfiguration) -> Configuration {
        let (configuration, problems) = try read(from: path)
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return configuration
    }

    /// Continues after a problem, including the roster, so that all problems are reported at once;
    /// the configuration has defaults where values are wrong. Throws if a file cannot be read at
    /// all.
    static func read(
        from path: String
    ) throws(InvalidConfiguration) -> (Configuration, problems: [ConfigurationProblem]) {
        let files: [String]
        do { files = try ConfigurationFolder.files(mainFile: path) } catch {
            throw InvalidConfiguration(problems: [error])
        }
        let sources = try ConfigurationSource.read(files)
        var (configuration, problems) = read(sources, hostName: currentHostName())
        do {
            configuration.roster = try configuration.loadRoster(knowsErgs: problems.isEmpty)
        } catch { problems += error.problems }
        if problems.isEmpty { configuration.checkRelativeTargets() }
        return (configuration, problems)
    }

    /// Warns of named workouts that no athlete can use.
    private mutating func checkRelativeTargets() {
        // The athletes of a logbook are not known yet.
        if athletes.roster == .logbook { return }
        let rows = settings.filter { $0.section.hasPrefix("workout[") && $0.key == "row" }
        for (row, workout) in zip(rows, workouts) {
            guard case .file(let place) = row.origin else { continue }
            for distance in workout.order.targets.testDistances
            where roster?.athletes.contains(where: { $0.powers[distance] != nil }) != true {
                let name = distance.rawValue
                warnings.append(
                    ConfigurationProblem(
                        at: place, key: "\(row.section).row",
                        "has a target relative to an athlete's \(name) result, and no athlete has one",
                        suggestion: "write power_\(name)_w in the roster of [athletes], or set a target in "
                            + "watts or as a pace"))
            }
        }
    }

    /// - Parameter knowsErgs: whether every `[[erg]]` could be read, so that an athlete at another erg
    ///   is an error of the roster.
    private func loadRoster(knowsErgs: Bool) throws(InvalidConfiguration) -> AthleteRoster? {
        guard case .file(let path)? = athletes.roster else { return nil }
        let isListed = bluetooth.discovery == .listed
        return try AthleteRoster.load(
            from: path, ergs: isListed && knowsErgs ? Set(ergs.map(\.slug)) : nil)
    }

    typealias Source = ConfigurationSource

    /// Parses and merges `sources`, the main file first.
    static func parse(
        _ sources: [Source], hostName: String
    ) throws(InvalidConfiguration) -> Configuration {
        let (configuration, problems) = read(sources, hostName: hostName)
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return configuration
    }

    private static func read(
        _ sources: [Source], hostName: String
    ) -> (Configuration, problems: [ConfigurationProblem]) {
        ConfigurationSource.merge(sources) { reader in
            Configuration(reading: &reader, hostName: hostName)
        }
    }

    private static func currentHostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Configuration {
    /// Reads every section; invalid values get their defaults.
    fileprivate init(reading reader: inout ConfigurationReader, hostName: String) {
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
        athletes = reader.section("athletes") { section in
            Athletes(
                roster: section.optionalText("roster", .roster).map {
                    $0 == "logbook" ? .logbook : .file($0)
                },
                publishesNames: section.boolean("publish_names", default: false))
        }
        roster = nil
        logLevel = reader.section("log") { section in section.choice("level", default: .info) }
        warnings = []
        settings = []
        checkTogether(&reader)
        warnings = reader.warnings
        settings = reader.settings
    }

    private static func readGateway(
        _ reader: inout ConfigurationReader, hostName: String
    ) -> Gateway {
        let fallback = Slug.of(hostName: hostName)
        let (gateway, isDerived) = reader.section("gateway") { section in
            let id = section.text(
                "id", default: fallback, origin: .derived(from: "the host name"), .slug)
            return (Gateway(id: id), !section.isSet("id"))
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

    private static func readBroker(
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

    /// A relay needs an adapter of its own.
    private func checkRelays(_ reader: inout ConfigurationReader) {
        let adapters = bluetooth.relayAdapters
        let relayed = ergs.filter(\.isRelayed)
        if relayed.count > adapters.count {
            reader.report(
                ConfigurationProblem(
                    at: reader.place(of: "erg"), key: "erg.relay",
                    "\(relayed.count) \(relayed.count == 1 ? "erg has" : "ergs have") a relay, but "
                        + "bluetooth.relay_adapters names \(adapters.count)",
                    suggestion: "name an adapter for each, or remove relay from the others"))
        }
        if let both = adapters.first(where: bluetooth.adapters.contains) {
            reader.report(
                ConfigurationProblem(
                    at: reader.place(of: "bluetooth"), key: "bluetooth.relay_adapters",
                    "\(both.tomlText) is among bluetooth.adapters too",
                    suggestion: "a relay needs an adapter that connects to no monitor"))
        }
    }

    private static func readBluetooth(_ reader: inout ConfigurationReader) -> Bluetooth {
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
                })
        }
    }

    private static func readIdleRelease(_ section: inout ConfigurationSection) -> Duration? {
        let minutes = section.integer("release_idle_min", in: 0...1440, default: 15)
        return minutes > 0 ? .seconds(minutes * 60) : nil
    }

    /// Reads each `[[erg]]`, and reports duplicate slugs and serials.
    private static func readErgs(
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

    /// Reads each `[[workout]]`, and reports duplicate names.
    private static func readWorkouts(_ reader: inout ConfigurationReader) -> [NamedWorkout] {
        var names: [String: ConfigurationPlace] = [:]
        return reader.sections("workout") { section in
            let name = section.requiredText("name", .slug)
            let row = section.requiredText("row", .workout)
            if let name { section.reportRepeated("name", name, in: &names) }
            guard let name, let row else { return nil }
            return try? NamedWorkout(name, row: row)
        }
    }

    private static func readRing(_ reader: inout ConfigurationReader) -> Ring {
        reader.section("ring") { section in
            Ring(
                path: section.text("path", default: "/var/lib/rowgate/ring.log", .absolutePath),
                sizeBytes: section.integer("size_mib", in: 4...4096, default: 256) << 20,
                commitInterval: .milliseconds(
                    section.integer("commit_ms", in: 10...60_000, default: 1000)),
                keepsRaw: section.boolean("raw", default: true))
        }
    }

    /// Checks values of several sections against each other.
    private func checkTogether(_ reader: inout ConfigurationReader) {
        let listed = reader.count(of: "erg")
        let place = reader.place(of: "erg")
        if listed > Self.maximumErgs {
            reader.report(
                ConfigurationProblem(
                    at: place, key: "erg",
                    "\(listed) ergs are listed; a gateway holds at most \(Self.maximumErgs)",
                    suggestion: "set up a second gateway for the others"))
        } else if listed > bluetooth.limit {
            reader.report(
                ConfigurationProblem(
                    at: place, key: "erg",
                    "\(listed) ergs are listed, but bluetooth.limit is \(bluetooth.limit)",
                    suggestion: "raise the limit, or list fewer"))
        }
        checkRelays(&reader)
        if reader.count(of: "crew") > Crew.mostCrews {
            reader.report(
                ConfigurationProblem(
                    at: reader.place(of: "crew"), key: "crew",
                    "\(reader.count(of: "crew")) crews are listed; there can be "
                        + "\(Crew.mostCrews)"))
        }
        if listed == 0, bluetooth.discovery == .listed {
            reader.report(
                ConfigurationProblem(
                    at: reader.place(of: "erg"), key: "erg", "no erg is listed",
                    suggestion: "add [[erg]] with slug and serial, "
                        + "or set discovery = \"any\" under [bluetooth]"))
        }
        if liveInterval < bluetooth.sampleRate {
            reader.warn(
                ConfigurationProblem(
                    at: reader.place(of: "live"), key: "live.interval_ms",
                    "is shorter than bluetooth.sample_rate_ms, so live values repeat"))
        }
        if broker.protocolVersion == .v311 {
            reader.warn(
                ConfigurationProblem(
                    at: reader.place(of: "broker"), key: "broker.protocol",
                    "a 3.1.1 broker acknowledges what its access list denies, "
                        + "so losses there go unseen",
                    suggestion: "use \"5\" if the broker has it"))
        }
    }
}

/// The gateway's name if the configuration has none.
enum GatewayName {
    /// Names that images and installers give to every machine.
    private static let generic = ["rowgate", "localhost", "raspberrypi", "debian", "ubuntu"]

    static func isGeneric(_ slug: String) -> Bool { generic.contains(slug) }
}
