import Rowing
import Testing
import Timeline

@testable import BlueZLink
@testable import PM5Codec

/// Unused monitors, in stepped time.
struct SleepTests {
    private let serial = "430000001"
    private let rule = IdleRelease(after: .seconds(900), hold: .seconds(300))
    private var asleep: LinkPhase { .asleep(after: rule.after) }

    /// Monitors on batteries, which switch themselves off; all but the first are rowed on.
    private func streaming(ergs: Int = 1) -> SteppedWorld {
        var world = SteppedWorld(ergs: ergs, adapters: [("hci0", 7)], idleRelease: rule)
        for name in world.monitors.keys {
            world.monitors[name]?.isOnBatteries = true
            world.monitors[name]?.isInUse = name != serial
        }
        world.begin()
        _ = world.run(upTo: .seconds(20)) { $0.streaming == ergs }
        return world
    }

    @Test func idleMonitorSleepsAndReconnectsWhenItWakes() {
        var world = streaming(ergs: 2)
        world.run(for: .seconds(890))
        #expect(world.streaming == 2)
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 1 })
        #expect(world.monitors[serial]?.closures == [.ours])
        #expect(world.statuses[serial]?.phase == asleep)
        #expect(world.run(upTo: .seconds(250)) { $0.monitors[serial]?.isOn == false })
        world.run(for: .seconds(8 * 3600))
        #expect(world.statuses[serial]?.phase == asleep && world.monitors[serial]?.openings == 1)
        world.monitors[serial]?.isOn = true
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        #expect(world.statuses[serial]?.phase == .streaming)
        #expect(world.statuses[serial]?.failures == 0)
        #expect(world.monitors["430000002"]?.openings == 1)
        #expect(world.steps == ["\(serial) asleep", "\(serial) awake"])
        #expect(world.violations == [])
    }

    @Test func detectsWakeUpDuringHold() {
        var world = streaming()
        #expect(world.run(upTo: .seconds(920)) { $0.streaming == 0 })
        #expect(world.run(upTo: .seconds(250)) { $0.monitors[serial]?.isOn == false })
        world.run(for: .seconds(35))
        world.monitors[serial]?.isOn = true
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 1 })
    }

    @Test func reconnectsMonitorThatStaysOnAfterHold() {
        // For five minutes it looks like a monitor that is about to switch off.
        var world = streaming()
        world.monitors[serial]?.isOnBatteries = false
        #expect(world.run(upTo: .seconds(920)) { $0.streaming == 0 })
        world.run(for: .seconds(290))
        #expect(world.monitors[serial]?.link == nil && world.statuses[serial]?.phase == asleep)
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 1 })
        #expect(world.violations == [])
    }

    @Test func reconnectsMonitorAfterPhoneLeaves() {
        var world = streaming()
        #expect(world.run(upTo: .seconds(920)) { $0.streaming == 0 })
        world.run(for: .seconds(5))
        world.monitors[serial]?.isOn = false
        world.run(for: .seconds(60))
        #expect(world.statuses[serial]?.phase == asleep)
        world.monitors[serial]?.isOn = true
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 1 })
        #expect(world.violations == [])
    }

    @Test func sleepSurvivesServiceRestartAndRelease() {
        var world = streaming(ergs: 2)
        #expect(world.run(upTo: .seconds(920)) { $0.streaming == 1 })
        world.restartService()
        world.run(for: .seconds(30))
        #expect(world.statuses[serial]?.phase == asleep && world.streaming == 1)
        let end = world.now.advanced(by: .seconds(20))
        world.send(.release(serial: serial, until: end))
        #expect(world.statuses[serial]?.phase == .released(MonitorRelease(until: end)))
        world.send(.reclaim(serial: serial))
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 2 })
        #expect(world.violations == [])
    }

    @Test func fallingAsleepDuringConnectIsNoFailure() {
        var world = streaming()
        #expect(world.run(upTo: .seconds(1200)) { $0.monitors[serial]?.isOn == false })
        world.run(for: .seconds(60))
        world.monitors[serial]?.isOn = true
        #expect(world.run(upTo: .seconds(20)) { $0.statuses[serial]?.phase == .connecting })
        world.cut(serial, staysOn: false)
        world.run(for: .seconds(120))
        #expect(world.statuses[serial]?.phase == asleep && world.streaming == 0)
    }

    @Test func silenceRequiresTwoLongScans() {
        func after(_ seconds: Int) -> BootInstant {
            BootInstant(nanoseconds: UInt64(seconds) * 1_000_000_000)
        }
        var sleeper = SleepingMonitor(holdEnd: after(300), at: after(0))
        sleeper.noteScan(since: after(1), at: after(3))
        sleeper.noteScan(since: after(4), at: after(14))
        sleeper.noteSighting(at: after(20))
        sleeper.noteScan(since: after(15), at: after(25))
        sleeper.noteScan(since: after(30), at: after(40))
        sleeper.noteSighting(at: after(50))
        #expect(!sleeper.isAwake)
        sleeper.noteScan(since: after(55), at: after(65))
        sleeper.noteScan(since: after(70), at: after(80))
        sleeper.noteSighting(at: after(90))
        #expect(sleeper.isAwake)
        var pastHold = SleepingMonitor(holdEnd: after(300), at: after(0))
        pastHold.noteSighting(at: after(300))
        #expect(pastHold.isAwake)
    }

    @Test func strokesKeysProgramsAndRestsCountAsUse() {
        // Repeated statuses and a running clock do not.
        var watch = UseDetector()
        func isUse(_ payload: some CharacteristicPayload) -> Bool {
            let bytes = payload.notificationBytes(carrier: .dedicated)
            return bytes.withUnsafeBytes { watch.isUse(type(of: payload).characteristic, $0) }
        }
        var status = GeneralStatus()
        #expect(!isUse(status) && !isUse(status))
        status.elapsedCentiseconds = 4_000
        status.dragFactor = 110
        #expect(!isUse(status))
        status.workoutType = .fixedDistanceWithSplits
        status.workoutDuration = 2_000
        #expect(isUse(status) && !isUse(status))
        status.workoutState = .intervalRest
        #expect(isUse(status) && isUse(status))
        #expect(!isUse(AdditionalStatus3(screenNumber: 1)))
        #expect(isUse(AdditionalStatus3(screenNumber: 2)))
        #expect(!isUse(AdditionalStatus3(screenNumber: 2, gameScore: 9)))
        #expect(isUse(StrokeData(workPerStrokeDecijoules: nil)))
        let isEmptyUse = watch.isUse(
            .generalStatus, UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(!isEmptyUse)
    }
}
