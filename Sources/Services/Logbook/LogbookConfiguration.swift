import Settings
import WebServer

/// What the administrator decided: `/etc/rowgate/logbook.toml`, checked.
package struct LogbookConfiguration: Equatable, Sendable {
    package static let defaultPath = "/etc/rowgate/logbook.toml"
    private static let defaultListen = "127.0.0.1:8080"

    /// Section `[broker]`: where the messages come from.
    var broker: BrokerSettings
    /// Section `[http]`: where pages are served.
    var listen: ListenAddress
    /// Every value with its origin.
    var settings: [ConfigurationSetting]

    /// Reads the file at `path`, past what is wrong, so that all of it can be said at once. Throws
    /// when it cannot be read at all.
    static func read(
        from path: String
    ) throws(InvalidConfiguration) -> (Self, problems: [ConfigurationProblem]) {
        ConfigurationSource.merge(try ConfigurationSource.read([path])) { Self(reading: &$0) }
    }

    private init(reading reader: inout ConfigurationReader) {
        broker = reader.section("broker") { section in
            BrokerSettings(reading: &section, clientID: "rowgate-logbook")
        }
        listen = reader.section("http") { section in
            let text = section.text("listen", default: Self.defaultListen)
            if let address = ListenAddress(text) { return address }
            section.report(
                "listen", "\"\(text)\" is no address to listen at", suggestion: Self.listenAdvice)
            return Self.fallback
        }
        settings = reader.settings
    }

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
