import Bytes
import Contract
import Glibc
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

/// Reads and checks the files that `[broker]` names.
extension BrokerSettings {
    /// Reads the password and checks the files for TLS. Throws all problems together, each with the place
    /// of its setting.
    ///
    /// - Parameters:
    ///   - credentialsDirectory: folder of systemd credentials.
    ///   - settings: all settings, with their places.
    package func configuration(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) throws(InvalidConfiguration) -> BrokerConfiguration {
        var problems: [ConfigurationProblem] = []
        func collectingProblems(_ key: String, _ read: () throws(ConfigurationFault) -> String?) -> String? {
            do { return try read() } catch {
                problems.append(settings.brokerProblem(key, error))
                return nil
            }
        }
        var configuration = connection
        configuration.password = collectingProblems("password_file") {
            () throws(ConfigurationFault) in
            try password?.password(credentialsDirectory: credentialsDirectory)
        }
        if let tls {
            func path(_ key: String, _ file: CredentialFile?) -> String? {
                collectingProblems(key) { () throws(ConfigurationFault) in
                    try file?.path(credentialsDirectory: credentialsDirectory)
                }
            }
            let files = BrokerConfiguration.TLSConfiguration(
                authorityFile: path("ca_file", tls.authority),
                certificateFile: path("cert_file", tls.certificate),
                keyFile: path("key_file", tls.key))
            for fault in files.faults() {
                let fileFault = ConfigurationFault(fault.reason, suggestion: fault.suggestion)
                problems.append(settings.brokerProblem(fault.file.key, fileFault))
            }
            configuration.tls = files
        }
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return configuration
    }

    /// Checks the files. Also returns the settings whose files cannot be checked: systemd credentials, if
    /// systemd did not start this process.
    package func fileProblems(
        credentialsDirectory: String?, settings: [ConfigurationSetting]
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        var checked = self
        let unchecked = credentialsDirectory == nil ? checked.dropCredentials() : []
        do {
            _ = try checked.configuration(
                credentialsDirectory: credentialsDirectory, settings: settings)
            return ([], unchecked)
        } catch { return (error.problems, unchecked) }
    }

    /// Removes the files that are credentials; returns their settings.
    private mutating func dropCredentials() -> [String] {
        var dropped: [String] = []
        func drop(_ key: String, _ file: inout CredentialFile?) {
            guard file?.isCredential == true else { return }
            file = nil
            dropped.append("broker.\(key)")
        }
        drop("password_file", &password)
        guard var tls else { return dropped }
        drop("ca_file", &tls.authority)
        drop("cert_file", &tls.certificate)
        drop("key_file", &tls.key)
        self.tls = tls
        return dropped
    }

    /// The configuration without password and TLS.
    private var connection: BrokerConfiguration {
        var connection = BrokerConfiguration(
            host: host, port: UInt16(clamping: port), clientID: clientID)
        connection.alternatives = alternatives
        connection.username = username
        connection.keepAliveSeconds = UInt16(clamping: keepalive.components.seconds)
        connection.protocolVersion = protocolVersion
        connection.inFlightWindow = inFlight
        connection.holdsWhenUnsubscribed = holdsWhenUnsubscribed
        connection.willDelaySeconds = UInt32(clamping: willDelay.components.seconds)
        connection.maximumPublishRate = maximumPublishRate
        connection.announcePeriod = announcePeriod
        return connection
    }
}

extension [ConfigurationSetting] {
    fileprivate func brokerProblem(_ key: String, _ fault: ConfigurationFault)
        -> ConfigurationProblem
    {
        problem("broker", key, fault)
    }

    /// A problem with a setting, at its place.
    package func problem(
        _ section: String, _ key: String, _ fault: ConfigurationFault
    ) -> ConfigurationProblem {
        let setting = first { $0.section == section && $0.key == key }
        var place = ConfigurationPlace(file: "")
        if case .file(let found)? = setting?.origin { place = found }
        return ConfigurationProblem(
            at: place, key: "\(section).\(key)", fault.reason, suggestion: fault.suggestion)
    }
}

extension TLSFileFault.File {
    fileprivate var key: String {
        switch self {
        case .authority: "ca_file"
        case .certificate: "cert_file"
        case .key: "key_file"
        }
    }
}

/// A file named by a setting: a path or a systemd credential.
package struct CredentialFile: Equatable, Sendable {
    /// In bytes. A larger file is probably not a password file.
    static let maximumPasswordSize = 4096

    /// An absolute path, or the name of a `LoadCredential=` of the unit.
    package var name: String

    package init(name: String) { self.name = name }

    /// Whether it is a systemd credential.
    package var isCredential: Bool { !name.hasPrefix("/") }

    /// `$CREDENTIALS_DIRECTORY` of systemd.exec(5): the folder of the service's credentials.
    package static var directory: String? {
        getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    }

    /// The path of the file.
    ///
    /// - Parameter credentialsDirectory: `$CREDENTIALS_DIRECTORY` of systemd.exec(5), the folder of
    ///   credentials.
    package func path(credentialsDirectory: String?) throws(ConfigurationFault) -> String {
        guard isCredential else { return name }
        guard let credentialsDirectory else {
            throw ConfigurationFault(
                "\(name.tomlText) is the name of a credential, and systemd gave none",
                suggestion: "add LoadCredential=\(name):/etc/rowgate/\(name) to the unit")
        }
        return credentialsDirectory + "/" + name
    }

    /// The first line of the file, without the line break.
    package func password(credentialsDirectory: String?) throws(ConfigurationFault) -> String {
        let path = try path(credentialsDirectory: credentialsDirectory)
        let contents: [UInt8]
        do { contents = try ConfigurationFolder.contents(of: path) } catch {
            throw ConfigurationFault("\(path) \(error.reason)", suggestion: error.suggestion)
        }
        guard contents.count <= Self.maximumPasswordSize else {
            throw ConfigurationFault("\(path) is longer than \(Self.maximumPasswordSize) bytes")
        }
        let line = TextLines.first(of: contents)
        guard !line.isEmpty else { throw ConfigurationFault("\(path) begins with an empty line") }
        return String(decoding: line, as: UTF8.self)
    }
}
