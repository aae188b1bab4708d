import Testing
import Timeline

@testable import BlueZLink
@testable import SDBus

/// Radios that hang, in stepped time: how that is seen, and what is done about it.
struct HungAdapterTests {
    private static let first = "/org/bluez/hci0"

    /// Four monitors on two radios, of which the first hangs; `slots` of each.
    private static func hung(
        until mend: SteppedWorld.Mend, slots: Int = 2
    ) -> (world: SteppedWorld, onFirst: [String], others: [String]) {
        var world = SteppedWorld(
            ergs: 4, adapters: [("hci0", slots), ("hci1", slots)], slotsPerAdapter: slots)
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 4 })
        let serials = world.monitors.keys.sorted()
        let onFirst = serials.filter { world.monitors[$0]?.link == Self.first }
        world.freeze(Self.first, until: mend)
        for serial in onFirst { world.cut(serial) }
        return (world, onFirst, serials.filter { !onFirst.contains($0) })
    }

    @Test(arguments: [false, true])
    func hungAdapterIsPowerCycled(failsLate: Bool) {
        // Goal: a radio that answers nothing is switched off and on, whether bluetoothd does not
        // answer either, or says so late; the other one's monitors do not notice.
        var (world, _, others) = Self.hung(until: .powerCycle)
        world.adapters[Self.first]?.failsLate = failsLate
        #expect(world.run(upTo: .seconds(120)) { $0.streaming == 4 })
        #expect(world.steps == ["power hci0 down"])
        #expect(world.room.radioProblems(at: world.now) == [])
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
    }

    @Test func adapterThatHangsInAScanIsSeen() {
        // Goal: a radio that hangs while it scans, and whose scan only cannot be stopped, is
        // switched off and on; nobody is told that another program scans.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.monitors["430000002"]?.isOn = false
        world.adapters[Self.first]?.failsLate = true
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 1 })
        #expect(world.run(upTo: .seconds(15)) { $0.isScanning })
        world.run(for: .milliseconds(500))
        world.freeze(Self.first)
        var problems: Set<RoomProblem> = []
        let isMended = world.run(upTo: .seconds(90)) {
            problems.formUnion($0.room.radioProblems(at: $0.now))
            return !$0.steps.isEmpty
        }
        #expect(isMended)
        world.switchOn("430000002", after: .zero)
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 2 })
        #expect(world.steps == ["power hci0 down"])
        #expect(problems.isSubset(of: [.adapterStuck(name: "hci0")]))
    }

    @Test func givenUpConnectsAreNoAnswer() {
        // Goal: a radio that hangs while it connects is seen, although bluetoothd answers whenever
        // a connect is given up.
        var world = SteppedWorld(ergs: 3, adapters: [("hci0", 7)])
        world.adapters[Self.first]?.failsLate = true
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.adapters[Self.first]?.pending != nil })
        world.freeze(Self.first)
        #expect(world.run(upTo: .seconds(120)) { $0.streaming == 3 })
        #expect(world.steps == ["power hci0 down"])
    }

    @Test func adapterThatDoesNotComeOnAgainIsStuck() {
        // Goal: a hung radio that was switched off fails to come on: that it is off is no news,
        // that it hangs is; the next step is taken all the same, after the cool-down.
        var (world, _, others) = Self.hung(until: .restart)
        #expect(world.run(upTo: .seconds(60)) { $0.steps == ["power hci0 down"] })
        let taken = world.now
        world.run(for: .seconds(20))
        #expect(world.room.adapters.values.count(where: \.isUsable) == 1)
        #expect(world.room.radioProblems(at: world.now) == [.adapterStuck(name: "hci0")])
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
        #expect(world.run(upTo: .seconds(60)) { $0.steps.count == 2 })
        #expect(world.steps == ["power hci0 down", "restart"])
        #expect(taken.duration(to: world.now) >= RecoverySteps.coolDown)
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 4 })
        #expect(world.room.radioProblems(at: world.now) == [])
        #expect(world.room.serviceRestarts == 1)
        #expect(world.violations == [])
    }

    @Test func refusedRestartIsAskedForAgain() {
        // Goal: what systemd refuses costs nobody anything, is tried again without growing pauses,
        // and helps as soon as it is allowed.
        var (world, _, others) = Self.hung(until: .restart)
        world.mayRestartService = false
        world.run(for: .seconds(300))
        #expect(world.steps.count { $0 == "restart" } >= 4)
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
        #expect(world.room.serviceRestarts == 0)
        world.mayRestartService = true
        #expect(world.run(upTo: .seconds(90)) { $0.streaming == 4 })
        #expect(world.room.serviceRestarts == 1)
    }

    @Test func deadAdapterCostsLessAndLess() {
        // Goal: restarts that do not help cost the other radio's monitors their links less and
        // less often: a handful in four hours.
        var (world, _, others) = Self.hung(until: .nothing)
        world.run(for: .seconds(4 * 3600))
        let restarts = world.steps.count { $0 == "restart" }
        #expect((4...9).contains(restarts), "\(restarts)")
        #expect(others.allSatisfy { world.monitors[$0]?.openings == restarts + 1 })
        #expect(world.room.radioProblems(at: world.now) == [.adapterStuck(name: "hci0")])
    }

    @Test func nobodyIsDroppedForAnAdapterThatNobodyNeeds() {
        // Goal: when the other radio has taken all monitors, bluetooth.service is left alone.
        var (world, _, others) = Self.hung(until: .nothing, slots: 4)
        world.run(for: .seconds(3600))
        #expect(world.streaming == 4)
        #expect(!world.steps.contains("restart"))
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
    }

    @Test func stepsAreTakenWithPauses() {
        // Goal: a radio that hangs from the beginning sees each step in turn, with pauses.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.freeze(Self.first, until: .nothing)
        world.begin()
        world.run(for: .seconds(300))
        #expect(world.steps.prefix(3) == ["power hci0 down", "restart", "power hci0 down"])
        #expect(world.steps.count <= 7)
        #expect(world.room.radioProblems(at: world.now) == [.adapterStuck(name: "hci0")])
    }

    @Test func risingIsNotAnswering() {
        // Goal: a radio that can be switched on, and does nothing then, gets to the next step.
        var recovery = RecoverySteps(mayRestartService: true)
        var now = BootInstant(nanoseconds: 1_000_000_000_000)
        func nextStep() -> RecoverySteps.Step? {
            now = now.advanced(by: RecoverySteps.coolDown)
            for _ in 0..<RecoverySteps.unansweredLimit { recovery.noteSilence() }
            return recovery.next(at: now, isWorthARestart: true)
        }
        #expect(nextStep() == .powerCycle)
        #expect(recovery.isStuck)
        recovery.noteRise()
        #expect(!recovery.isStuck)
        #expect(nextStep() == .restartService)
        recovery.noteAnswer()
        #expect(nextStep() == nil, "a restart in vain doubles the pause")
        #expect(nextStep() == .powerCycle)
    }

    @Test func verdictsGoByTimeAndName() {
        // Goal: a failure that took the kernel's two seconds is the radio's, one that came at once
        // or that bluetoothd gives a name of its own is not; no answer is the radio's.
        func verdict(_ name: String?, after elapsed: Duration, errno: Int32 = 5) -> CallVerdict {
            CallVerdict(
                BusError(
                    operation: "Set", subject: Self.first, name: name,
                    message: "Authentication Failed", errno: errno), took: elapsed)
        }
        let late = Duration.milliseconds(2100)
        #expect(CallVerdict(nil, took: .seconds(9)) == .done)
        #expect(verdict("org.bluez.Error.Failed", after: late) == .stalled)
        #expect(verdict("org.bluez.Error.InProgress", after: late) == .stalled)
        #expect(verdict("org.bluez.Error.Failed", after: .milliseconds(300)) == .declined)
        #expect(verdict("org.bluez.Error.InProgress", after: .milliseconds(300)) == .declined)
        #expect(verdict("org.freedesktop.DBus.Error.NoReply", after: .seconds(25)) == .stalled)
        #expect(verdict(nil, after: .seconds(25), errno: 110) == .stalled)
        let busy = BusError(
            operation: "StopDiscovery", subject: Self.first, name: "org.bluez.Error.InProgress",
            message: "Operation already in progress")
        #expect(CallVerdict(stoppingScan: busy, took: .milliseconds(10)) == .stalled)
        for name in [
            "org.bluez.Error.NotReady", "org.freedesktop.DBus.Error.UnknownObject",
            "org.freedesktop.DBus.Error.ServiceUnknown",
        ] {
            #expect(verdict(name, after: late) == .declined)
        }
    }
}
