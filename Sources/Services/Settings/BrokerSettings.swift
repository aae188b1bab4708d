import Contract
import MQTTClient

/// Section `[broker]` of any program: the connection to the MQTT broker.
package struct BrokerSettings: Equatable, Sendable {
    /// Files for TLS.
    package struct TLS: Equatable, Sendable {
        /// Certificate of the authority that signed the broker's certificate; nil for the system's.
        package var authority: CredentialFile?
        /// Client certificate, if the broker needs one; nil together with `key`.
        package var certificate: CredentialFile?
        /// Key of `certificate`, without a passphrase.
        package var key: CredentialFile?
    }

    /// Host name or address, without a port.
    package var host: String
    /// 1 to 65535.
    package var port: Int
    /// Other brokers with the same sessions, tried in this order if one fails.
    package var alternatives: [BrokerAddress]
    /// nil to log in without a user name.
    package var username: String?
    /// File whose first line is the password; only with `username`.
    package var password: CredentialFile?
    /// nil for an unencrypted connection.
    package var tls: TLS?
    /// The first levels of all topics.
    package var topicPrefix = TopicPrefix.standard
    /// Unique among the clients of a broker. The broker disconnects the older of two equal ids.
    package var clientID: String
    package var protocolVersion: BrokerConfiguration.ProtocolVersion
    /// MQTT keep alive, 5 s to 1 h. The broker waits 1.5 times as long for the next packet.
    package var keepalive: Duration
    /// Publisher: maximum number of unacknowledged durable messages.
    package var inFlight = 20
    /// Publisher: whether messages without a subscriber stay pending.
    package var holdsWhenUnsubscribed = false
    /// Publisher: will delay, up to 1 h.
    package var willDelay = Duration.seconds(BrokerConfiguration.defaultWillDelaySeconds)
    /// Publisher: messages per second, 10 to 10,000; nil for no limit.
    package var maximumPublishRate: Int?
    /// Publisher: interval after which it publishes all retained messages again, 1 min to 1 day; nil for
    /// never.
    package var announcePeriod: Duration?
}

extension BrokerSettings {
    /// Reads the keys that all programs share. A publisher then reads its additional keys.
    ///
    /// - Parameters:
    ///   - clientID: default client id with a topic prefix, so that programs with different prefixes have
    ///     different ids.
    ///   - origin: origin of the default client id.
    package init(
        reading section: inout ConfigurationSection, clientID: (TopicPrefix) -> String,
        origin: ConfigurationSetting.Origin = .builtIn
    ) {
        let texts = section.textList("servers", .server) { $0 }
        section.listsUnsetKeys = texts.isEmpty
        host = section.text("host", default: "localhost", .host)
        section.listsUnsetKeys = true
        if !texts.isEmpty, section.isSet("host") {
            section.report(
                "host", "cannot be combined with servers",
                suggestion: "put it first into servers, and remove host")
        }
        let isEncrypted = section.boolean("tls", default: false)
        port = section.integer(
            "port", in: 1...65535, default: isEncrypted ? 8883 : 1883,
            origin: isEncrypted ? .derived(from: "broker.tls") : .builtIn)
        let usual = UInt16(clamping: port)
        let servers = texts.compactMap { BrokerAddress($0, port: usual) }
        alternatives = Array(servers.dropFirst())
        if let first = servers.first { (host, port) = (first.host, Int(first.port)) }
        username = section.optionalText("username")
        password = section.credentialFile("password_file")
        tls = TLS(reading: &section, isEncrypted: isEncrypted)
        topicPrefix = section.topicPrefix("topic_prefix")
        self.clientID = section.text(
            "client_id", default: clientID(topicPrefix), origin: origin, .clientID)
        protocolVersion = section.choice("protocol", default: .v5)
        keepalive = .seconds(
            section.integer(
                "keepalive_s", in: 5...3600,
                default: Int(BrokerConfiguration.defaultKeepAliveSeconds)))
        // MQTT 3.1.1, 3.1.2.9: a password needs a user name.
        if password != nil, username == nil, protocolVersion == .v311 {
            section.report("password_file", "needs a username with MQTT 3.1.1")
        }
    }
}

extension BrokerSettings.TLS {
    /// Reads the file names also without TLS, to report settings without effect.
    fileprivate init?(reading section: inout ConfigurationSection, isEncrypted: Bool) {
        authority = section.credentialFile("ca_file")
        certificate = section.credentialFile("cert_file")
        key = section.credentialFile("key_file")
        if !isEncrypted {
            for key in ["ca_file", "cert_file", "key_file"] where section.isSet(key) {
                section.report(key, "has no effect without TLS", suggestion: "add tls = true")
            }
            return nil
        }
        if section.isSet("cert_file"), !section.isSet("key_file") {
            section.report("cert_file", "needs its key", suggestion: "add key_file = \"...\"")
        }
        if section.isSet("key_file"), !section.isSet("cert_file") {
            section.report(
                "key_file", "needs its certificate", suggestion: "add cert_file = \"...\"")
        }
    }
}
