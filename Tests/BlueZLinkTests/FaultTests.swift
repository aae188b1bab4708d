import HostRuntime
import Rowing
import SDBus
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import BlueZLink

/// What goes wrong with links, against a simulated bluetoothd on a real bus.
@Suite(.serialized, .enabled(if: InstalledPrograms.areAllowed)) struct FaultTests {
    @Test func droppedLinkComesBack() async throws {
        // Goal: end of file reaches the station at once, the link returns, others do not notice.
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

    @Test func vanishedMonitorComesBack() async throws {
        // Goal: a monitor that is off for a while returns, and the search for it ends.
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

    @Test func serviceRestartIsSurvived() async throws {
        // Goal: bluetoothd goes and comes back; every monitor streams again, told why it stopped.
        let (house, room) = try await Boathouse.streaming(ergs: 3)
        await house.control(#"{"cmd":"restart_service"}"#)
        let listeners = house.listeners.values
        #expect(
            await eventually { listeners.allSatisfy { $0.openings >= 2 && $0.isStreaming } })
        #expect(await room.snapshot().problems.isEmpty)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func linksOfAKilledClientAreAdopted() async throws {
        // Goal: devices that are connected already are used as they are, without a scan. Method:
        // a first room loses its bus before it can say goodbye, as a killed one does.
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

    @Test func refusedSocketsFallBackToSignals() async throws {
        // Goal: where AcquireNotify is not supported, StartNotify carries everything.
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

    @Test func lateServicesAreWaitedFor() async throws {
        // Goal: ServicesResolved before the objects is no failure (bluez#1489).
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

    @Test func abortedConnectsAreTriedAgain() async throws {
        // Goal: eight aborts, and more on a busy machine, then success; the count is shown meanwhile
        // and gone afterwards, and the station, whose line it is, knows it.
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

    @Test func fullAdapterParksTheRest() async throws {
        // Goal: two slots and three monitors: two stream, one is parked with the reason; a second
        // adapter is picked up when it appears.
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

    @Test func lostAdapterIsLeftForAnother() async throws {
        // Goal: the monitors of a radio that is pulled out move to the other one.
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

    @Test func adapterThatIsOffIsSwitchedOn() async throws {
        // Goal: Powered=false ends the links, is set to true by us, and everything returns.
        let (house, room) = try await Boathouse.streaming(ergs: 2)
        await house.control(#"{"cmd":"power_adapter","hci":"hci0","on":false}"#)
        let listeners = house.listeners.values
        #expect(
            await eventually { listeners.allSatisfy { $0.openings == 2 && $0.isStreaming } })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func mutedSubscriptionIsReplacedBySignals() async throws {
        // Goal: a link on which no status ever arrives is taken up again, by StartNotify.
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

    @Test func blockedRadioIsReportedAndHeals() async throws {
        // Goal: rfkill at the start is named with its remedy; lifting it is enough.
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

    @Test func missingBusAndServiceAreWaitedFor() async throws {
        // Goal: no bluetoothd is said, then it comes and all is well; the bus dies, and that is
        // said too. Nothing ends.
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

    @Test func writesGoOutInOrder() async throws {
        // Goal: writes reach the monitor in the order of the calls, many at once all arrive; too
        // long ones and those after the end are refused. Method: the last sample rate stands.
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

    @Test func multiplexedCarrierTakesOneSubscription() async throws {
        // Goal: with the multiplexed carrier, everything comes through 0x0080.
        let house = try await Boathouse(ergs: 1)
        try await house.startService()
        let room = house.makeRoom { $0.carrier = .multiplexed }
        await room.start()
        let listener = try house.listener(1)
        #expect(await eventually { listener.now.values[.multiplexed]?.count ?? 0 > 5 })
        #expect(listener.now.monitor?.notifying == [.csafeOut, .multiplexed])
        #expect(listener.now.values[.generalStatus] == nil)
        #expect(await room.hasHeardStatuses)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func oldFirmwareStreamsWithWhatItHas() async throws {
        // Goal: characteristics that are missing are no failure.
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

    @Test func roomWithoutAListSeatsWhoComes() async throws {
        // Goal: two seats for three monitors: each is asked for once, the third is left alone.
        let house = try await Boathouse(ergs: 3)
        try await house.startService()
        let seats = house.listeners.mapValues(\.seat)
        let room = house.makeRoom { $0.roster = .any(limit: 2) { seats[$0] } }
        await room.start()
        #expect(await eventually { house.listeners.values.count(where: \.isStreaming) == 2 })
        let snapshot = await room.snapshot()
        #expect(snapshot.monitors.count == 2)
        #expect(await house.control(#"{"cmd":"state"}"#).contains(#""connected":false"#))
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func valuesBeforeTheConfirmationAreNotLost() async throws {
        // Goal: a monitor that notifies before it confirms a subscription is found out, subscribed
        // by StartNotify, and its first stroke is there. Method: an early status, which tells, and
        // an early stroke, which AcquireNotify would have dropped.
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

    @Test func monitorsInOrderGetSockets() async throws {
        // Goal: the probe for early values leaves others with sockets, and is made once. Method: a
        // status directly behind each confirmation, which is not early.
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

    @Test func leftoverScanIsClearedAndStartsGoOn() async throws {
        // Goal: a scan that a client left when it was killed, which nobody can stop, is ended by
        // switching the adapter off and on, once. Method: a room is killed in its scan.
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

    @Test func newHandlesAreLearntOnce() async throws {
        // Goal: a firmware whose attributes have other handles is refused through BlueZ's cache;
        // the device is forgotten once, and the link is back. Both versions are in the log.
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
            "PM5 430000001: set up in vain twice, so BlueZ is told to forget what it remembers of PM5 "
                + "430000001; firmware when last connected: \(old)",
            "PM5 430000001: the firmware of PM5 430000001 was \(old) and is 8200-000409-217.067",
        ]
        #expect(await eventually { house.logged("firmware") == lines })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func releasedMonitorIsThereForAPhone() async throws {
        // Goal: a released monitor is disconnected and left alone, while the other one streams on;
        // it returns when it is taken back. Method: the simulator's own view of its links.
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
        #expect(status?.phase == .released(Loan(until: nil)))
        #expect(await room.reclaim(serial))
        #expect(await house.allStream())
        #expect(try house.listener(2).openings == 1)
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    @Test func lastStepAsksSystemd() async throws {
        // Goal: the last step of recovery is a call that systemd understands, a refusal is no harm,
        // and a person is told what helps. Method: a stand-in for systemd1 that writes down its
        // call and refuses, as polkit does by default.
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

    @Test func twoGatewaysShareOneRoomInPeace() async throws {
        // Goal: two gateways without lists hear the same four monitors; each monitor is held by
        // one of them, and stays there. Method: two room links with an adapter each on one bus.
        let house = try await Boathouse(ergs: 4, adapters: "hci0:7,hci1:7")
        try await house.startService()
        let seats = house.listeners.mapValues(\.seat)
        let rooms = (1...2).map { number in
            house.makeRoom {
                $0.roster = .any(limit: 4) { seats[$0] }
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
    fileprivate var signalledCharacteristics: Int {
        lines.values.reduce(0) { $0 + $1.signalled.count }
    }
}

extension RoomLink {
    /// Whether the liveness of every link was seen by a status.
    fileprivate var hasHeardStatuses: Bool {
        !lines.isEmpty && lines.values.allSatisfy { $0.stream?.lastStatusInstant != nil }
    }
}
