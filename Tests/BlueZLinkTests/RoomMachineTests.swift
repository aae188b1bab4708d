import PM5Codec
import Rowing
import SDBus
import TestSupport
import Testing
import Timeline

@testable import BlueZLink

/// The room's decisions in stepped time; SteppedWorld checks overlap and scanning throughout.
struct RoomMachineTests {
    @Test func eightErgsSpreadOverTwoAdapters() {
        // Goal: all stream, half on each radio, within seconds, and then nobody scans.
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

    @Test func monitorThatIsOffDelaysNobody() {
        // Goal: with one monitor off, seven stream as soon as otherwise; it joins when it is on.
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

    @Test func monitorThatWentOffAfterItWasHeardGivesWay() {
        // Goal: two connects that hang for 40 s do not starve those on the same adapter.
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

    @Test func slotsAreLearntAndTheEighthIsParked() {
        // Goal: eight monitors on a radio for seven: seven are stable for an hour, the eighth is
        // parked with the reason, and gets the slot of a second adapter at once.
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

    @Test func slotsAreLearntWhileTheKernelIsAhead() {
        // Goal: the same where the kernel counts each link before bluetoothd shows it, so that it is
        // there twice for a moment: seven links are not taken for eight.
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 7)])
        world.hasKernel = true
        world.begin()
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 7 })
        world.run(for: .seconds(120))
        let phases = world.statuses.values.map(\.phase)
        #expect(phases.contains(.parked(.noSlot("hci0 holds 7 of 7 links"))))
        #expect(world.violations == [])
    }

    @Test func radioThatSaysWhenItIsFullIsBelieved() {
        // Goal: one refusal in so many words is enough, and ten minutes later one more asks again;
        // when a link ends, the one that was parked follows.
        var world = SteppedWorld(ergs: 6, adapters: [("hci0", 5)])
        world.adapters["/org/bluez/hci0"]?.fullness = .said
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

    @Test func radioThatForgetsWhoIsTooManyIsFull() {
        // Goal: connects that are never answered, because bluetoothd forgets the device at once,
        // say how many links a radio holds; who found no place is parked, and follows when one ends.
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

    @Test func otherAdapterIsTriedAfterARefusal() {
        // Goal: an adapter that refuses every link, and does not say why, keeps nobody from the one
        // that works. Method: hci0 has no slot at all; each monitor may fail there once or twice.
        var world = SteppedWorld(ergs: 4, adapters: [("hci0", 0), ("hci1", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 4 })
        #expect(world.monitors.values.allSatisfy { $0.link == "/org/bluez/hci1" })
        #expect(world.connects <= 12, "\(world.connects)")
        #expect(world.violations == [])
    }

    @Test func slotThatBecomesFreeIsUsed() {
        // Goal: with configured slots, the parked monitor follows when another one goes off.
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

    @Test func abortsAreTransient() {
        // Goal: eight aborts and then success, quickly and counted.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.monitors["430000001"]?.aborts = 8
        world.begin()
        #expect(world.run(upTo: .seconds(5)) { $0.statuses["430000001"]?.failures == 3 })
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 1 })
        #expect(world.room.monitors["430000001"]?.connects == 1)
        #expect(world.room.adapters.values.first?.slots.limit(at: world.now) == nil)
        #expect(world.violations == [])
    }

    @Test func silentLinkIsForcedToEnd() {
        // Goal: silence for 12 s closes and reconnects; the monitor streams when it speaks again.
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

    @Test func serviceRestartBringsEveryoneBack() {
        // Goal: everyone is told, nothing of the old service is used, all stream within 15 s.
        var world = SteppedWorld(ergs: 4, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 4 })
        world.restartService()
        #expect(world.streaming == 0)
        #expect(world.monitors.values.allSatisfy { $0.closures == [.serviceLost] })
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 4 })
        #expect(world.violations == [])
    }

    @Test func renumberedAdapterIsTheSame() {
        // Goal: hci1 is pulled out and returns as hci0; configured by address, monitors return.
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

    @Test func foreignAdapterIsLeftAlone() {
        // Goal: only configured adapters are scanned and connected with.
        var world = SteppedWorld(
            ergs: 2, adapters: [("hci0", 7), ("hci1", 7)], wanted: ["B8:27:EB:00:00:01"])
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        #expect(world.monitors.values.allSatisfy { $0.link == "/org/bluez/hci1" })
        #expect(world.violations == [])
    }

    @Test func roomWithoutAListTakesTheFirst() {
        // Goal: three are claimed of five, no more, and those turned away are not asked for again.
        var world = SteppedWorld(ergs: 5, adapters: [("hci0", 7)], guests: .any(limit: 3))
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 3 })
        world.tell(.claimRefused(serial: "430000001"))
        #expect(world.room.monitors["430000001"] == nil)
        world.run(for: .seconds(30))
        #expect(world.room.monitors.count == 3)
        #expect(world.room.monitors["430000001"] == nil)
        #expect(world.violations == [])
    }

    @Test func stopEndsLinksAndScans() {
        // Goal: after a stop nothing of ours is left at bluetoothd.
        var world = SteppedWorld(ergs: 3, adapters: [("hci0", 7)])
        world.monitors["430000003"]?.isOn = false
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 2 })
        #expect(world.run(upTo: .seconds(30)) { $0.adapters.values.contains(where: \.isScanning) })
        world.tell(.stop)
        world.run(for: .seconds(3))
        #expect(world.monitors.values.allSatisfy { $0.link == nil && !$0.isStreaming })
        #expect(!world.isScanning)
    }

    @Test(arguments: [0, 100, 385, 395])
    func stopLeavesNoLinkToTheController(milliseconds: Int64) throws {
        // Goal: a monitor that answers while the gateway stops can be found by the next one.
        // Method: a connect takes 400 ms; one that is called off within the last 20 leaves its link
        // to the controller.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        let serial = "430000001"
        world.begin()
        world.runUntilConnecting(serial)
        world.run(for: .milliseconds(milliseconds))
        world.tell(.stop)
        #expect(world.room.awaitsConnects)
        world.run(for: .seconds(1))
        #expect(!world.room.awaitsConnects)
        world.run(for: .seconds(3))
        #expect(world.monitors[serial]?.link == nil)
        #expect(world.air.holders == [:])
    }

    @Test func stopDoesNotWaitForWhoIsOff() {
        // Goal: a connect that nobody answers is called off after two seconds, and then all is done.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        let serial = "430000001"
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 1 })
        world.cut(serial, staysOn: false)
        world.runUntilConnecting(serial)
        world.tell(.stop)
        world.run(for: .milliseconds(1990))
        #expect(world.room.awaitsConnects)
        world.run(for: .milliseconds(20))
        #expect(!world.room.awaitsConnects)
    }

    @Test(arguments: UInt64(1)...10)
    func everyoneStreamsAfterAnyFaults(seed: UInt64) {
        // Goal: ten minutes of random faults, then peace: all stream, and no rule was broken on
        // the way. The seed is the test's argument.
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
                world.tell(.serviceLost)
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

    @Test func aLateAnswerIsOfNoOtherScan() throws {
        // Goal: an adapter that is pulled out while a scan starts, and is back before the call has
        // failed, is known to scan; a connect beside a scan takes 8 s. Method: the answers to both
        // requests in the order in which they may come.
        var machine = RoomMachine(
            rules: RoomRules(guests: .listed(["430000001"])), seed: 1, at: instant(0))
        let (path, address) = ("/org/bluez/hci0", "B8:27:EB:00:00:01")
        let adapter: BusInterfaces = [
            BlueZName.adapter: ["Address": .string(address), "Powered": .boolean(true)]
        ]
        let first = machine.handle(.serviceFound([path: adapter]), at: instant(1))
        #expect(Self.scans(first) == [instant(1)])
        _ = machine.handle(.removed(path: path, interfaces: [BlueZName.adapter]), at: instant(2))
        let second = machine.handle(.added(path: path, adapter), at: instant(3))
        #expect(Self.scans(second) == [instant(3)])
        func answer(_ asked: BootInstant, _ verdict: CallVerdict) -> RoomMachine.Event {
            .scanAnswered(adapter: address, isStart: true, asked: asked, verdict)
        }
        _ = machine.handle(answer(instant(1), .declined), at: instant(4))
        _ = machine.handle(answer(instant(3), .done), at: instant(5))
        #expect(machine.adapters[address]?.scan == .on(since: instant(5)))
    }

    @Test(arguments: [true, false]) func scanThatNobodyAnsweredForIsEnded(_ isAnsweredLate: Bool) {
        // Goal: a scan that bluetoothd began without ever saying so in time does not go on for good:
        // it would blind the radio and make each connect take 8 s. Method: no answer, or a late one;
        // then the adapter says that it discovers.
        var machine = RoomMachine(
            rules: RoomRules(guests: .listed(["430000001"])), seed: 1, at: instant(0))
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
                .scanAnswered(adapter: address, isStart: true, asked: instant(1), .done),
                at: instant(10_004))
        }
        let stops = actions.compactMap { if case .stopScan(_, let at) = $0 { at } else { nil } }
        #expect(stops == [instant(10_003)])
        _ = machine.handle(
            .scanAnswered(adapter: address, isStart: false, asked: instant(10_003), .done),
            at: instant(10_005))
        #expect(machine.adapters[address]?.mayScanUnasked == false)
    }

    private func instant(_ milliseconds: UInt64) -> BootInstant {
        BootInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private static func scans(_ actions: [RoomMachine.Action]) -> [BootInstant] {
        actions.compactMap { if case .startScan(_, let asked) = $0 { asked } else { nil } }
    }

    @Test func attributesAreNotedWithoutAPlan() {
        // Goal: what BlueZ announces sixty times for each monitor costs no look at the room, and
        // is known all the same; what plans are made of is left to them. Method: one of each.
        var machine = RoomMachine(
            rules: RoomRules(guests: .listed([])), seed: 1, at: BootInstant(nanoseconds: 0))
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
