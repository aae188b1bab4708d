import PM5Simulator
import Rowing
import TestSupport
import Testing

@testable import BlueZLink

/// Unused monitors, with a bus and sockets.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct IdleMonitorTests {
    /// One kind of firmware advertises after any key, the other only after *Connect*. Release after
    /// 2 s; batteries last 3 s without a link. If that is too short for a link, the monitor is
    /// woken again.
    @Test(arguments: [false, true])
    func unusedMonitorSleepsAndReconnects(needsConnectKey: Bool) async throws {
        let power = BatteryPower(
            sleepAfterMilliseconds: 3_000, needsConnectKey: needsConnectKey)
        let house = try await Boathouse(ergs: 1, workout: "wait", power: power)
        try await house.startService()
        let listener = try house.listener(1)
        func isOpened(_ count: Int) async -> Bool {
            await eventually {
                if await house.control(#"{"cmd":"state"}"#).contains(#""advertising":false"#) {
                    await house.control(#"{"cmd":"press","key":"connect"}"#)
                }
                return listener.openings == count
            }
        }
        await house.control(#"{"cmd":"press","key":"connect"}"#)
        let rule = IdleRelease(after: .seconds(2), hold: .seconds(6))
        let room = house.makeRoom { $0.rules.idleRelease = rule }
        await room.start()
        #expect(await isOpened(1))
        func phase() async -> LinkPhase? { await room.snapshot().monitors.first?.status.phase }
        func isOff() async -> Bool {
            await house.control(#"{"cmd":"state"}"#).contains(#""on":false"#)
        }
        #expect(await eventually { await phase() == .asleep(after: rule.after) })
        #expect(await eventually { await isOff() })
        #expect(listener.openings == 1, "a link would have kept it on")
        // Nothing opens a link while the monitor is off.
        try await Task.sleep(for: .seconds(4))
        #expect(await phase() == .asleep(after: rule.after))
        let line =
            "PM5 430000001: unused for 2 s; disconnected so that the monitor can switch itself off"
        #expect(house.logged("430000001") == [line])
        await house.control(#"{"cmd":"press"}"#)
        if needsConnectKey {
            try await Task.sleep(for: .seconds(1))
            #expect(await phase() == .asleep(after: rule.after))
            await house.control(#"{"cmd":"press","key":"connect"}"#)
        }
        #expect(await isOpened(2))
        #expect(await room.snapshot().monitors.first?.status.failures == 0)
        // The monitor stays unused, and may be released again.
        #expect(house.logged("430000001").allSatisfy { $0 == line })
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    /// Release after 10 s, one key per second, for 15 s. If the machine is so busy that a key comes
    /// later than 5 s after the one before, the 15 s begin again.
    @Test func keyPressesCountAsUse() async throws {
        let house = try await Boathouse(ergs: 1, workout: "wait")
        try await house.startService()
        let room = house.makeRoom {
            $0.rules.idleRelease = IdleRelease(after: .seconds(10), hold: .seconds(2))
        }
        await room.start()
        let listener = try house.listener(1)
        var presses = 0
        var isLate = true
        var (before, after): ([LinkClosure], [LinkClosure]) = ([], [])
        let isRegular = await eventually {
            if isLate {
                guard await house.allStream() else { return false }
                presses = 0
                before = listener.closures
            }
            let begun = ContinuousClock.now
            await house.control(#"{"cmd":"press"}"#)
            try? await Task.sleep(for: .seconds(1))
            after = listener.closures
            isLate = begun.duration(to: .now) > .seconds(5)
            presses += 1
            return presses >= 15 && !isLate
        }
        #expect(isRegular)
        #expect(after == before)
        await house.stop(room)
    }
}
