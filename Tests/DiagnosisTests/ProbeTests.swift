import Foundation
import Glibc
import PM5Simulator
import TestSupport
import Testing

@testable import Diagnosis

@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct ProbeTests {
    @Test func parsesEffectiveSettings() {
        let settings = EffectiveSettings(
            printed: """
                [broker]
                host = "a \\"b\\" # c\\\\d\\u0007"  # /etc/rowgate/rowgate.toml:4
                port = 8883  # default
                tls = true  # default
                #username =  # not set

                [[erg]]
                slug = "erg-1"  # x:1

                [[erg]]
                slug = "erg-2"  # x:2
                """)
        #expect(settings.text("broker.host") == "a \"b\" # c\\d\u{7}")
        #expect(settings.number("broker.port") == 8883)
        #expect(settings.flag("broker.tls"))
        #expect(settings.text("broker.username") == nil)
        #expect(settings.ergs == 2)
    }

    @Test func parsesVersionOfBlueZ() {
        #expect(BluetoothProbe.version(modalias: "usb:v1D6Bp0246d0542") == "5.66")
        #expect(BluetoothProbe.version(modalias: "usb:v1D6Bp0246d0552") == "5.82")
        #expect(BluetoothProbe.version(modalias: "bluetooth:v004Cp0246d0552") == nil)
        #expect(BluetoothProbe.version(modalias: "usb:v1D6Bp0246d0") == nil)
    }

    @Test func parsesWirelessFrequencies() {
        #expect(HostProbe.wholeMegahertz(mantissa: 2437, exponent: 6) == 2437)
        #expect(HostProbe.wholeMegahertz(mantissa: 518_000_000, exponent: 1) == 5180)
        #expect(HostProbe.wholeMegahertz(mantissa: 6, exponent: 0) == nil)
        #expect(HostProbe.wholeMegahertz(mantissa: -1, exponent: 6) == nil)
    }

    @Test func readsMachineFactsFromFiles() throws {
        // The files of a Pi in a folder.
        let root = try TemporaryFolder()
        func put(_ text: String, _ path: String) throws {
            let file = root.path + path
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true)
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }
        try put("hci0\n", "/sys/class/rfkill/rfkill1/name")
        try put("1\n", "/sys/class/rfkill/rfkill1/soft")
        try put("0\n", "/sys/class/rfkill/rfkill1/hard")
        try put("", "/sys/devices/platform/soc/serial0/hci0/address")
        try put("", "/sys/devices/usb1/1-1/hci1/address")
        try FileManager.default.createDirectory(
            atPath: root.path + "/sys/class/bluetooth", withIntermediateDirectories: true)
        for (name, place) in [("hci0", "platform/soc/serial0"), ("hci1", "usb1/1-1")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(root.path)/sys/class/bluetooth/\(name)",
                withDestinationPath: "../../devices/\(place)/\(name)")
        }
        let host = HostProbe(root: root.path)
        #expect(host.isBlocked("hci0"))
        #expect(!host.isBlocked("hci1"))
        #expect(host.isOnboard("hci0"))
        #expect(!host.isOnboard("hci1"))
        #expect(!host.clock().hasHardwareClock)
        #expect(host.bluetoothOptions().isEmpty)
        try put(
            "[General]\n#ControllerMode = dual\nReverseServiceDiscovery = false\n",
            "/etc/bluetooth/main.conf")
        #expect(host.bluetoothOptions() == ["ReverseServiceDiscovery": "false"])

        var status = stat()
        try #require(stat(root.path, &status) == 0)
        let major = (status.st_dev >> 8) & 0xFFF
        let minor = (status.st_dev & 0xFF) | ((status.st_dev >> 12) & 0xFFF00)
        try put("0x02 0x09\n", "/sys/block/mmcblk0/device/life_time")
        try put("", "/sys/block/mmcblk0/mmcblk0p2/size")
        try FileManager.default.createDirectory(
            atPath: root.path + "/sys/dev/block", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(root.path)/sys/dev/block/\(major):\(minor)",
            withDestinationPath: "../../block/mmcblk0/mmcblk0p2")
        let disk = host.disk(ringPath: root.path + "/ring.log")
        #expect(disk.device == "mmcblk0")
        #expect(disk.lifeUsedPercent == 90)
        #expect(disk.freeBytes > 0)
        #expect(disk.ringBytes == nil)
        #expect(disk.timesWritten == nil)
        #expect(disk.ringIsMissing)
        #expect(host.disk(ringPath: "/nowhere/ring.log").failure != nil)

        // The same place on an SD card of 32 GB, to which 160 GB have been written.
        try FileManager.default.removeItem(
            atPath: root.path + "/sys/block/mmcblk0/device/life_time")
        try put("SD\n", "/sys/block/mmcblk0/device/type")
        try put("62500000\n", "/sys/block/mmcblk0/size")
        try put("156250000\n", "/sys/fs/ext4/mmcblk0p2/lifetime_write_kbytes")
        let card = host.disk(ringPath: root.path + "/ring.log")
        #expect(card.lifeUsedPercent == nil)
        #expect(card.timesWritten == 5)
    }

    @Test func readsOwnersAndModes() throws {
        // Also the first folder that the daemon cannot enter.
        let folder = try TemporaryFolder()
        try "x".write(toFile: folder.path("a"), atomically: true, encoding: .utf8)
        chmod(folder.path("a"), 0o604)
        let facts = HostProbe().permissions(folder.path("a"), .secret)
        #expect(facts?.mode == 0o604)
        #expect(facts?.owner == String(cString: getpwuid(getuid()).pointee.pw_name))
        #expect(facts?.closedFolder == nil)
        #expect(HostProbe().permissions(folder.path("b"), .secret) == nil)
        chmod(folder.path, 0o700)
        #expect(HostProbe().permissions(folder.path("a"), .secret)?.closedFolder == folder.path)
    }

    @Test func readsAdaptersFromBus() async throws {
        // The simulated bluetoothd on a private bus, a bus without it, and no bus.
        let bus = try await PrivateBus()
        let service = BlueZService(
            monitors: [], adapters: AdapterPlan.list(parsing: "hci0:7,hci1:5") ?? [],
            timing: .init(rowingSpeed: 1, linkSpeed: 1), seed: 1, busAddress: bus.address,
            truth: nil)
        try await service.start { _ in }
        let probe = BluetoothProbe(host: HostProbe(), busAddress: bus.address)
        let facts = await probe.facts()
        #expect(facts.failure == nil)
        #expect(facts.version == "5.82")
        #expect(facts.adapters.map(\.name) == ["hci0", "hci1"])
        try await expectRemedyOfASwitchedOffAdapter(probe, on: bus)
        await service.stop()
        let alone = await probe.facts()
        #expect(alone.failure != nil && !alone.isBusMissing)
        bus.kill()
        #expect(await eventually { await probe.facts().isBusMissing })
    }

    /// The doctor's command powers the adapter on, at any place of the list.
    private func expectRemedyOfASwitchedOffAdapter(
        _ probe: BluetoothProbe, on bus: PrivateBus
    ) async throws {
        func run(_ command: String) async throws {
            let shell = try ChildProcess(
                "sh", ["-c", command], environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            #expect(await shell.waitForExit() == 0, "\(shell.text)")
        }
        // It switches its adapters on a moment after it has started.
        #expect(await eventually { await probe.facts().adapters.allSatisfy(\.isPowered) })
        var facts = HostFacts.healthy
        facts.bluetooth.adapters = await probe.facts().adapters
        facts.bluetooth.adapters[1].isPowered = false
        let finding = Checkup.bluetooth(facts).first { $0.level != .ok }
        let remedy = try #require(finding?.remedy).replacing("sudo ", with: "", maxReplacements: 1)
        try await run(remedy.replacing(/true$/, with: "false"))
        #expect(await eventually { await !probe.facts().adapters[1].isPowered })
        try await run(remedy)
        #expect(await eventually { await probe.facts().adapters[1].isPowered })
    }

    @Test func interpretsConfigurationCheck() async throws {
        let folder = try TemporaryFolder()
        func facts(_ script: String) async throws -> ConfigurationFacts {
            let (text, program) = (folder.path("text"), folder.path("rowgate"))
            try ("#!/bin/sh\n" + script).write(toFile: text, atomically: true, encoding: .utf8)
            // Another process writes it: a child started here meanwhile would inherit the file open
            // for writing, and such a file cannot be executed (ETXTBSY).
            let install = try ChildProcess("install", ["-m", "755", text, program])
            #expect(await install.waitForExit() == 0, "\(install.text)")
            return ConfigurationProbe(program: program, configuration: folder.path("a.toml"))
                .facts()
        }
        let invalid = try await facts("echo 'a.toml:1: x' >&2; echo 'a.toml:2: y' >&2; exit 78\n")
        #expect(invalid == .invalid(problems: ["a.toml:1: x", "a.toml:2: y"]))
        let valid = try await facts(
            """
            [ "$3" = --print-config ] && printf '[a]\\nb = 1  # c\\n'
            [ "$3" = --check-config ] && echo 'warning: z' >&2
            exit 0

            """)
        #expect(
            valid == .valid(EffectiveSettings(printed: "[a]\nb = 1  # c\n"), warnings: ["z"]))
        #expect(
            ConfigurationProbe(program: "", configuration: "/a.toml").option == " --config /a.toml")
        let missing = ConfigurationProbe(program: "/nowhere", configuration: "/etc/hostname")
        guard case .unknown = missing.facts() else {
            Issue.record("a program that is missing was asked")
            return
        }
    }
}

/// How long a broker has for its answer: a busy machine may need longer than the product allows.
let patience = Duration.seconds(300)

@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct BrokerProbeTests {
    /// Of the message, or of the connection.
    private func verdict(_ facts: BrokerFacts) -> String {
        switch facts.outcome {
        case .untried: "untried"
        case .tried(.failed): "failed"
        case .tried(.accepted): "accepted"
        case .tried(.publishDenied(_, let failure)): "refused: \(failure.cause)"
        case .tried(.publishUncertain): "untold"
        }
    }

    @Test func trialMessageArrives() async throws {
        // With MQTT 5, and with 3.1.1, which cannot report a denial.
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "rowgate/v1/#")
        let facts = await BrokerProbe(timeLimit: patience).facts(EffectiveSettings(broker))
        #expect(verdict(facts) == "accepted")
        let older = await BrokerProbe(timeLimit: patience).facts(
            EffectiveSettings(broker, #"protocol = "3.1.1"  # a"#))
        #expect(verdict(older) == "untold")
        #expect(await eventually { subscriber.messages.count == 2 })
        #expect(subscriber.messages.allSatisfy { $0.topic == "rowgate/v1/boathouse/rsp/doctor" })
        #expect(subscriber.messages.allSatisfy { $0.object?["status"] as? String == "ok" })
        await subscriber.stop()
        await broker.stop()
        let gone = await BrokerProbe(timeLimit: patience).facts(EffectiveSettings(broker))
        guard case .tried(.failed(let failure)) = gone.outcome else {
            Issue.record("a broker that is gone answered")
            return
        }
        #expect(failure.remedy != nil && failure.kind != .encryption)
    }

    @Test func distinguishesDenialFromFailure() async throws {
        // An access list, then a wrong password.
        let folder = try TemporaryFolder()
        let list = try PrivateBroker.file("user pi\ntopic read #\n", named: "acl", in: folder)
        let passwords = try await PrivateBroker.passwordFile(["pi": "secret"], in: folder)
        let broker = try await PrivateBroker.running(
            options: ["password_file \(passwords)", "acl_file \(list)"])
        let secret = try PrivateBroker.file("secret\n", named: "mqtt", in: folder)
        let user = "username = \"pi\"  # a\n"
        let denied = await BrokerProbe(timeLimit: patience).facts(
            EffectiveSettings(broker, user + "password_file = \"\(secret)\"  # a"))
        #expect(verdict(denied) == "refused: not authorized")
        // By the name of a credential in a folder of systemd.
        let byName = await BrokerProbe(credentials: folder.path, timeLimit: patience).facts(
            EffectiveSettings(broker, user + "password_file = \"mqtt\"  # a"))
        #expect(verdict(byName) == "refused: not authorized")
        let unknown = await BrokerProbe(timeLimit: patience).facts(EffectiveSettings(broker, user))
        #expect(verdict(unknown) == "failed", "the broker took a client without a password")
        let unread = await BrokerProbe(credentials: "/nowhere").facts(
            EffectiveSettings(broker, user + "password_file = \"mqtt\"  # a"))
        #expect(verdict(unread) == "untried", "a password that cannot be read was used")
        await broker.stop()
    }

    @Test func findsTLSFilesAmongCredentials() async throws {
        // The broker requires a client certificate. An unreadable credential is reported as such,
        // not as a fault of the broker.
        let authority = try await CertificateAuthority()
        let identity = try await authority.issue("broker")
        let client = try await authority.issue("client")
        let broker = try await PrivateBroker.running(options: [
            "cafile \(authority.certificate)", "certfile \(identity.certificate)",
            "keyfile \(identity.key)", "require_certificate true", "allow_anonymous true",
        ])
        let folder = try TemporaryFolder()
        for (name, path) in [
            ("ca", authority.certificate), ("cert", client.certificate), ("key", client.key),
        ] {
            try FileManager.default.copyItem(atPath: path, toPath: folder.path(name))
        }
        let settings = EffectiveSettings(
            broker,
            """
            tls = true  # a
            ca_file = "ca"  # a
            cert_file = "cert"  # a
            key_file = "key"  # a
            """)
        let probe = BrokerProbe(credentials: folder.path, timeLimit: patience)
        let facts = await probe.facts(settings)
        #expect(facts.usesTLS && verdict(facts) == "accepted", "\(facts.outcome)")
        try FileManager.default.removeItem(atPath: folder.path("key"))
        guard case .untried(let reason, _) = await probe.facts(settings).outcome else {
            Issue.record("a key that is not there was used")
            return
        }
        #expect(reason == "\(folder.path("key")) cannot be read from here")
        await broker.stop()
    }
}
