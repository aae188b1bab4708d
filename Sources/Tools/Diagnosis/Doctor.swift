import CommandLineText
import ControlSocket

/// Runs all checks once; tests replace the probes.
package struct Doctor: Sendable {
    let configuration: ConfigurationProbe
    private let host: HostProbe
    private let bluetooth: BluetoothProbe
    let broker: BrokerProbe
    private let socket: String?

    /// - Parameter socket: the control socket, when it is not the one of the configuration.
    package init(
        configuration: ConfigurationProbe, host: HostProbe = HostProbe(), bluetooth: BluetoothProbe,
        broker: BrokerProbe = BrokerProbe(), socket: String? = nil
    ) {
        self.configuration = configuration
        self.host = host
        self.bluetooth = bluetooth
        self.broker = broker
        self.socket = socket
    }

    /// Takes some seconds, most of them if a broker does not answer. Its only effect is a
    /// message to the broker.
    package func examine() async -> DoctorReport {
        DoctorReport(Checkup.findings(await facts()))
    }

    func facts() async -> HostFacts {
        let configured = configuration.facts()
        let settings =
            if case .valid(let settings, _) = configured { settings } else {
                EffectiveSettings(printed: "")
            }
        let ring = settings.text("ring.path") ?? "/var/lib/rowgate/ring.log"
        let path = socket ?? settings.text("control.socket") ?? RowgateInterface.defaultSocket
        return HostFacts(
            configuration: configured, configurationOption: configuration.option,
            service: Self.service(at: path),
            bluetooth: await bluetooth.facts(), wireless: host.wireless(), clock: host.clock(),
            disk: host.disk(ringPath: ring), broker: await broker.facts(settings),
            permissions: permissions(settings, ring: ring))
    }

    private static func service(at path: String) -> ServiceFacts {
        do {
            var client = try ControlClient(connectingTo: path)
            return .running(try client.call(RowgateInterface.Status.self, .init()))
        } catch {
            return .unreachable(
                reason: error.cause, remedy: error.remedy ?? "journalctl -u rowgate -n 20")
        }
    }

    private func permissions(_ settings: EffectiveSettings, ring: String) -> [PermissionFacts] {
        // A bare name is that of a credential, which systemd reads itself.
        func facts(_ keys: [String], _ need: PermissionFacts.Need) -> [PermissionFacts] {
            keys.compactMap(settings.text).filter { $0.hasPrefix("/") }
                .compactMap { host.permissions($0, need) }
        }
        return facts(["broker.password_file", "broker.key_file"], .secret)
            + facts(["broker.ca_file", "broker.cert_file", "athletes.roster"], .readable)
            + [host.permissions(ring, .owned)].compactMap(\.self)
    }
}

/// The findings of `rowgatectl doctor`, as text and as JSON.
package struct DoctorReport: Codable, Equatable, Sendable {
    /// The worst level of all findings.
    let verdict: Finding.Level
    /// In the order in which they are shown.
    let findings: [Finding]

    init(_ findings: [Finding]) {
        self.findings = findings
        verdict = .worst(of: findings.map(\.level))
    }

    package var exitStatus: Int32 { verdict.exitStatus }

    /// One line per finding, followed by its remedy.
    package var lines: [StyledLine] {
        findings.map {
            CheckupLine($0.check.rawValue, $0.level, $0.text, remedy: $0.remedy)
        }.styled
    }

    /// With line breaks and a fixed order of keys.
    package func jsonText() throws -> String { try JSONCoding.text(self) }
}
