import Contract
import HostRuntime
import LogbookStores
import Settings
import Timeline
import WebServer

/// What the administrator decided: `/etc/rowgate/logbook.toml`, checked.
package struct LogbookConfiguration: Equatable, Sendable {
    package static let defaultPath = "/etc/rowgate/logbook.toml"
    private static let defaultListen = "127.0.0.1:8080"
    private static let defaultTokensFile = "/var/lib/rowgate-logbook/tokens"

    /// Section `[club]`: by which time zone days, weeks and seasons are counted.
    package var calendar: ClubCalendar
    /// Why days are UTC, if no zone is set and the machine's cannot be used.
    package var calendarWarning: String?
    /// Section `[broker]`: where the messages come from.
    var broker: BrokerSettings
    /// Section `[http]`: where pages are served, under which names, and to whom.
    var listen: ListenAddress
    var names: [String]
    var wall: Access.Audience
    var tokensFile: String
    /// Section `[store]`: where records are kept; nil to show them only.
    package var store: StoreSettings?
    /// Section `[publish]`: what its own topics begin with.
    var id: String
    /// Whether it takes what is said of suggestions over MQTT.
    var takesCommands: Bool
    /// Every value with its origin.
    package var settings: [ConfigurationSetting]

    /// Reads the file at `path`, past what is wrong, so that all of it can be said at once. Throws
    /// when it cannot be read at all.
    ///
    /// - Parameter zones: among which the club's time zone is.
    package static func read(
        from path: String, zones: TimeZoneDatabase = .system
    ) throws(InvalidConfiguration) -> (Self, problems: [ConfigurationProblem]) {
        ConfigurationSource.merge(try ConfigurationSource.read([path])) {
            Self(reading: &$0, zones)
        }
    }

    private init(reading reader: inout ConfigurationReader, _ zones: TimeZoneDatabase) {
        (calendar, calendarWarning) = reader.section("club") { Self.calendar(&$0, zones) }
        broker = reader.section("broker") { section in
            BrokerSettings(reading: &section, clientID: "rowgate-logbook")
        }
        (listen, names, wall, tokensFile) = reader.section("http") { section in
            (
                Self.address(&section),
                section.textList("names", .host) { $0.lowercased() },
                section.choice("open_wall", default: .machine),
                section.text("tokens_file", default: Self.defaultTokensFile)
            )
        }
        store = reader.section("store") { StoreSettings(reading: &$0) }
        let keeps = store != nil
        (id, takesCommands) = reader.section("publish") { section in
            let id = section.text(
                "id", default: Slug.of(hostName: HostName.names.first ?? "logbook"),
                origin: .derived(from: "the host name"), .slug)
            let commands = section.boolean("commands", default: false)
            if commands, !keeps {
                section.report(
                    "commands", "means nothing where no records are kept",
                    suggestion: "add path = \"...\" below [store], or remove this line")
            }
            return (id, commands)
        }
        settings = reader.settings
    }

    private static func calendar(
        _ section: inout ConfigurationSection, _ zones: TimeZoneDatabase
    ) -> (calendar: ClubCalendar, warning: String?) {
        let isSet = section.isSet("time_zone")
        let machine: (calendar: ClubCalendar, warning: String?) =
            isSet ? (.utc, nil) : zones.machine()
        let name = section.text(
            "time_zone", default: machine.calendar.name, origin: .derived(from: "the machine"))
        guard isSet else { return machine }
        do throws(TimeZoneDatabase.Fault) {
            return (try zones.calendar(named: name), nil)
        } catch {
            section.report("time_zone", error.reason, suggestion: error.remedy)
            return machine
        }
    }

    private static func address(_ section: inout ConfigurationSection) -> ListenAddress {
        let text = section.text("listen", default: defaultListen)
        if let address = ListenAddress(text) { return address }
        section.report(
            "listen", "\"\(text)\" is no address to listen at", suggestion: listenAdvice)
        return fallback
    }

    /// The file of races, so that one outlives a restart.
    var racesFile: String { besideTokens("races") }

    /// What gateways are still asked to forget.
    package var errands: ErrandFile { ErrandFile(path: besideTokens("erasures")) }

    /// In the folder that is ours.
    private func besideTokens(_ name: String) -> String {
        let folder = tokensFile.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (folder + [Substring(name)]).joined(separator: "/")
    }

    /// What a person types into a browser on this machine, or on another one where that is served.
    var pageAddress: String {
        let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
        let host = isEverywhere ? (HostName.names.last ?? "localhost") : listen.description
        return isEverywhere ? "http://\(host):\(listen.port)/" : "http://\(host)/"
    }

    /// What its own topics are.
    var topics: LogbookTopicMap { LogbookTopicMap(logbook: LogbookID(valid: id)) }

    static let listenAdvice =
        "write figures and a port: \"127.0.0.1:8080\" for this machine alone, "
        + "\"0.0.0.0:8080\" or \"[::]:8080\" for the network"

    private static var fallback: ListenAddress {
        guard let address = ListenAddress(defaultListen) else {
            preconditionFailure("the built-in address is one")
        }
        return address
    }
}
