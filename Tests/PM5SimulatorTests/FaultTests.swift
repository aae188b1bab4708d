import Glibc
import PM5Codec
import SDBus
import TestSupport
import Testing

@testable import PM5Simulator

@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct FaultTests {
    @Test func servicesCanFollowServicesResolved() async throws {
        // As in bluez issue 1489.
        let room = try await SimulatedRoom.known()
        await room.control(#"{"cmd":"delay_services","ms":300}"#)
        room.client.forgetSignals()
        try await room.client.call(room.device(), InterfaceName.device, "Connect")
        #expect(await room.client.saw { $0.member == "InterfacesAdded" })
        let signals = room.client.signals
        let resolved = signals.firstIndex { $0.changed["ServicesResolved"] == .boolean(true) }
        let added = try #require(signals.firstIndex { $0.member == "InterfacesAdded" })
        #expect(try #require(resolved) < added)
        await room.stop()
    }

    @Test func fadeAndBeltRequestsChangeTheStatus() async throws {
        let wearer = (1...8).first { seed in
            var generator = PM5Simulator.SeededGenerator(seed: UInt64(seed))
            return RowerProfile(drawnFrom: &generator).beltID != nil
        }
        let number = try #require(wearer)
        let room = try await SimulatedRoom.known(ergs: number, connected: number, speed: 40)
        let status = try await room.characteristic(.generalStatus, of: number)
        try await room.client.call(status, InterfaceName.characteristic, "StartNotify")
        let path = try await room.characteristic(.additionalStatus1, of: number)
        let (descriptor, _) = try await room.client.acquire("AcquireNotify", path)
        defer { close(descriptor) }
        func waitsForStatus(_ isRight: (AdditionalStatus1) -> Bool) async -> Bool {
            for _ in 0..<2000 {
                let bytes = await packet(from: descriptor) ?? []
                let value = bytes.withUnsafeBytes { buffer in
                    try? PM5Codec.Notification(
                        characteristic: CharacteristicID.additionalStatus1, bytes: buffer)
                }
                guard case .additionalStatus1(let status)? = value else { return false }
                if isRight(status) { return true }
            }
            return false
        }
        func hasBelt(_ status: AdditionalStatus1) -> Bool { status.heartRateBeatsPerMinute != 255 }
        #expect(await waitsForStatus { $0.speedMillimetersPerSecond > 3000 && hasBelt($0) })
        await room.control(#"{"cmd":"give","part":0.5,"s":10}"#)
        #expect(await waitsForStatus { (1...2900).contains($0.speedMillimetersPerSecond) })
        await room.control(#"{"cmd":"belt","on":false}"#)
        #expect(await waitsForStatus { !hasBelt($0) })
        await room.control(#"{"cmd":"give","part":1,"s":0}"#)
        await room.control(#"{"cmd":"belt","on":true}"#)
        #expect(await waitsForStatus { $0.speedMillimetersPerSecond > 3000 && hasBelt($0) })
        for wrong in [
            #"{"cmd":"give","part":0.1,"s":1}"#, #"{"cmd":"give","part":0.5}"#, #"{"cmd":"belt"}"#,
        ] {
            #expect(await room.control(wrong).contains("no such request"))
        }
        await room.stop()
    }

    @Test func removesAndRestoresAdapter() async throws {
        let room = try await SimulatedRoom.known(connected: 1)
        room.client.forgetSignals()
        await room.control(#"{"cmd":"remove_adapter","hci":"hci0"}"#)
        #expect(
            await room.client.saw {
                $0.member == "InterfacesRemoved" && $0.path == "/org/bluez/hci0"
            })
        let paths = room.client.signals.filter { $0.member == "InterfacesRemoved" }.map(\.path)
        #expect(paths.last == "/org/bluez/hci0" && paths.dropLast().last == room.device())
        #expect(room.client.signals.contains { $0.changed["Connected"] == .boolean(false) })
        #expect(Array(try await room.client.managedObjects().keys) == ["/org/bluez"])
        await room.control(#"{"cmd":"restore_adapter","hci":"hci0"}"#)
        #expect(
            await room.client.saw { $0.added[InterfaceName.adapter]?["Powered"] == .boolean(false) }
        )
        #expect(await room.client.saw { $0.changed["Powered"] == .boolean(true) })
        await room.stop()
    }

    @Test func restoresAdapterUnderAnotherName() async throws {
        let room = try await SimulatedRoom(adapters: "hci0:7,hci1:5")
        let address = await room.property("/org/bluez/hci1", InterfaceName.adapter, "Address")
        for name in ["hci0", "hci1"] {
            await room.control("{\"cmd\":\"remove_adapter\",\"hci\":\"\(name)\"}")
        }
        await room.control(#"{"cmd":"restore_adapter","hci":"hci1","as":"hci0"}"#)
        #expect(
            await room.property("/org/bluez/hci0", InterfaceName.adapter, "Address") == address)
        #expect(
            await room.property("/org/bluez/hci1", InterfaceName.adapter, "Address") == nil)
        await room.stop()
    }

    @Test func powerCycleRecoversFrozenAdapter() async throws {
        // Until then a scan fails after 4 s, its end at once, and a Connect waits.
        let room = try await SimulatedRoom.known()
        let path = "/org/bluez/hci0"
        await room.control(#"{"cmd":"freeze_adapter","hci":"hci0"}"#)
        async let refusal = room.client.refusal(room.device(), InterfaceName.device, "Connect")
        #expect(await eventually { await room.isConnecting(1) })
        try await room.client.call(room.device(), InterfaceName.device, "Disconnect")
        #expect(await refusal == "org.bluez.Error.Failed: br-connection-canceled")
        let begun = ContinuousClock.now
        #expect(
            await room.client.refusal(path, InterfaceName.adapter, "StartDiscovery")
                == "org.bluez.Error.InProgress: Operation already in progress")
        #expect(ContinuousClock.now - begun >= .seconds(4))
        #expect(
            await room.client.refusal(path, InterfaceName.adapter, "StopDiscovery")
                == "org.bluez.Error.InProgress: In Progress")
        try await room.client.set(path, InterfaceName.adapter, "Powered", .boolean(false))
        room.client.forgetSignals()
        try await room.client.set(path, InterfaceName.adapter, "Powered", .boolean(true))
        #expect(await room.client.saw { $0.changed["Powered"] == .boolean(true) })
        try await room.client.call(path, InterfaceName.adapter, "StartDiscovery")
        await room.stop()
    }

    @Test func blockedAdapterStaysOff() async throws {
        let room = try await SimulatedRoom()
        let path = "/org/bluez/hci0"
        await room.control(#"{"cmd":"block_adapter","hci":"hci0","on":true}"#)
        #expect(
            await room.property(path, InterfaceName.adapter, "PowerState")
                == .string("off-blocked"))
        await #expect {
            try await room.client.set(path, InterfaceName.adapter, "Powered", .boolean(true))
        } throws: {
            ($0 as? BusError)?.message == "Blocked through rfkill"
        }
        room.client.forgetSignals()
        await room.control(#"{"cmd":"block_adapter","hci":"hci0","on":false}"#)
        #expect(await room.client.saw { $0.changed["Powered"] == .boolean(true) })
        await room.stop()
    }

    @Test func restartChangesTheNameOwner() async throws {
        let room = try await SimulatedRoom.known(connected: 1, linkSpeed: 10)
        let (descriptor, _) = try await room.client.acquire(
            "AcquireNotify", room.characteristic(.generalStatus))
        defer { close(descriptor) }
        let before = try await room.owner()
        await room.control(#"{"cmd":"restart_service"}"#)
        #expect(await ends(descriptor))
        #expect(
            await eventually {
                let owner = try? await room.owner()
                return owner != nil && owner != before
            })
        #expect(
            await room.property(room.device(), InterfaceName.device, "Connected")
                == .boolean(false))
        #expect(
            await eventually {
                await room.property("/org/bluez/hci0", InterfaceName.adapter, "Powered")
                    == .boolean(true)
            })
        try await room.connect()
        await room.stop()
    }

    @Test func killedServiceSendsNoSignals() async throws {
        // The pending call would otherwise time out after 20 s.
        let room = try await SimulatedRoom.known(ergs: 2, connected: 1, linkSpeed: 2)
        let (descriptor, _) = try await room.client.acquire(
            "AcquireNotify", room.characteristic(.generalStatus))
        defer { close(descriptor) }
        await room.control(#"{"cmd":"vanish","pm":2}"#)
        async let refusal = room.client.refusal(room.device(2), InterfaceName.device, "Connect")
        #expect(await eventually { await room.service.isConnecting })
        room.client.forgetSignals()
        await room.control(#"{"cmd":"kill_service","back":0.5}"#)
        #expect(await refusal?.hasPrefix("org.freedesktop.DBus.Error.NoReply") == true)
        #expect(await ends(descriptor))
        let reported = room.client.signals.filter { $0.changed["Value"] == nil }
        #expect(!reported.contains { $0.member == "InterfacesRemoved" })
        #expect(!reported.contains { $0.changed["Connected"] != nil })
        #expect(
            await eventually {
                await room.property("/org/bluez/hci0", InterfaceName.adapter, "Powered")
                    == .boolean(true)
            })
        try await room.connect()
        await room.stop()
    }

    @Test func overlappingRestartsEndWithOneService() async throws {
        let room = try await SimulatedRoom.known(connected: 1, linkSpeed: 10)
        let before = try await room.owner()
        for (request, pause) in [
            (#"{"cmd":"restart_service"}"#, 100),
            (#"{"cmd":"block_adapter","hci":"hci0","on":true}"#, 100),
            (#"{"cmd":"kill_service","back":0.15}"#, 100),
            (#"{"cmd":"block_adapter","hci":"hci0","on":false}"#, 500),
        ] {
            #expect(await room.control(request) == #"{"ok":true}"#)
            try await Task.sleep(for: .milliseconds(pause))
        }
        #expect(
            await eventually {
                await room.property("/org/bluez/hci0", InterfaceName.adapter, "Powered")
                    == .boolean(true)
            })
        #expect(try await room.owner() != before)
        try await room.connect()
        await room.stop()
    }

    @Test func countsHarmfulCalls() async throws {
        // A pending Connect lasts 40 s, during which a scan and a second Connect start.
        let room = try await SimulatedRoom.known(ergs: 2, linkSpeed: 1)
        let path = "/org/bluez/hci0"
        await room.control(#"{"cmd":"advertise","on":false}"#)
        async let first = room.client.refusal(room.device(1), InterfaceName.device, "Connect")
        #expect(await eventually { await room.service.isConnecting })
        async let second = room.client.refusal(room.device(2), InterfaceName.device, "Connect")
        #expect(
            await eventually {
                await room.control(#"{"cmd":"state"}"#).contains(#""overlapping_connects":1"#)
            })
        try await room.client.call(path, InterfaceName.adapter, "StartDiscovery")
        for number in 1...2 {
            try await room.client.call(room.device(number), InterfaceName.device, "Disconnect")
        }
        _ = await (first, second)
        async let third = room.client.refusal(room.device(1), InterfaceName.device, "Connect")
        #expect(await eventually { await room.service.isConnecting })
        try await room.client.call(room.device(1), InterfaceName.device, "Disconnect")
        _ = await third
        #expect(
            await room.control(#"{"cmd":"state"}"#).contains(
                #""missteps":{"overlapping_connects":1,"connects_while_scanning":1,"#
                    + #""scans_while_connecting":1}"#))
        await room.stop()
    }

    @Test func losesTheRequestedNumberOfValues() async throws {
        let room = try await SimulatedRoom.known(connected: 1)
        let (descriptor, _) = try await room.client.acquire(
            "AcquireNotify", room.characteristic(.generalStatus))
        defer { close(descriptor) }
        #expect(await packet(from: descriptor) != nil)
        #expect(await room.service.losses(behind: #"{"cmd":"lose","n":20}"#) == 20)
        #expect(await eventually { await room.service.losses == 0 })
        #expect(await packet(from: descriptor) != nil)
        await room.stop()
    }

    @Test func rejectsInvalidRequests() async throws {
        let room = try await SimulatedRoom(ergs: 2)
        let state = await room.control(#"{"cmd":"state","pm":2}"#)
        #expect(state.hasPrefix(#"{"ok":true,"adapters":[{"hci":"hci0""#))
        #expect(state.contains(#""name":"PM5 430000002 Row""#) && !state.contains("430000001"))
        let nonsense = [
            "", "{}", "[]", #"{"cmd":"explode"}"#, #"{"cmd":"hang"}"#, #"{"cmd":"mute","on":true}"#,
            #"{"cmd":"send","id":"31","hex":"0"}"#, #"{"cmd":"drop","back":-1}"#,
            #"{"cmd":"state","pm":9}"#, #"{"cmd":"remove_adapter","hci":"hci9"}"#,
            #"{"cmd":"state"} {"#, #"{"cmd":"refuse","n":1e300}"#,
        ]
        for line in nonsense {
            #expect(
                await room.control(line).hasPrefix(#"{"ok":false,"error":"no such "#), "\(line)")
        }
        await room.stop()
    }

    @Test func controlSocketAnswersEachLine() async throws {
        // Requests arrive in parts and several at once.
        let room = try await SimulatedRoom()
        let folder = try TemporaryFolder()
        let path = folder.path("control")
        try await room.service.openControl(path: path)
        let client = try ChildProcess(
            "python3",
            [
                "-c",
                """
                import socket, sys, time
                s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
                s.sendall(b'{"cmd":"sta'); time.sleep(0.1)
                s.sendall(b'te"}\\n{"cmd":"hang","on":true}\\nwhat\\n')
                f = s.makefile()
                for _ in range(3): print(f.readline().strip()[:11])
                """, path,
            ])
        #expect(await client.waitForExit() == 0)
        #expect(client.lines == [#"{"ok":true,"#, #"{"ok":true}"#, #"{"ok":false"#])
        #expect(await room.service.isHanging(1))
        await room.stop()
        #expect(access(path, F_OK) != 0)
    }
}

extension SimulatedRoom {
    /// The unique name behind org.bluez.
    func owner() async throws -> String {
        try await client.connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
            writing: { message throws(BusError) in try message.append(string: "org.bluez") },
            reading: { message throws(BusError) in try message.readString() })
    }
}

extension BlueZService {
    fileprivate func isHanging(_ number: Int) -> Bool { radios[number - 1].faults.isHanging }
}

extension BlueZService {
    fileprivate var isConnecting: Bool {
        adapters.contains { $0.devices.values.contains { $0.pendingConnect != nil } }
    }
    fileprivate var losses: Int { radios.reduce(0) { $0 + $1.faults.losses } }
    /// Before a value can get lost.
    fileprivate func losses(behind request: String) -> Int {
        _ = control(request)
        return losses
    }
}
