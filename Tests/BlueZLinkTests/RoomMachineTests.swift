import PM5Codec
import Rowing
import SDBus
import TestSupport
import Testing
import Timeline

@testable import BlueZLink

/// The room's decisions in stepped time; SteppedWorld checks overlap and scanning throughout.
struct RoomMachineTests {
    @Test func spreadsEightErgsOverTwoAdapters() {
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 7), ("hci1", 5)])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 8 })
        let links = world.monitors.values.compactMap(\.link)
        #expect(links.count { $0 == "/org/bluez/hci0" } == 4)
        world.run(for: .seconds(60))
        #expect(!world.isScanning)
        #expect(world.monitors.values.allSatisfy { $0.openings == 1 })
        #expect(world.violations == [])
    }

    @Test func absentMonitorDelaysNoOther() {
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 8)])
        world.monitors["430000001"]?.isOn = false
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 7 })
        #expect(world.statuses["430000001"]?.phase == .searching)
        world.run(for: .seconds(600))
        #expect(world.statuses["430000001"]?.failures == 0)
        world.monitors["430000001"]?.isOn = true
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 8 })
        #expect(world.violations == [])
    }

    @Test func cancelsConnectToMonitorSwitchedOff() {
        var world = SteppedWorld(ergs: 4, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 4 })
        world.cut("430000001", staysOn: false)
        world.run(for: .seconds(1))
        #expect(world.statuses["430000001"]?.phase == .connecting)
        world.cut("430000002", staysOn: false)
        world.cut("430000003")
        #expect(world.run(upTo: .seconds(9)) { $0.monitors["430000003"]?.isStreaming == true })
        #expect(world.streaming == 2)
        #expect(world.violations == [])
    }

    @Test func learnsSlotsAndParksTheEighth() {
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 7 })
        world.run(for: .seconds(3600))
        #expect(world.streaming == 7)
        #expect(world.monitors.values.map(\.openings).sorted() == [0, 1, 1, 1, 1, 1, 1, 1])
        let phases = world.statuses.values.map(\.phase)
        #expect(phases.contains(.parked(.noSlot("hci0 holds 7 of 7 links"))))
        world.plugIn("/org/bluez/hci1", address: "B8:27:EB:00:00:09", 5)
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 8 })
        #expect(world.violations == [])
    }

    @Test func learnsSlotsWhileKernelReportsEarlier() {
        // The kernel counts a link before bluetoothd shows it; it must not count twice.
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 7)])
        world.hasKernel = true
        world.begin()
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 7 })
        world.run(for: .seconds(120))
        let phases = world.statuses.values.map(\.phase)
        #expect(phases.contains(.parked(.noSlot("hci0 holds 7 of 7 links"))))
        #expect(world.violations == [])
    }

    @Test func oneReportOfFullRadioSetsLimit() {
        // The limit is tested again every ten minutes.
        var world = SteppedWorld(ergs: 6, adapters: [("hci0", 5)])
        world.adapters["/org/bluez/hci0"]?.fullness = .reported
        world.begin()
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 5 })
        world.run(for: .seconds(500))
        #expect(world.connects == 6)
        world.run(for: .seconds(1300))
        #expect((7...9).contains(world.connects), "\(world.connects)")
        let linked = world.monitors.first { $0.value.isStreaming }?.key ?? ""
        world.cut(linked, staysOn: false)
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 5 })
        #expect(world.violations == [])
    }

    @Test func removedDevicesSetLimit() {
        var world = SteppedWorld(ergs: 6, adapters: [("hci0", 5)])
        world.adapters["/org/bluez/hci0"]?.fullness = .forgotten
        world.begin()
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 5 })
        let full = LinkPhase.parked(.noSlot("hci0 holds 5 of 5 links"))
        #expect(world.run(upTo: .seconds(60)) { $0.statuses.values.contains { $0.phase == full } })
        let connects = world.connects
        world.run(for: .seconds(300))
        #expect(world.connects == connects)
        let linked = world.monitors.first { $0.value.isStreaming }?.key ?? ""
        world.cut(linked, staysOn: false)
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 5 })
        #expect(world.violations == [])
    }

    @Test func triesOtherAdapterAfterRefusal() {
        // hci0 has no slot; each monitor may fail there once or twice.
        var world = SteppedWorld(ergs: 4, adapters: [("hci0", 0), ("hci1", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 4 })
        #expect(world.monitors.values.allSatisfy { $0.link == "/org/bluez/hci1" })
        #expect(world.connects <= 12, "\(world.connects)")
        #expect(world.violations == [])
    }

    @Test func usesFreedSlot() {
        var world = SteppedWorld(ergs: 3, adapters: [("hci0", 7)], slotsPerAdapter: 2)
        world.begin()
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 2 })
        world.run(for: .seconds(60))
        let first = world.monitors.first { $0.value.isStreaming }?.key ?? ""
        world.cut(first, staysOn: false)
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 2 })
        #expect(world.monitors[first]?.isStreaming == false)
        #expect(world.violations == [])
    }

    @Test func retriesAbortsQuickly() {
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.monitors["430000001"]?.aborts = 8
        world.begin()
        #expect(world.run(upTo: .seconds(5)) { $0.statuses["430000001"]?.failures == 3 })
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 1 })
        #expect(world.room.monitors["430000001"]?.connects == 1)
        #expect(world.room.radios.all.first?.slots.limit(at: world.now) == nil)
        #expect(world.violations == [])
    }

    @Test func closesAndReconnectsSilentLink() {
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        world.run(for: .seconds(3))
        world.monitors["430000001"]?.isHanging = true
        world.run(for: .seconds(11))
        #expect(world.monitors["430000001"]?.closures == [])
        world.run(for: .seconds(2))
        #expect(world.monitors["430000001"]?.closures == [.silent])
        world.monitors["430000001"]?.isHanging = false
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 2 })
        #expect(world.monitors["430000002"]?.openings == 1)
        #expect(world.violations == [])
    }

    @Test func allStreamAfterServiceRestart() {
        var world = SteppedWorld(ergs: 4, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 4 })
        world.restartService()
        #expect(world.streaming == 0)
        #expect(world.monitors.values.allSatisfy { $0.closures == [.serviceLost] })
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 4 })
        #expect(world.violations == [])
    }

    @Test func recognizesRenumberedAdapter() {
        let address = "B8:27:EB:00:00:00"
        var world = SteppedWorld(ergs: 2, adapters: [("hci1", 7)], wanted: [address])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        world.unplug("/org/bluez/hci1")
        #expect(world.monitors.values.allSatisfy { $0.closures.count == 1 })
        world.run(for: .seconds(5))
        #expect(world.room.radioProblems(at: world.now) == [.adapterMissing(address: address)])
        world.plugIn("/org/bluez/hci0", address: address, 7)
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 2 })
        #expect(world.statuses["430000001"]?.adapter == "hci0")
        #expect(world.room.radioProblems(at: world.now) == [])
        #expect(world.violations == [])
    }

    @Test func ignoresUnconfiguredAdapter() {
        var world = SteppedWorld(
            ergs: 2, adapters: [("hci0", 7), ("hci1", 7)], wanted: ["B8:27:EB:00:00:01"])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        #expect(world.monitors.values.allSatisfy { $0.link == "/org/bluez/hci1" })
        #expect(world.violations == [])
    }

    @Test func unlistedRoomClaimsFirstMonitors() {
        var world = SteppedWorld(ergs: 5, adapters: [("hci0", 7)], membership: .any(limit: 3))
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 3 })
        world.send(.claimRefused(serial: "430000001"))
        #expect(world.room.monitors["430000001"] == nil)
        world.run(for: .seconds(30))
        #expect(world.room.monitors.count == 3)
        #expect(world.room.monitors["430000001"] == nil)
        #expect(world.violations == [])
    }

    @Test func stopEndsLinksAndScans() {
        var world = SteppedWorld(ergs: 3, adapters: [("hci0", 7)])
        world.monitors["430000003"]?.isOn = false
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 2 })
        #expect(world.run(upTo: .seconds(30)) { $0.adapters.values.contains(where: \.isScanning) })
        world.send(.stop)
        world.run(for: .seconds(3))
        #expect(world.monitors.values.allSatisfy { $0.link == nil && !$0.isStreaming })
        #expect(!world.isScanning)
    }

    @Test(arguments: [0, 100, 385, 395])
    func stopLeavesNoLinkInController(milliseconds: Int64) throws {
        // A connect takes 400 ms. If it is cancelled in the last 20 ms, the controller keeps the
        // link.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        let serial = "430000001"
        world.begin()
        world.runUntilConnecting(serial)
        world.run(for: .milliseconds(milliseconds))
        world.send(.stop)
        #expect(world.room.awaitsConnects)
        world.run(for: .seconds(1))
        #expect(!world.room.awaitsConnects)
        world.run(for: .seconds(3))
        #expect(world.monitors[serial]?.link == nil)
        #expect(world.sharedMonitors.holders == [:])
    }

    @Test func stopCancelsConnectToAbsentMonitor() {
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        let serial = "430000001"
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 1 })
        world.cut(serial, staysOn: false)
        world.runUntilConnecting(serial)
        world.send(.stop)
        world.run(for: .milliseconds(1990))
        #expect(world.room.awaitsConnects)
        world.run(for: .milliseconds(20))
        #expect(!world.room.awaitsConnects)
    }

    @Test(arguments: UInt64(1)...10)
    func allStreamAfterRandomFaults(seed: UInt64) {
        // Ten minutes of random faults, then none.
        var random = SeededGenerator(seed: seed)
        var world = SteppedWorld(ergs: 6, adapters: [("hci0", 7), ("hci1", 5)], seed: seed)
        world.begin()
        for _ in 0..<120 {
            world.run(for: .milliseconds(Int64.random(in: 50...9000, using: &random)))
            let serial = "43000000\(Int.random(in: 1...6, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0: world.cut(serial)
            case 1:
                world.cut(serial, staysOn: false)
                world.switchOn(serial, after: .seconds(Int64.random(in: 1...60, using: &random)))
            case 2: world.monitors[serial]?.aborts = Int.random(in: 1...4, using: &random)
            case 3: world.monitors[serial]?.isHanging = Bool.random(using: &random)
            case 4:
                world.send(.serviceLost)
                world.restartService()
            default:
                if world.adapters["/org/bluez/hci1"] != nil {
                    world.unplug("/org/bluez/hci1")
                } else {
                    world.plugIn("/org/bluez/hci1", address: "B8:27:EB:00:00:01", 5)
                }
            }
        }
        for serial in world.monitors.keys {
            world.monitors[serial]?.isOn = true
            world.monitors[serial]?.isHanging = false
            world.monitors[serial]?.aborts = 0
        }
        #expect(world.run(upTo: .seconds(180)) { $0.streaming == 6 })
        #expect(world.violations == [])
    }

    @Test func ignoresLateAnswerToEarlierScan() throws {
        // The adapter is unplugged during the start of a scan, and returns before the call fails.
        var machine = RoomMachine(
            rules: RoomRules(membership: .listed(["430000001"])), seed: 1, at: instant(0))
        let (path, address) = ("/org/bluez/hci0", "B8:27:EB:00:00:01")
        let adapter: BusInterfaces = [
            BlueZName.adapter: ["Address": .string(address), "Powered": .boolean(true)]
        ]
        let first = machine.handle(.serviceFound([path: adapter]), at: instant(1))
        #expect(Self.scans(first) == [instant(1)])
        _ = machine.handle(.removed(path: path, interfaces: [BlueZName.adapter]), at: instant(2))
        let second = machine.handle(.added(path: path, adapter), at: instant(3))
        #expect(Self.scans(second) == [instant(3)])
        func answer(_ requestedAt: BootInstant, _ verdict: CallVerdict) -> RoomMachine.Event {
            .scanAnswered(adapter: address, isStart: true, requestedAt: requestedAt, verdict)
        }
        _ = machine.handle(answer(instant(1), .declined), at: instant(4))
        _ = machine.handle(answer(instant(3), .done), at: instant(5))
        #expect(machine.radios[address]?.scan == .on(since: instant(5)))
    }

    @Test(arguments: [true, false]) func stopsScanWithoutTimelyAnswer(_ isAnsweredLate: Bool) {
        // bluetoothd starts the scan, but answers late or never.
        var machine = RoomMachine(
            rules: RoomRules(membership: .listed(["430000001"])), seed: 1, at: instant(0))
        let (path, address) = ("/org/bluez/hci0", "B8:27:EB:00:00:01")
        let adapter: BusInterfaces = [
            BlueZName.adapter: ["Address": .string(address), "Powered": .boolean(true)]
        ]
        _ = machine.handle(.serviceFound([path: adapter]), at: instant(1))
        _ = machine.handle(.tick, at: instant(10_002))
        let discovering: RoomMachine.Event = .changed(
            path: path, interface: BlueZName.adapter, ["Discovering": .boolean(true)],
            invalidated: [])
        var actions = machine.handle(discovering, at: instant(10_003))
        if isAnsweredLate {
            actions += machine.handle(
                .scanAnswered(adapter: address, isStart: true, requestedAt: instant(1), .done),
                at: instant(10_004))
        }
        let stops = actions.compactMap { if case .stopScan(_, let at) = $0 { at } else { nil } }
        #expect(stops == [instant(10_003)])
        _ = machine.handle(
            .scanAnswered(adapter: address, isStart: false, requestedAt: instant(10_003), .done),
            at: instant(10_005))
        #expect(machine.radios[address]?.mayStillScan == false)
    }

    private func instant(_ milliseconds: UInt64) -> BootInstant {
        BootInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private static func scans(_ actions: [RoomMachine.Action]) -> [BootInstant] {
        actions.compactMap { if case .startScan(_, let requestedAt) = $0 { requestedAt } else { nil } }
    }

    @Test func attributesAreStoredWithoutPlanning() {
        var machine = RoomMachine(
            rules: RoomRules(membership: .listed([])), seed: 1, at: BootInstant(nanoseconds: 0))
        func notes(_ event: RoomMachine.Event) -> Bool { machine.noteAttribute(event) }
        let device = "/org/bluez/hci0/dev_F4_30_00_00_00_01"
        let status = device + "/service0021/char0022"
        let attribute: BusInterfaces = [
            BlueZName.characteristic: ["UUID": .string(PM5UUID.text(.generalStatus))]
        ]
        #expect(notes(.added(path: status, attribute)))
        #expect(machine.tree.characteristics(of: device).keys.contains(.generalStatus))
        #expect(
            notes(.removed(path: status, interfaces: [BlueZName.characteristic])))
        #expect(machine.tree.characteristics(of: device).isEmpty)
        #expect(!notes(.added(path: device, [BlueZName.device: [:]])))
        #expect(!notes(.removed(path: device, interfaces: [BlueZName.device])))
        #expect(
            !notes(
                .changed(path: device, interface: BlueZName.device, [:], invalidated: [])))
        #expect(!notes(.tick))
        #expect(machine.tree.devices.isEmpty)
    }
}
