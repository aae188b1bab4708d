import PM5Simulator
import Rowing
import TestSupport
import Testing

@testable import BlueZLink

/// Monitors that nobody uses, with a bus and sockets.
struct IdleMonitorTests {
    /// Goal: an unused monitor loses its link, goes off, and is linked again within seconds of
    /// advertising: at any key with one kind of firmware, at *Connect* with the other. It counts no
    /// fault. Method: a release after 2 s, batteries that last 3 s without a link.
    @Test(arguments: [false, true])
    func unusedMonitorGoesOffAndComesBack(needsConnectKey: Bool) async throws {
        let power = PowerSupply(
            sleepAfterMilliseconds: 3_000, needsConnectKey: needsConnectKey)
        let house = try await Boathouse(ergs: 1, workout: "wait", power: power)
        try await house.startService()
        await house.control(#"{"cmd":"press","key":"connect"}"#)
        let rule = IdleRelease(after: .seconds(2), hold: .seconds(8))
        let room = house.makeRoom { $0.rules.idleRelease = rule }
        await room.start()
        #expect(await house.allStream())
        func phase() async -> LinkPhase? { await room.snapshot().monitors.first?.status.phase }
        func isOff() async -> Bool {
            await house.control(#"{"cmd":"state"}"#).contains(#""on":false"#)
        }
        #expect(await eventually { await phase() == .asleep(after: rule.after) })
        #expect(await eventually { await isOff() })
        #expect(try house.listener(1).openings == 1, "a link would have kept it on")
        try await Task.sleep(for: .seconds(6))
        #expect(await phase() == .asleep(after: rule.after))
        await house.control(#"{"cmd":"press"}"#)
        if needsConnectKey {
            try await Task.sleep(for: .seconds(1))
            #expect(await phase() == .asleep(after: rule.after))
            await house.control(#"{"cmd":"press","key":"connect"}"#)
        }
        let listener = try house.listener(1)
        #expect(await eventually { listener.openings == 2 })
        #expect(await room.snapshot().monitors.first?.status.failures == 0)
        #expect(
            house.logged("430000001") == [
                "PM5 430000001: nobody used it for 2 s; its link is given up, so that it can switch "
                    + "itself off"
            ])
        await house.stop(room)
        #expect(house.faults.isEmpty)
    }

    /// Goal: whoever presses keys keeps the link. Method: a release after 4 s, a key every second.
    @Test func keysAreUse() async throws {
        let house = try await Boathouse(ergs: 1, workout: "wait")
        try await house.startService()
        let room = house.makeRoom {
            $0.rules.idleRelease = IdleRelease(after: .seconds(4), hold: .seconds(60))
        }
        await room.start()
        #expect(await house.allStream())
        for _ in 0..<8 {
            await house.control(#"{"cmd":"press"}"#)
            try await Task.sleep(for: .seconds(1))
        }
        #expect(try house.listener(1).closures == [])
        await house.stop(room)
    }
}
