import Glibc
import HostRuntime
import MQTTPublishing
import Rowing

/// Connects to the broker as the gateway would, and publishes one message.
package struct BrokerProbe: Sendable {
    /// Where the unit's credentials are while it runs; root may read them.
    private let credentials: String

    package init(credentials: String = "/run/credentials/rowgate.service") {
        self.credentials = credentials
    }

    package func facts(_ settings: EffectiveSettings) async -> BrokerFacts {
        let gateway = settings.text("gateway.id").flatMap(GatewayID.init)
        let host = settings.text("broker.host") ?? "localhost"
        var broker = BrokerConfiguration(
            host: host, port: UInt16(clamping: settings.number("broker.port") ?? 1883),
            clientID: "rowgate-doctor-\(getpid())")
        broker.protocolVersion = settings.text("broker.protocol") == "3.1.1" ? .v311 : .v5
        broker.username = settings.text("broker.username")
        if settings.flag("broker.tls") { broker.tls = Self.tls(settings) }
        let secret = settings.text("broker.password_file")
        var facts = BrokerFacts(
            address: broker.address, isLocal: Self.isLocal(host), usesTLS: broker.tls != nil,
            hasPassword: secret != nil,
            outcome: .untried(
                reason: "the configuration is not known", remedy: "sudo rowgatectl doctor"),
            topic: "")
        guard let gateway else { return facts }
        if let secret {
            guard let password = password(settings) else {
                facts.outcome = .untried(
                    reason: "the password in \(secret) cannot be read from here",
                    remedy: "sudo rowgatectl doctor, while rowgate runs")
                return facts
            }
            broker.password = password
        }
        let trial = Self.trial(broker, gateway)
        facts.topic = trial.topic
        facts.outcome = Self.outcome(await trial.run())
        return facts
    }

    private static func trial(_ broker: BrokerConfiguration, _ gateway: GatewayID) -> BrokerTrial {
        let now = BootInstant(nanoseconds: SystemClock.bootNanoseconds())
        let clock = WallClock(
            bootID: SystemClock.bootID(),
            unixMillisecondsAtBoot: SystemClock.unixMilliseconds()
                - Int64(clamping: now.milliseconds),
            isSynchronized: SystemClock.isSynchronized())
        return BrokerTrial(broker, gateway: gateway, at: now, clock: clock)
    }

    private static func tls(
        _ settings: EffectiveSettings
    ) -> BrokerConfiguration.TLSConfiguration {
        BrokerConfiguration.TLSConfiguration(
            authorityFile: settings.text("broker.ca_file"),
            certificateFile: settings.text("broker.cert_file"),
            keyFile: settings.text("broker.key_file"))
    }

    /// The first line of the file, or of the unit's credential of that name.
    func password(_ settings: EffectiveSettings) -> String? {
        guard let name = settings.text("broker.password_file") else { return nil }
        let path = name.hasPrefix("/") ? name : "\(credentials)/\(name)"
        return SmallFile.line(path).map { String($0.prefix { $0 != "\r" }) }
    }

    private static func outcome(_ trial: BrokerTrial.Outcome) -> BrokerFacts.Outcome {
        switch trial {
        case .failed(let failure): .refused(cause: failure.cause, remedy: failure.remedy)
        case .accepted(let time): .accepted(milliseconds: time, publish: .accepted)
        case .refused(let time, let failure):
            .accepted(milliseconds: time, publish: .refused(cause: failure.cause))
        case .untold(let time): .accepted(milliseconds: time, publish: .untold)
        }
    }

    private static func isLocal(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
