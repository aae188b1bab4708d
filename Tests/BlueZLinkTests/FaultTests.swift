import HostRuntime
import Rowing
import SDBus
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import BlueZLink

/// Faults of links, with a simulated bluetoothd on a real bus.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct FaultTests {
    @Test func reconnectsDroppedLink() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 2)
        await house.control(#"{"cmd":"drop","pm":1}"#)
        let dropped = try house.listener(1)
        #expect(await eventually { dropped.openings == 2 && dropped.isStreaming })
        #expect(dropped.closures == [.lost])
        #expect(try house.listener(2).openings == 1)
        #expect(await room.snapshot().monitors.first?.status.connects == 2)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func reconnectsMonitorThatReturns() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 2)
        await house.control(#"{"cmd":"vanish","pm":1,"back":2}"#)
        let vanished = try house.listener(1)
        #expect(await eventually { !vanished.now.isOpen })
        #expect(await eventually { vanished.openings == 2 && vanished.isStreaming })
        #expect(try house.listener(2).openings == 1)
        #expect(
            await eventually { await !room.snapshot().adapters.contains(where: \.isDiscovering) })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func reconnectsAfterServiceRestart() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 3)
        await house.control(#"{"cmd":"restart_service"}"#)
        let listeners = house.listeners.values
        #expect(
            await eventually { listeners.allSatisfy { $0.openings >= 2 && $0.isStreaming } })
        #expect(await room.snapshot().problems.isEmpty)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func adoptsLinksOfKilledClient() async throws {
        // The first room loses its bus before it can disconnect, like a killed process.
        let (house, killed) = try await Boathouse.streaming(ergs: 2)
        await killed.client?.bus.stop()
        await killed.stop()
        #expect(await eventually { house.listeners.values.allSatisfy { !$0.now.isOpen } })
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        #expect(await !house.control(#"{"cmd":"state"}"#).contains(#""connections":2"#))
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func usesSignalsIfSocketsAreRefused() async throws {
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        await house.control(#"{"cmd":"refuse_acquire","on":true}"#)
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        let listener = try house.listener(1)
        #expect(await eventually { listener.now.values[.additionalStatus1] != nil })
        #expect(listener.now.events.first == .opened)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func waitsForLateServices() async throws {
        // ServicesResolved arrives before the objects (bluez#1489).
        let house = try await Boathouse(ergs: 2, linkSpeed: 3)
        try await house.startService()
        await house.control(#"{"cmd":"delay_services","ms":400}"#)
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        #expect(await room.snapshot().monitors.allSatisfy { $0.status.lastFailure == nil })
        #expect(house.listeners.values.allSatisfy { $0.openings == 1 })
        #expect(house.logged() == [])
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func retriesAbortedConnects() async throws {
        // Eight aborts; a busy machine may add some.
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        await house.control(#"{"cmd":"abort","n":8}"#)
        let room = house.makeRoom()
        await room.start()
        let failed = await eventually {
            await room.snapshot().monitors.first?.status.failures ?? 0 >= 3
        }
        #expect(failed)
        #expect(await house.allStream())
        let status = try #require(await room.snapshot().monitors.first?.status)
        #expect(status.failures == 0)
        #expect(status.lastFailure != nil)
        #expect(try house.listener(1).now.failuresBefore ?? 0 >= 8)
        #expect(house.logged() == [])
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func parksMonitorsBeyondTheSlots() async throws {
        // Two slots and three monitors; then a second adapter appears.
        let house = try await Boathouse(ergs: 3, adapters: "hci0:2,hci1:2")
        try await house.startService()
        await house.control(#"{"cmd":"remove_adapter","hci":"hci1"}"#)
        let room = house.makeRoom { $0.rules.slotsPerAdapter = 2 }
        await room.start()
        let parked = await eventually {
            house.listeners.values.contains {
                $0.now.status?.phase == .parked(.noSlot("hci0 holds 2 of 2 links"))
            }
        }
        #expect(parked)
        #expect(await eventually { house.listeners.values.count(where: \.isStreaming) == 2 })
        await house.control(#"{"cmd":"restore_adapter","hci":"hci1"}"#)
        #expect(await house.allStream())
        #expect(house.listeners.values.allSatisfy { $0.openings == 1 })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func movesMonitorsOfLostAdapter() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 4, adapters: "hci0:7,hci1:7")
        let onLost = house.listeners.values.filter { $0.now.monitor?.adapter == "hci1" }
        #expect(!onLost.isEmpty)
        await house.control(#"{"cmd":"remove_adapter","hci":"hci1"}"#)
        let moved = await eventually {
            let adapters = await room.snapshot().adapters
            return adapters.map(\.linksUsed) == [4]
                && house.listeners.values.allSatisfy(\.isStreaming)
        }
        #expect(moved)
        for listener in house.listeners.values {
            #expect(listener.openings == (onLost.contains { $0 === listener } ? 2 : 1))
        }
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func powersOnAdapter() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 2)
        await house.control(#"{"cmd":"power_adapter","hci":"hci0","on":false}"#)
        let listeners = house.listeners.values
        #expect(
            await eventually { listeners.allSatisfy { $0.openings == 2 && $0.isStreaming } })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func replacesSilentSubscriptionBySignals() async throws {
        // The first link receives no status.
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        await house.control(#"{"cmd":"mute","id":"31","on":true}"#)
        let room = house.makeRoom()
        await room.start()
        let listener = try house.listener(1)
        #expect(await eventually { listener.closures.first == .silent })
        await house.control(#"{"cmd":"mute","id":"31","on":false}"#)
        #expect(await house.allStream())
        #expect(listener.closures.allSatisfy { $0 == .silent })
        let acquired = await house.control(#"{"cmd":"state"}"#)
        #expect(acquired.contains("0x31"))
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func reportsBlockedRadioUntilUnblocked() async throws {
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        await house.control(#"{"cmd":"block_adapter","hci":"hci0","on":true}"#)
        let room = house.makeRoom()
        await room.start()
        let isNamed = await eventually {
            await room.snapshot().problems == [.adapterBlocked(name: "hci0")]
        }
        #expect(isNamed)
        #expect(RoomProblem.adapterBlocked(name: "hci0").remedy.contains("rfkill unblock"))
        await house.control(#"{"cmd":"block_adapter","hci":"hci0","on":false}"#)
        #expect(await house.allStream())
        #expect(await room.snapshot().problems.isEmpty)
        await house.stop(room)
    }

    @Test func waitsForMissingBusAndService() async throws {
        let house = try await Boathouse(ergs: 1)
        let room = house.makeRoom()
        await room.start()
        let isAbsent = await eventually {
            if case .noBluetoothService = await room.snapshot().problems.first {
                true
            } else {
                false
            }
        }
        #expect(isAbsent)
        try await house.startService()
        #expect(await house.allStream())
        house.bus.kill()
        let isBusGone = await eventually {
            if case .noBus = await room.snapshot().problems.first { true } else { false }
        }
        #expect(isBusGone)
        let listener = try house.listener(1)
        #expect(await eventually { listener.closures.count == 1 })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func writesInOrderOfCalls() async throws {
        // The last written sample rate is in effect at the end.
        let (house, room) = try await Boathouse.streaming(ergs: 1)
        let listener = try house.listener(1)
        let link = try #require(listener.now.link)
        for rate: UInt8 in [0, 3, 1, 2, 0, 3] { try await link.write([rate], to: .sampleRate) }
        #expect(await house.control(#"{"cmd":"state"}"#).contains(#""rate":"03""#))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await link.write([3], to: .sampleRate) } }
            try await group.waitForAll()
        }
        await #expect(throws: LinkWriteError.tooLong(count: 21)) {
            try await link.write([UInt8](repeating: 0, count: 21), to: .csafeIn)
        }
        await #expect(throws: LinkWriteError.noCharacteristic(.discovery)) {
            try await link.write([1], to: .discovery)
        }
        try await link.write([0xF1, 0x91, 0x91, 0xF2], to: .csafeIn)
        #expect(await eventually { listener.now.values[.csafeOut] != nil })
        await room.stop()
        await #expect(throws: LinkWriteError.linkDown) {
            try await link.write([1], to: .sampleRate)
        }
        await house.service.stop()
    }

    @Test func multiplexedCarrierUsesOneSubscription() async throws {
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        let room = house.makeRoom { $0.carrier = .multiplexed }
        await room.start()
        let listener = try house.listener(1)
        #expect(await eventually { listener.now.values[.multiplexed]?.count ?? 0 > 5 })
        #expect(listener.now.monitor?.notifying == [.csafeOut, .multiplexed])
        #expect(listener.now.values[.generalStatus] == nil)
        #expect(await room.linksWithStatus == house.listeners.count)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func streamsWithoutOptionalCharacteristics() async throws {
        let house = try await Boathouse(ergs: 1, generation: .old)
        try await house.startService()
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        let monitor = try #require(try house.listener(1).now.monitor)
        #expect(!monitor.notifying.contains(.loggedWorkout))
        #expect(monitor.notifying.contains(.generalStatus))
        await house.stop(room)
    }

    @Test func unlistedRoomClaimsUpToItsLimit() async throws {
        let house = try await Boathouse(ergs: 3)
        try await house.startService()
        let endpoints = house.listeners.mapValues(\.endpoint)
        let room = house.makeRoom { $0.roster = .any(limit: 2) { endpoints[$0] } }
        await room.start()
        #expect(await eventually { house.listeners.values.count(where: \.isStreaming) == 2 })
        let snapshot = await room.snapshot()
        #expect(snapshot.monitors.count == 2)
        #expect(await house.control(#"{"cmd":"state"}"#).contains(#""connected":false"#))
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func deliversValuesBeforeTheConfirmation() async throws {
        // AcquireNotify would drop the early stroke. The early status shows that StartNotify is
        // needed.
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        await house.control(#"{"cmd":"early","id":"31","hex":"0102"}"#)
        await house.control(#"{"cmd":"early","id":"35","hex":"0a0b0c"}"#)
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        let listener = try house.listener(1)
        #expect(await eventually { listener.now.values[.strokeData] != nil })
        #expect(listener.now.values[.strokeData]?.first == [0x0A, 0x0B, 0x0C])
        #expect(await room.machine.monitors.values.allSatisfy(\.prefersSignals))
        #expect(await house.control(#"{"cmd":"state"}"#).contains(#""dropped":0"#))
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func usesSocketsWithoutEarlyValues() async throws {
        // A status directly after the confirmation is not early.
        let house = try await Boathouse(ergs: 7)
        try await house.startService()
        await house.control(#"{"cmd":"prompt","id":"31","hex":"0102"}"#)
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        #expect(await room.machine.monitors.values.allSatisfy { $0.isProbed && !$0.prefersSignals })
        #expect(await room.signalledCharacteristics == 0)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func clearsLeftoverScan() async throws {
        // A room is killed during its scan, which no other client can stop.
        let house = try await Boathouse(ergs: 2)
        try await house.startService()
        await house.control(#"{"cmd":"advertise","on":false}"#)
        let killed = house.makeRoom()
        await killed.start()
        #expect(await eventually { await killed.snapshot().adapters.first?.isDiscovering == true })
        await house.control(#"{"cmd":"leave_scan","hci":"hci0"}"#)
        await killed.client?.bus.stop()
        await killed.stop()
        await house.control(#"{"cmd":"advertise","on":true}"#)
        let room = house.makeRoom()
        await room.start()
        #expect(await house.allStream())
        #expect(await room.snapshot().adapters.map(\.powerCycles) == [1])
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func removesDeviceOnceAfterFirmwareUpdate() async throws {
        // The new firmware has other attribute handles than BlueZ's cache.
        let (house, room) = try await Boathouse.streaming(ergs: 2)
        await house.control(
            #"{"cmd":"update_firmware","pm":1,"to":"8200-000409-217.067"}"#)
        let updated = try house.listener(1)
        #expect(await eventually { updated.openings == 2 && updated.isStreaming })
        #expect(updated.now.monitor?.firmwareRevision == "8200-000409-217.067")
        #expect(await room.snapshot().monitors.map(\.status.removals) == [1, 0])
        #expect(try house.listener(2).openings == 1)
        let old = "8200-000372-176.000"
        let lines = [
            "PM5 430000001: setup failed twice; removing PM5 430000001 from BlueZ, whose cached services may "
                + "be outdated; firmware at the last connection: \(old)",
            "PM5 430000001: firmware of PM5 430000001 changed from \(old) to 8200-000409-217.067",
        ]
        #expect(await eventually { house.logged("firmware") == lines })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func disconnectsReleasedMonitor() async throws {
        let (house, room) = try await Boathouse.streaming(ergs: 2)
        let serial = Boathouse.serial(1)
        #expect(await room.release(serial))
        #expect(await !room.release("999999999"))
        let isFree = await eventually {
            await house.control(#"{"cmd":"state","pm":1}"#).contains(#""connected":false"#)
        }
        #expect(isFree)
        let released = try house.listener(1)
        #expect(await eventually { released.closures == [.ours] })
        let status = await room.snapshot().monitors.first { $0.serial == serial }?.status
        #expect(status?.phase == .released(MonitorRelease(until: nil)))
        #expect(await room.reclaim(serial))
        #expect(await house.allStream())
        #expect(try house.listener(2).openings == 1)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func lastRecoveryStepCallsSystemd() async throws {
        // A stand-in for systemd1 records the call and refuses it, like polkit by default.
        let (house, room) = try await Boathouse.streaming(ergs: 1)
        let calls = Mutex<[String]>([])
        let systemd = BusConnection(on: SerialQueueExecutor(label: "systemd1"))
        try await systemd.start(address: house.bus.address) { _ in }
        try await systemd.serve { call in
            guard let unit = try? call.message.readString() else { return false }
            calls.withLock { $0.append("\(call.path) \(call.interface).\(call.member) \(unit)") }
            try? call.fail(
                name: "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
                message: "Interactive authentication required.")
            return true
        }
        try await systemd.requestName("org.freedesktop.systemd1")
        await room.restartService(for: "B8:27:EB:00:00:01")
        let expected =
            "/org/freedesktop/systemd1 org.freedesktop.systemd1.Manager.RestartUnit "
            + "bluetooth.service"
        #expect(await eventually { calls.withLock { $0 } == [expected] })
        let remedy = "remedy: install /usr/share/doc/rowgate/examples/50-rowgate.rules as it says"
        #expect(await eventually { !house.logged(remedy).isEmpty })
        #expect(await room.snapshot().serviceRestarts == 0)
        #expect(await house.allStream())
        await house.stop(room)
        await systemd.stop()
    }

    @Test func twoGatewaysShareTheMonitors() async throws {
        // Two room links with an adapter each on one bus; both rooms have no list.
        let house = try await Boathouse(ergs: 4, adapters: "hci0:7,hci1:7")
        try await house.startService()
        let endpoints = house.listeners.mapValues(\.endpoint)
        let rooms = (1...2).map { number in
            house.makeRoom {
                $0.roster = .any(limit: 4) { endpoints[$0] }
                $0.rules.adapters = ["B8:27:EB:00:00:0\(number)"]
                $0.seed = UInt64(number)
            }
        }
        for room in rooms { await room.start() }
        #expect(await house.allStream())
        // Links that drop go to one of the two again, and nothing else moves.
        for number in 1...4 { await house.control(#"{"cmd":"drop","pm":\#(number)}"#) }
        #expect(await eventually { house.listeners.values.allSatisfy { $0.openings == 2 } })
        #expect(await house.allStream())
        #expect(house.listeners.values.allSatisfy { $0.closures == [.lost] })
        for room in rooms { await room.stop() }
        #expect(house.faults.isEmpty)
        await house.service.stop()
    }
}

extension RoomLink {
    /// How many characteristics come as signals, of all open links.
    fileprivate var signalledCharacteristics: Int { connections.signalledCharacteristics }

    /// How many links have received a status, which shows that they work.
    fileprivate var linksWithStatus: Int {
        connections.streams.count { $0.stream.lastStatusInstant != nil }
    }
}
