import MQTTClient

/// Section `[broker]` of any program: where the messages go, or come from.
package struct BrokerSettings: Equatable, Sendable {
    /// How the broker proves who it is, and we to it.
    package struct TLS: Equatable, Sendable {
        /// Of the authority that signed the broker's certificate; nil for the system's.
        package var authority: CredentialFile?
        /// Ours, for a broker that asks for one; nil together with `key`.
        package var certificate: CredentialFile?
        /// Of `certificate`, without a passphrase.
        package var key: CredentialFile?
    }

    /// A name or an address, without a port.
    package var host: String
    /// 1 to 65535.
    package var port: Int
    /// Others that know the same sessions, to be tried in this order when one fails.
    package var alternatives: [BrokerAddress]
    /// nil for a broker that asks nobody.
    package var username: String?
    /// Its first line; only with `username`.
    package var password: CredentialFile?
    /// nil for none: everybody on the way can read.
    package var tls: TLS?
    /// Unique among the clients of a broker, which drops the older of two namesakes.
    package var clientID: String
    package var protocolVersion: BrokerConfiguration.ProtocolVersion
    /// Between signs of life, 5 s to an hour; a broker waits half as long again for the next.
    package var keepalive: Duration
    /// Of a publisher: durable messages that may wait for their acknowledgement at a time.
    package var inFlight = 20
    /// Of a publisher: whether a message that nobody subscribes to stays pending.
    package var holdsWhenUnsubscribed = false
    /// Of a publisher: until the broker publishes its last will, up to an hour.
    package var willDelay = Duration.seconds(BrokerConfiguration.usualWillDelaySeconds)
    /// Of a publisher: how many messages a second may go out, 10 to 10,000; nil for as many as there are.
    package var maximumPublishRate: Int?
    /// Of a publisher: after which time it publishes once more what the broker is to keep, a minute to a
    /// day; nil for never.
    package var announcePeriod: Duration?
}

extension BrokerSettings {
    /// Reads what every program has in the section; a publisher reads on.
    ///
    /// - Parameters:
    ///   - clientID: what the program calls itself unless a file says otherwise.
    ///   - origin: where that name comes from.
    package init(
        reading section: inout ConfigurationSection, clientID: String,
        origin: ConfigurationSetting.Origin = .builtIn
    ) {
        let texts = section.textList("servers", .server) { $0 }
        section.tellsAbsent = texts.isEmpty
        host = section.text("host", default: "localhost", .host)
        section.tellsAbsent = true
        if !texts.isEmpty, section.isSet("host") {
            section.report(
                "host", "is one broker, and servers names several",
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
        self.clientID = section.text("client_id", default: clientID, origin: origin, .clientID)
        protocolVersion = section.choice("protocol", default: .v5)
        keepalive = .seconds(
            section.integer(
                "keepalive_s", in: 5...3600,
                default: Int(BrokerConfiguration.usualKeepAliveSeconds)))
        // MQTT 3.1.1, 3.1.2.9: without a user name there is no password either.
        if password != nil, username == nil, protocolVersion == .v311 {
            section.report("password_file", "needs a username with MQTT 3.1.1")
        }
    }
}

extension BrokerSettings.TLS {
    /// The files are named whether or not TLS is on, so that one that means nothing is noticed.
    fileprivate init?(reading section: inout ConfigurationSection, isEncrypted: Bool) {
        authority = section.credentialFile("ca_file")
        certificate = section.credentialFile("cert_file")
        key = section.credentialFile("key_file")
        if !isEncrypted {
            for key in ["ca_file", "cert_file", "key_file"] where section.isSet(key) {
                section.report(key, "means nothing without TLS", suggestion: "add tls = true")
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
