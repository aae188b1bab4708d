import Rowing
import Testing

@testable import BlueZLink

/// Monitors released to phones, in stepped time.
struct MonitorReleaseTests {
    private let serial = "430000001"

    private func streaming(ergs: Int = 1) -> SteppedWorld {
        var world = SteppedWorld(ergs: ergs, adapters: [("hci0", 7)])
        world.begin()
        _ = world.run(upTo: .seconds(20)) { $0.streaming == ergs }
        return world
    }

    @Test func doesNotScanForReleasedMonitor() {
        var world = streaming()
        let end = world.now.advanced(by: .seconds(60))
        world.send(.release(serial: serial, until: end))
        world.run(for: .seconds(3))
        let scans = world.scans
        world.run(for: .seconds(56))
        #expect(world.monitors[serial]?.closures == [.ours])
        #expect(world.monitors[serial]?.link == nil)
        #expect(
            world.statuses[serial]?.phase == .released(MonitorRelease(until: end)))
        #expect(world.scans == scans)
        #expect(world.run(upTo: .seconds(5)) { $0.streaming == 1 })
        #expect(world.violations == [])
    }

    @Test func releaseWithoutEndLastsUntilReclaim() {
        // Also over a restart of bluetoothd; a second reclaim changes nothing.
        var world = streaming(ergs: 2)
        world.send(.release(serial: serial, until: nil))
        world.run(for: .seconds(60))
        world.restartService()
        world.run(for: .seconds(1800))
        #expect(world.monitors[serial]?.link == nil)
        #expect(world.streaming == 1)
        world.send(.reclaim(serial: serial))
        #expect(world.run(upTo: .seconds(5)) { $0.streaming == 2 })
        world.send(.reclaim(serial: serial))
        #expect(world.steps == ["\(serial) lent", "\(serial) back"])
        #expect(world.violations == [])
    }

    @Test func laterReleaseReplacesAnEarlierOne() {
        var world = streaming()
        world.send(.release(serial: serial, until: world.now.advanced(by: .seconds(3600))))
        world.run(for: .seconds(10))
        world.send(.release(serial: serial, until: world.now.advanced(by: .seconds(30))))
        world.run(for: .seconds(25))
        #expect(world.streaming == 0)
        #expect(world.run(upTo: .seconds(15)) { $0.streaming == 1 })
    }

    @Test func releaseCancelsConnect() {
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.begin()
        #expect(
            world.run(upTo: .seconds(5)) { $0.statuses["430000001"]?.phase == .connecting })
        world.send(.release(serial: serial, until: nil))
        world.send(.release(serial: "999999999", until: nil))
        world.run(for: .seconds(60))
        #expect(world.monitors[serial]?.openings == 0)
        #expect(world.monitors[serial]?.link == nil)
        #expect(world.steps == ["\(serial) lent"])
    }
}
