import ControlSocket
import MQTTClient
import TestSupport

@testable import Diagnosis

extension HostFacts {
    /// A Pi with two ergs on which nothing is wrong.
    static let healthy = HostFacts(
        configuration: .valid(
            EffectiveSettings(
                printed: """
                    [gateway]
                    id = "boathouse"  # /etc/rowgate/rowgate.toml:3

                    [bluetooth]
                    slots = 7  # /etc/rowgate/rowgate.toml:9

                    [[erg]]
                    slug = "erg-1"  # /etc/rowgate/rowgate.toml:12

                    [[erg]]
                    slug = "erg-2"  # /etc/rowgate/rowgate.toml:15
                    """), warnings: []),
        service: .running(.running),
        bluetooth: BluetoothFacts(
            version: "5.82",
            adapters: [
                BluetoothFacts.Adapter(
                    name: "hci0", address: "B8:27:EB:01:02:03", isPowered: true,
                    isBlocked: false, isOnboard: true)
            ]),
        wireless: [WirelessFacts(interface: "wlan0", megahertz: 5180)],
        clock: ClockFacts(isSynchronized: true, hasHardwareClock: false),
        disk: DiskFacts(
            ringPath: "/var/lib/rowgate/ring.log", ringBytes: 256 << 20, freeBytes: 9 << 30,
            isReadOnly: false, lifeUsedPercent: 20, device: "mmcblk0"),
        broker: BrokerFacts(
            address: "localhost:1883", isLocal: true, usesTLS: false, hasPassword: false,
            outcome: .tried(.accepted(milliseconds: 12, BrokerLimits())),
            topic: "rowgate/v1/boathouse/rsp/doctor", filter: "rowgate/v1/boathouse/#"),
        permissions: [
            PermissionFacts(
                path: "/var/lib/rowgate/ring.log", need: .owned, owner: "rowgate",
                group: "rowgate", mode: 0o640)
        ])

    /// The same machine, with everything that a doctor warns of.
    static let ailing: HostFacts = {
        var facts = healthy
        facts.configuration = .valid(
            EffectiveSettings(
                printed: "[bluetooth]\nslots = 5  # default\nrelay_adapters = [\"hci1\"]  # a\n"
                    + String(repeating: "[[erg]]\nslug = \"a\"  # b\n", count: 8)),
            warnings: ["gateway.id is not set", "live.interval_ms repeats"])
        var status = StatusReply.running
        status.status = .degraded
        status.problems = [
            .init(
                code: "link", severity: "warning", erg: "erg-3",
                text: "erg-3: no signal since the connection was lost",
                remedy: "wake the monitor with any button"),
            .init(code: "load", severity: "warning", text: "rowgate cannot keep up"),
            .init(code: "clock", severity: "warning", text: "the clock is not synchronised"),
        ]
        status.reasons = status.problems?.map(\.text) ?? []
        (status.gateway.loadStep, status.gateway.cpuPercent) = (2, 97)
        status.gateway.queueDelaySeconds = 0.24
        status.gateway.roster = .init(source: "logbook")
        facts.service = .running(status)
        facts.bluetooth.version = "5.55"
        facts.wireless = [WirelessFacts(interface: "wlan0", megahertz: 2437)]
        facts.clock.isSynchronized = false
        facts.disk.freeBytes = 40 << 20
        facts.disk.lifeUsedPercent = 90
        facts.broker.isLocal = false
        facts.broker.hasPassword = true
        facts.broker.outcome = .tried(.publishUncertain(milliseconds: 80))
        facts.permissions = [
            PermissionFacts(
                path: "/etc/rowgate/password", need: .secret, owner: "root", group: "rowgate",
                mode: 0o644)
        ]
        return facts
    }()

    /// The same machine, at a cluster of brokers that does less than others, one of which is dead,
    /// with certificates that want to be renewed.
    static let clustered: HostFacts = {
        var facts = healthy
        var terms = BrokerLimits()
        (terms.supportsRetained, terms.maximumPacketBytes, terms.receiveMaximum) = (false, 8192, 10)
        terms.certificates = CertificateExpiry(broker: 1_788_700_000_000, own: 1_788_600_000_000)
        (facts.broker.usesTLS, facts.broker.triedAt) = (true, 1_788_627_000_000)
        facts.broker.isLocal = false
        facts.broker.address = "r2.example.org:1883"
        facts.broker.outcome = .tried(.accepted(milliseconds: 31, terms))
        facts.broker.failedOthers = [
            .init(
                address: "r1.example.org:1883",
                failure: failure("Connection refused", remedy: "is the broker running?"))
        ]
        return facts
    }()

    /// The same machine, with everything broken that can be at a time.
    static let broken: HostFacts = {
        var facts = healthy
        facts.configurationOption = " --config /etc/rowgate/annex.toml"
        facts.configuration = .invalid(
            problems: ["/etc/rowgate/annex.toml:7: broker.port: 0 is outside 1 to 65535", "b"])
        let absent = ControlClientError.notRunning(path: RowgateInterface.defaultSocket)
        facts.service = .unreachable(reason: absent.cause, remedy: absent.remedy ?? "")
        facts.bluetooth.adapters = [
            BluetoothFacts.Adapter(
                name: "hci0", address: "B8:27:EB:01:02:03", isPowered: false, isBlocked: true,
                isOnboard: true),
            BluetoothFacts.Adapter(
                name: "hci1", address: "00:1A:7D:DA:71:13", isPowered: false, isBlocked: false,
                isOnboard: false),
        ]
        facts.disk.isReadOnly = true
        facts.disk.lifeUsedPercent = 110
        facts.broker.outcome = .tried(
            .publishDenied(milliseconds: 9, failure("not authorized")))
        facts.permissions = [
            PermissionFacts(
                path: "/var/lib/rowgate/ring.log", need: .owned, owner: "root", group: "root",
                mode: 0o644),
            PermissionFacts(
                path: "/etc/rowgate/password", need: .secret, owner: "root", group: "root",
                mode: 0o600),
        ]
        return facts
    }()

    /// A machine that was set up a moment ago, in a hurry.
    static let fresh: HostFacts = {
        var facts = healthy
        facts.configuration = .valid(
            EffectiveSettings(printed: "[ring]\nsize_mib = 256  # default\n"), warnings: [])
        facts.bluetooth.adapters = []
        facts.disk.ringBytes = nil
        facts.disk.ringIsMissing = true
        facts.disk.freeBytes = 200 << 20
        facts.disk.lifeUsedPercent = nil
        facts.disk.timesWritten = 700
        facts.broker.isLocal = false
        facts.broker.usesTLS = true
        facts.broker.outcome = .tried(
            .failed(
                failure(
                    "the broker's certificate, or one above it, has expired",
                    remedy: "renew it, or set this machine's clock", kind: .encryption)))
        facts.permissions = [
            PermissionFacts(
                path: "/home/pi/mqtt-password", need: .secret, owner: "pi", group: "rowgate",
                mode: 0o640),
            PermissionFacts(
                path: "/etc/ssl/private/pi.key", need: .secret, owner: "root", group: "rowgate",
                mode: 0o640, closedFolder: "/etc/ssl/private"),
            PermissionFacts(
                path: "/etc/rowgate/ca.pem", need: .readable, owner: "root", group: "rowgate",
                mode: 0o600),
            PermissionFacts(
                path: "/etc/rowgate/roster.toml", need: .readable, owner: "root", group: "root",
                mode: 0o644),
        ]
        return facts
    }()

    /// A machine on which hardly anything can be looked at.
    static let blind: HostFacts = {
        var facts = healthy
        facts.configuration = .unknown(
            reason: "/etc/rowgate/rowgate.toml may not be read by this user",
            remedy: "sudo rowgatectl doctor")
        facts.bluetooth = BluetoothFacts(
            failure: "the D-Bus system bus does not answer: No such file or directory",
            isBusMissing: true)
        facts.wireless = []
        facts.disk.failure = "/var/lib/rowgate: No such file or directory"
        facts.broker.outcome = .tried(
            .failed(failure("Connection refused", remedy: "is the broker running?")))
        facts.permissions = []
        return facts
    }()
}

private func failure(
    _ cause: String, remedy: String? = nil, kind: BrokerFailure.Kind = .other
) -> BrokerFailure {
    BrokerFailure(
        operation: "connect", broker: "localhost:1883", cause: cause, remedy: remedy,
        kind: kind)
}

extension StatusReply {
    static let running = StatusReply(
        status: .ok, reasons: [],
        gateway: Gateway(
            id: "boathouse", version: "0.1.0", epoch: "01JD3W9Q4ZK7M2N8P5R6S7T8V9",
            bootID: "5f0c9c1e7d3b4a5f8e2d1c0b9a8f7e6d", uptimeSeconds: 60,
            clockIsSynchronized: true),
        bus: Bus(isConnected: true),
        adapters: [
            Adapter(
                address: "B8:27:EB:01:02:03", name: "hci0", isPowered: true, slotsUsed: 2,
                slotsTotal: 7)
        ],
        broker: Broker(
            host: "localhost", port: 1883, isConnected: true, backlogMessages: 0,
            publishedTotal: 0, rejectedTotal: 0, unsubscribedTotal: 0),
        ring: Ring(
            path: "/var/lib/rowgate/ring.log", sizeBytes: 256 << 20, usedPercent: 0,
            droppedTotal: 0),
        ergs: [])
}

extension EffectiveSettings {
    /// Of a gateway that uses a broker on this machine, as the daemon would print them.
    ///
    /// - Parameter more: further lines of `[broker]`.
    init(_ broker: PrivateBroker, _ more: String = "") {
        self.init(
            printed: """
                [gateway]
                id = "boathouse"  # a
                [broker]
                host = "127.0.0.1"  # a
                port = \(broker.port)  # a
                \(more)
                """)
    }
}
