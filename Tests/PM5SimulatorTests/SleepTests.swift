import PM5Codec
import Testing

@testable import PM5Simulator

/// Monitors that switch themselves off, and what wakes them, on the erg's own clock.
struct SleepTests {
    private func erg(
        _ workout: String = "wait", needsConnectKey: Bool = false, batteryPercent: Double = 80
    ) throws -> SimulatedErg {
        SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: .new),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: 1,
            power: BatteryPower(
                sleepAfterMilliseconds: 240_000, needsConnectKey: needsConnectKey,
                batteryPercent: batteryPercent))
    }

    @Test func unlinkedMonitorSwitchesOffAfterFourMinutes() throws {
        var erg = try erg()
        _ = erg.step(to: 239_000)
        #expect(erg.isOn && erg.isAdvertising)
        erg.setConnected(true)
        _ = erg.step(to: 7_200_000)
        #expect(erg.isOn)
        erg.setConnected(false)
        _ = erg.step(to: 7_439_000)
        #expect(erg.isOn && erg.isAdvertising)
        _ = erg.step(to: 7_441_000)
        #expect(!erg.isOn && !erg.isAdvertising)
    }

    @Test func monitorStaysOnForARower() throws {
        // While the rower rows without a link, and while the rower waits for one.
        var rowing = try erg("just-row")
        rowing.setConnected(true)
        rowing.setSubscribed(true, to: .generalStatus)
        _ = rowing.step(to: 10_000)
        rowing.setConnected(false)
        _ = rowing.step(to: 1_200_000)
        #expect(rowing.isOn && rowing.piece?.isOver == false)
        rowing.leave()
        _ = rowing.step(to: 1_430_000)
        #expect(rowing.isOn)
        _ = rowing.step(to: 1_450_000)
        #expect(!rowing.isOn && rowing.piece == nil)
        var waiting = try erg("just-row")
        _ = waiting.step(to: 3_600_000)
        #expect(waiting.isOn)
    }

    @Test(arguments: [false, true])
    func keysAndHandleWakeTheMonitor(needsConnectKey: Bool) throws {
        // One kind of firmware advertises after any key, the other only after *Connect*.
        var erg = try erg(needsConnectKey: needsConnectKey)
        #expect(erg.isAdvertising == !needsConnectKey)
        _ = erg.step(to: 300_000)
        erg.press(.menu)
        #expect(erg.isOn && erg.isAdvertising == !needsConnectKey)
        erg.press(.connect)
        #expect(erg.isAdvertising)
        _ = erg.step(to: 530_000)
        #expect(erg.isOn, "a key puts it off")
        _ = erg.step(to: 600_000)
        #expect(!erg.isOn)
        erg.pullHandle()
        #expect(erg.isOn && erg.isAdvertising == !needsConnectKey, "off, it has forgotten Connect")
        erg.press(.connect)
        erg.setConnected(true)
        erg.setSubscribed(true, to: .generalStatus)
        _ = erg.step(to: 610_000)
        #expect(erg.piece?.isOver == false)
    }

    @Test func batteryDischargesOnlyWhileOn() throws {
        // Four hours of connection cost one percent.
        var erg = try erg(batteryPercent: 50)
        erg.setConnected(true)
        _ = erg.step(to: 4 * 3_600_000)
        #expect(erg.batteryLevel() == 49)
        erg.setConnected(false)
        // Another eight hours would cost two percent.
        _ = erg.step(to: 12 * 3_600_000)
        #expect(!erg.isOn && erg.batteryLevel() == 49)
        erg.setBattery(percent: 0)
        erg.press(.menu)
        #expect(!erg.isOn)
        erg.setBattery(percent: 100)
        erg.press(.menu)
        #expect(erg.isOn && erg.batteryLevel() == 100)
    }
}
