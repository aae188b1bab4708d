import Contract
import Glibc
import HostRuntime
import MQTTClient
import Timeline

/// Connects to the broker as the gateway would, and publishes one message.
package struct BrokerProbe: Sendable {
    /// Where the unit's credentials are while it runs; root may read them.
    private let credentials: String
    private let connector: BrokerConnector
    /// How long each broker has for its answer.
    private let timeLimit: Duration

    package init(
        credentials: String = "/run/credentials/rowgate.service",
        timeLimit: Duration = BrokerTrial.defaultTimeLimit,
        connector: @escaping BrokerConnector = MQTTConnection.init
    ) {
        self.credentials = credentials
        self.timeLimit = timeLimit
        self.connector = connector
    }

    func facts(_ settings: EffectiveSettings) async -> BrokerFacts {
        let prefix = settings.text("broker.topic_prefix").flatMap { try? TopicPrefix($0) } ?? .standard
        let topics = settings.text("gateway.id").flatMap(GatewayID.init)
            .map { TopicMap(gateway: $0, below: prefix) }
        var broker = Self.servers(settings)
        broker.protocolVersion = settings.text("broker.protocol") == "3.1.1" ? .v311 : .v5
        broker.username = settings.text("broker.username")
        if settings.flag("broker.tls") { broker.tls = tls(settings) }
        var facts = BrokerFacts(
            address: broker.address, isLocal: Self.isLocal(broker.host), usesTLS: broker.tls != nil,
            hasPassword: settings.text("broker.password_file") != nil,
            outcome: .untried(
                reason: "the configuration is not known",
                remedy: "first fix the problem in the line configuration"),
            topic: "")
        guard let topics else { return facts }
        facts.filter = topics.filter
        if let secret = unreadable(settings, withTLS: broker.tls != nil) {
            facts.outcome = .untried(
                reason: "\(secret) cannot be read from here",
                remedy: "sudo rowgatectl doctor, while rowgate runs")
            return facts
        }
        broker.password = password(settings)
        for server in broker.configurationPerServer { await add(trialOf: server, topics, to: &facts) }
        return facts
    }

    /// Stores the result of one broker in `outcome`, or in the list of failed brokers.
    private func add(
        trialOf broker: BrokerConfiguration, _ topics: TopicMap, to facts: inout BrokerFacts
    ) async {
        let host = SystemRuntime()
        let (now, clock) = (host.now(), host.wall())
        let trial = BrokerTrial(broker, topics, at: now, clock: clock)
        let outcome = await trial.run(over: connector, timeLimit: timeLimit)
        facts.topic = trial.topic
        facts.triedAt = clock.isSynchronized ? clock.unixMilliseconds(at: now) : nil
        if case .tried(let earlier) = facts.outcome {
            if case .failed(let failure) = outcome {
                facts.failedOthers.append(.init(address: broker.address, failure: failure))
                return
            }
            guard case .failed(let failure) = earlier else { return }
            facts.failedOthers.append(.init(address: facts.address, failure: failure))
        }
        facts.outcome = .tried(outcome)
        facts.address = broker.address
        facts.isLocal = Self.isLocal(broker.host)
    }

    /// The first broker of the configuration, with the others.
    private static func servers(_ settings: EffectiveSettings) -> BrokerConfiguration {
        let port = UInt16(clamping: settings.number("broker.port") ?? 1883)
        let servers = settings.texts("broker.servers").compactMap { BrokerAddress($0, port: port) }
        let host = settings.text("broker.host") ?? "localhost"
        let first = servers.first ?? BrokerAddress(host: host, port: port)
        var broker = BrokerConfiguration(
            host: first.host, port: first.port, clientID: "rowgate-doctor-\(getpid())")
        broker.alternatives = Array(servers.dropFirst())
        return broker
    }

    private func tls(_ settings: EffectiveSettings) -> BrokerConfiguration.TLSConfiguration {
        BrokerConfiguration.TLSConfiguration(
            authorityFile: path("broker.ca_file", settings),
            certificateFile: path("broker.cert_file", settings),
            keyFile: path("broker.key_file", settings))
    }

    /// Where the file of a setting is: a bare name is that of a credential of the unit.
    private func path(_ key: String, _ settings: EffectiveSettings) -> String? {
        settings.text(key).map { $0.hasPrefix("/") ? $0 : "\(credentials)/\($0)" }
    }

    /// Returns the first configured file that this process cannot read.
    private func unreadable(_ settings: EffectiveSettings, withTLS: Bool) -> String? {
        let keys =
            ["broker.password_file"]
            + (withTLS ? ["broker.ca_file", "broker.cert_file", "broker.key_file"] : [])
        return keys.compactMap { path($0, settings) }.first { access($0, R_OK) != 0 }
    }

    /// Returns the first line of the password file; nil if it cannot be read.
    func password(_ settings: EffectiveSettings) -> String? {
        path("broker.password_file", settings).flatMap(SmallFile.line)
            .map { String($0.prefix { $0 != "\r" }) }
    }

    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
