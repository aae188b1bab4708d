import AvahiClient
import Contract
import HostRuntime
import LogbookStores
import Settings
import Timeline
import WebServer

/// The validated configuration from `/etc/rowgate/logbook.toml`.
package struct LogbookConfiguration: Equatable, Sendable {
    package static let defaultPath = "/etc/rowgate/logbook.toml"
    private static let defaultListen = "127.0.0.1:8080"
    private static let defaultTokensFile = "/var/lib/rowgate-logbook/tokens"

    /// Section `[club]`: the club's name, logo and calendar.
    package var club: ClubSettings
    /// Section `[broker]`: the connection to the MQTT broker.
    var broker: BrokerSettings
    /// Section `[http]`: the address and names of the web server, and who can see the pages.
    var listen: ListenAddress
    var names: [String]
    var wall: AccessControl.Audience
    var openCheckIn: CheckInService.Audience
    /// Whether browsers in the network find the wall by mDNS.
    var isAnnounced: Bool
    var tokensFile: String
    /// Section `[store]`: the store for records; nil if records are only shown.
    package var store: StoreSettings?
    /// Section `[publish]`: the logbook's id in its own topics.
    var id: String
    /// Whether the logbook accepts suggestion commands over MQTT.
    var acceptsCommands: Bool
    /// Section `[uploads]`: the services to which sessions are uploaded.
    var uploads: UploadSettings
    /// Every value with its origin.
    package var settings: [ConfigurationSetting]

    /// Reads the file at `path` and returns all problems in it. Throws if the file cannot be read.
    ///
    /// - Parameter zones: The known time zones.
    package static func read(
        from path: String, zones: TimeZoneDatabase = .system
    ) throws(InvalidConfiguration) -> (Self, problems: [ConfigurationProblem]) {
        ConfigurationSource.merge(try ConfigurationSource.read([path])) {
            Self(reading: &$0, zones)
        }
    }

    private init(reading reader: inout ConfigurationReader, _ zones: TimeZoneDatabase) {
        club = reader.section("club") { ClubSettings(reading: &$0, zones) }
        broker = reader.section("broker") { section in
            BrokerSettings(reading: &section, clientID: { "\($0.clientName)-logbook" })
        }
        (listen, names, isAnnounced, wall, openCheckIn, tokensFile) = reader.section("http") { section in
            (
                Self.address(&section),
                section.textList("names", .host) { $0.lowercased() },
                section.boolean("mdns", default: true),
                section.choice("open_wall", default: .machine),
                section.choice("open_check_in", default: .nobody),
                section.text("tokens_file", default: Self.defaultTokensFile)
            )
        }
        store = reader.section("store") { StoreSettings(reading: &$0) }
        let hasStore = store != nil
        if openCheckIn != .nobody, !hasStore {
            reader.report(
                ConfigurationProblem(
                    at: reader.place(of: "http"), key: "http.open_check_in",
                    "has no effect if no records are stored: the names of athletes are in the store",
                    suggestion: "add path = \"...\" below [store], or remove this line"))
        }
        (id, acceptsCommands) = reader.section("publish") { section in
            let id = section.text(
                "id", default: Slug.of(hostName: HostName.names.first ?? "logbook"),
                origin: .derived(from: "the host name"), .slug)
            let commands = section.boolean("commands", default: false)
            if commands, !hasStore {
                section.report(
                    "commands", "has no effect if no records are stored",
                    suggestion: "add path = \"...\" below [store], or remove this line")
            }
            return (id, commands)
        }
        uploads = reader.section("uploads") { UploadSettings(reading: &$0) }
        if uploads.keyFile != nil, !hasStore {
            reader.report(
                ConfigurationProblem(
                    at: reader.place(of: "uploads"), key: "uploads.key_file",
                    "has no effect if no records are stored",
                    suggestion: "add path = \"...\" below [store], or remove this line"))
        }
        settings = reader.settings
    }

    private static func address(_ section: inout ConfigurationSection) -> ListenAddress {
        let text = section.text("listen", default: defaultListen)
        if let address = ListenAddress(text) { return address }
        section.report(
            "listen", "\"\(text)\" is not a valid address", suggestion: listenAdvice)
        return fallback
    }

    /// The path of the file that stores races across restarts.
    var racesFile: String { stateFile(named: "races") }

    /// The pending erasure requests to gateways.
    package var erasureRequests: ErasureRequestFile { ErasureRequestFile(path: stateFile(named: "erasures")) }

    /// Returns the path of a file in the folder of the tokens file.
    private func stateFile(named name: String) -> String {
        let folder = tokensFile.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return (folder + [Substring(name)]).joined(separator: "/")
    }

    /// The URL of the pages for a browser, on another machine if the server listens on all addresses.
    package var pageAddress: String {
        let isEverywhere = ["0.0.0.0", "::"].contains(listen.host)
        let host = isEverywhere ? (HostName.names.last ?? "localhost") : listen.description
        return isEverywhere ? "http://\(host):\(listen.port)/" : "http://\(host)/"
    }

    /// The wall as browsers in the network find it by mDNS; nil if only this machine can open it, also
    /// through a proxy.
    ///
    /// - Parameter hostName: this machine's.
    func announcement(hostName: String) -> Announcement? {
        guard isAnnounced, listen.isOpen else { return nil }
        let wall = Announcement.Service("_http._tcp", port: listen.port, text: ["path": "/wall"])
        return Announcement(name: "Wall of \(club.name ?? hostName)", services: [wall])
    }

    /// The problem with the file of the logo, if there is one.
    var logoProblems: [ConfigurationProblem] {
        do throws(ConfigurationFault) {
            _ = try club.logo()
            return []
        } catch { return [settings.problem("club", "logo", error)] }
    }

    /// The first levels of all topics.
    package var topicPrefix: TopicPrefix { broker.topicPrefix }

    /// The topics that the logbook itself uses.
    var topics: LogbookTopicMap { LogbookTopicMap(logbook: LogbookID(valid: id), below: topicPrefix) }

    static let listenAdvice =
        "use an IP address and a port: \"127.0.0.1:8080\" for this machine alone, "
        + "\"0.0.0.0:8080\" or \"[::]:8080\" for the network"

    private static var fallback: ListenAddress {
        guard let address = ListenAddress(defaultListen) else {
            preconditionFailure("the default address is valid")
        }
        return address
    }
}
