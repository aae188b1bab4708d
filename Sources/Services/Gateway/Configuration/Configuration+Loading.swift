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

    static func currentHostName() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Configuration {

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

    /// Checks values of several sections against each other.
    func checkTogether(_ reader: inout ConfigurationReader) {
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
