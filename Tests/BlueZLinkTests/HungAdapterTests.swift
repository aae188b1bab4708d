import Testing
import Timeline

@testable import BlueZLink
@testable import SDBus

/// Detection and recovery of hung radios, in stepped time.
struct HungAdapterTests {
    private static let first = "/org/bluez/hci0"

    /// Four monitors on two radios, of which the first hangs; `slots` of each.
    private static func hung(
        until recoveryTrigger: SteppedWorld.RecoveryTrigger, slots: Int = 2
    ) -> (world: SteppedWorld, onFirst: [String], others: [String]) {
        var world = SteppedWorld(
            ergs: 4, adapters: [("hci0", slots), ("hci1", slots)], slotsPerAdapter: slots)
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 4 })
        let serials = world.monitors.keys.sorted()
        let onFirst = serials.filter { world.monitors[$0]?.link == Self.first }
        world.freeze(Self.first, until: recoveryTrigger)
        for serial in onFirst { world.cut(serial) }
        return (world, onFirst, serials.filter { !onFirst.contains($0) })
    }

    @Test(arguments: [false, true])
    func powerCyclesHungAdapter(failsLate: Bool) {
        // bluetoothd does not answer, or fails late.
        var (world, _, others) = Self.hung(until: .powerCycle)
        world.adapters[Self.first]?.failsLate = failsLate
        #expect(world.run(upTo: .seconds(120)) { $0.streaming == 4 })
        #expect(world.steps == ["power hci0 down"])
        #expect(world.room.radioProblems(at: world.now) == [])
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
    }

    @Test func detectsHangDuringScan() {
        // Only stopping the scan fails.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.monitors["430000002"]?.isOn = false
        world.adapters[Self.first]?.failsLate = true
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 1 })
        #expect(world.run(upTo: .seconds(15)) { $0.isScanning })
        world.run(for: .milliseconds(500))
        world.freeze(Self.first)
        var problems: Set<RoomProblem> = []
        let isReset = world.run(upTo: .seconds(90)) {
            problems.formUnion($0.room.radioProblems(at: $0.now))
            return !$0.steps.isEmpty
        }
        #expect(isReset)
        world.switchOn("430000002", after: .zero)
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 2 })
        #expect(world.steps == ["power hci0 down"])
        #expect(problems.isSubset(of: [.adapterStuck(name: "hci0")]))
    }

    @Test func cancelledConnectsDoNotCountAsAnswers() {
        // bluetoothd answers each cancelled connect, although the radio hangs.
        var world = SteppedWorld(ergs: 3, adapters: [("hci0", 7)])
        world.adapters[Self.first]?.failsLate = true
        world.begin()
        #expect(world.run(upTo: .seconds(15)) { $0.adapters[Self.first]?.pending != nil })
        world.freeze(Self.first)
        #expect(world.run(upTo: .seconds(120)) { $0.streaming == 3 })
        #expect(world.steps == ["power hci0 down"])
    }

    @Test func reportsAdapterThatStaysOffAsStuck() {
        // The next step follows after the cool-down.
        var (world, _, others) = Self.hung(until: .restart)
        #expect(world.run(upTo: .seconds(60)) { $0.steps == ["power hci0 down"] })
        let powerCycledAt = world.now
        world.run(for: .seconds(20))
        #expect(world.room.radios.all.count(where: \.isUsable) == 1)
        #expect(world.room.radioProblems(at: world.now) == [.adapterStuck(name: "hci0")])
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
        #expect(world.run(upTo: .seconds(60)) { $0.steps.count == 2 })
        #expect(world.steps == ["power hci0 down", "restart"])
        #expect(powerCycledAt.duration(to: world.now) >= RecoverySteps.coolDown)
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 4 })
        #expect(world.room.radioProblems(at: world.now) == [])
        #expect(world.room.serviceRestarts == 1)
        #expect(world.violations == [])
    }

    @Test func retriesRefusedRestart() {
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

    @Test func restartsLessOftenForDeadAdapter() {
        // A restart interrupts the links of the other radio: a handful in four hours.
        var (world, _, others) = Self.hung(until: .nothing)
        world.run(for: .seconds(4 * 3600))
        let restarts = world.steps.count { $0 == "restart" }
        #expect((4...9).contains(restarts), "\(restarts)")
        #expect(others.allSatisfy { world.monitors[$0]?.openings == restarts + 1 })
        #expect(world.room.radioProblems(at: world.now) == [.adapterStuck(name: "hci0")])
    }

    @Test func doesNotRestartForUnneededAdapter() {
        var (world, _, others) = Self.hung(until: .nothing, slots: 4)
        world.run(for: .seconds(3600))
        #expect(world.streaming == 4)
        #expect(!world.steps.contains("restart"))
        #expect(others.allSatisfy { world.monitors[$0]?.openings == 1 })
    }

    @Test func pausesBetweenRecoverySteps() {
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.freeze(Self.first, until: .nothing)
        world.begin()
        world.run(for: .seconds(300))
        #expect(world.steps.prefix(3) == ["power hci0 down", "restart", "power hci0 down"])
        #expect(world.steps.count <= 7)
        #expect(world.room.radioProblems(at: world.now) == [.adapterStuck(name: "hci0")])
    }

    @Test func powerOnDoesNotResetRecovery() {
        // The radio powers on, but executes nothing else.
        var recovery = RecoverySteps(mayRestartService: true)
        var now = BootInstant(nanoseconds: 1_000_000_000_000)
        func nextStep() -> RecoverySteps.Step? {
            now = now.advanced(by: RecoverySteps.coolDown)
            for _ in 0..<RecoverySteps.unansweredLimit { recovery.noteTimeout() }
            return recovery.next(at: now, isWorthARestart: true)
        }
        #expect(nextStep() == .powerCycle)
        #expect(recovery.isStuck)
        recovery.notePowerOn()
        #expect(!recovery.isStuck)
        #expect(nextStep() == .restartService)
        recovery.noteAnswer()
        #expect(nextStep() == nil, "a restart in vain doubles the pause")
        #expect(nextStep() == .powerCycle)
    }

    @Test func verdictDependsOnTimeAndErrorName() {
        // The kernel waits two seconds for a command.
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
