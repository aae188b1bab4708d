import TestSupport
import Testing

@testable import BlueZLink

/// Rooms without a list, and two of them next to each other.
struct ClaimTests {
    private func serial(_ number: Int) -> String { "43000000\(number)" }

    /// Two gateways in adjoining rooms that hear the same eight monitors; `signals` of monitors 1 to
    /// 4 and 5 to 8 at the first gateway, reversed at the second.
    private func rooms(limit: Int, signals: (Int, Int)) -> [SteppedWorld] {
        let sharedMonitors = SteppedWorld.SharedMonitors()
        return (0...1).map { room in
            var world = SteppedWorld(
                ergs: 8, adapters: [("hci0", 8)], seed: UInt64(room + 1),
                membership: .any(limit: limit), sharedMonitors: sharedMonitors, number: room)
            for number in 1...8 {
                let isOwn = (number <= 4) == (room == 0)
                world.monitors[serial(number)]?.rssi = isOwn ? signals.0 : signals.1
            }
            world.begin()
            return world
        }
    }

    /// Lets time pass in both rooms alike.
    private func run(_ rooms: inout [SteppedWorld], for duration: Duration) {
        for _ in 0..<Int(duration / .milliseconds(500)) {
            for index in rooms.indices { rooms[index].run(for: .milliseconds(500)) }
        }
    }

    @Test func nearerGatewayClaimsTheMonitor() {
        // The signals differ by 20 dB between the rooms; links drop every 25 s.
        var rooms = rooms(limit: 8, signals: (-55, -75))
        run(&rooms, for: .seconds(60))
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20 {
            let number = Int.random(in: 1...8, using: &random)
            rooms[number <= 4 ? 0 : 1].cut(serial(number))
            run(&rooms, for: .seconds(25))
        }
        for (room, world) in rooms.enumerated() {
            for number in 1...8 {
                let isOwn = (number <= 4) == (room == 0)
                let openings = world.monitors[serial(number)]?.openings ?? 0
                #expect(isOwn ? openings >= 1 : openings == 0, "room \(room), \(number)")
            }
            #expect(world.streaming == 4)
            #expect(world.violations == [])
        }
    }

    @Test func gatewaysWithEqualSignalsDoNotAlternate() {
        // After they have shared the monitors, nothing moves for ten minutes.
        var rooms = rooms(limit: 8, signals: (-60, -60))
        run(&rooms, for: .seconds(60))
        #expect(rooms[0].streaming + rooms[1].streaming == 8)
        let openings = rooms.map { $0.monitors.values.reduce(0) { $0 + $1.openings } }
        run(&rooms, for: .seconds(600))
        #expect(rooms.map { $0.monitors.values.reduce(0) { $0 + $1.openings } } == openings)
        #expect(openings.reduce(0, +) == 8)
    }

    @Test func pausesAfterRepeatedTakeovers() {
        // Another central takes the monitor for ten seconds after each end of its link. After three
        // times within 15 minutes, the room waits for half a minute.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)], membership: .any(limit: 1))
        world.begin()
        for _ in 0..<3 {
            #expect(world.run(upTo: .seconds(30)) { $0.streaming == 1 })
            world.cut(serial(1), staysOn: false)
            world.switchOn(serial(1), after: .seconds(10))
            world.run(for: .seconds(11))
        }
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 1 })
        world.cut(serial(1))
        world.run(for: .seconds(5))
        #expect(world.statuses[serial(1)]?.phase == .parked(.contested))
        world.run(for: .seconds(20))
        #expect(world.streaming == 0)
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 1 })
        #expect(world.violations == [])
    }

    @Test func weakMonitorsAreNotClaimed() {
        // A monitor of the neighbouring house, although stations are free.
        var world = SteppedWorld(ergs: 3, adapters: [("hci0", 7)], membership: .any(limit: 8))
        world.monitors[serial(2)]?.rssi = -86
        world.begin()
        world.run(for: .seconds(120))
        #expect(world.streaming == 2)
        #expect(world.monitors[serial(2)]?.openings == 0)
        #expect(world.connects == 2)
    }

    @Test func replacesAbsentMonitorByStrongerOne() {
        // After ten minutes of absence; a weaker monitor does not replace it.
        var world = SteppedWorld(ergs: 4, adapters: [("hci0", 7)], membership: .any(limit: 2))
        for number in 3...4 { world.monitors[serial(number)]?.isOn = false }
        world.monitors[serial(3)]?.rssi = -62
        world.monitors[serial(4)]?.rssi = -50
        world.begin()
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 2 })
        world.cut(serial(1), staysOn: false)
        world.monitors[serial(3)]?.isOn = true
        world.run(for: .seconds(590))
        world.monitors[serial(4)]?.isOn = true
        world.run(for: .seconds(5))
        #expect(world.streaming == 1)
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 2 })
        #expect(world.monitors[serial(4)]?.isStreaming == true)
        #expect(world.monitors[serial(3)]?.openings == 0)
        #expect(world.steps == ["\(serial(1)) abandoned"])
        #expect(world.room.monitors.count == 2)
    }
}
