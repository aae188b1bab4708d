import Rowing
import TestSupport
import Testing

@testable import BlueZLink

/// Rowing ergs during faults, in stepped time: the values that a subscriber gets.
struct RowingRoomTests {
    /// A stepped world whose every monitor is rowed on, and the station behind each link.
    private struct Room {
        var world: SteppedWorld
        var ergs: [String: RowingErg] = [:]

        /// All stream when it begins.
        init(ergs count: Int) throws {
            world = SteppedWorld(ergs: count, adapters: [("hci0", 7)])
            for serial in world.monitors.keys.sorted() {
                ergs[serial] = try RowingErg(serial: serial, seed: UInt64(serial) ?? 0)
            }
            world.onLink = { [ergs] serial, isOpen, now in
                ergs[serial]?.change(isOpen: isOpen, at: now)
            }
            world.begin()
            row(for: .seconds(30))
        }

        mutating func row(for duration: Duration) {
            _ = row(upTo: duration, until: { _ in false })
        }

        /// Whether `condition` came true within `duration`; checked every 100 ms.
        mutating func row(upTo duration: Duration, until condition: (Self) -> Bool) -> Bool {
            let end = world.now.advanced(by: duration)
            while world.now < end {
                if condition(self) { return true }
                world.run(for: .milliseconds(100))
                for (serial, erg) in ergs {
                    erg.isHanging = world.monitors[serial]?.isHanging == true
                    erg.advance(to: world.now)
                }
            }
            return condition(self)
        }

        func live(_ serial: String) -> MetricsSample? { ergs[serial]?.live(at: world.now) }
    }

    private func serial(_ number: Int) -> String { "43000000\(number)" }

    @Test func silentMonitorBecomesStaleThenReconnects() throws {
        // Stale after 5 s, reconnect after 12 s.
        var room = try Room(ergs: 2)
        let (silent, other) = (serial(1), serial(2))
        #expect(room.live(silent)?.isStale == false)
        #expect(room.live(silent)?.powerWatts != nil)
        room.world.monitors[silent]?.isHanging = true
        let start = room.world.now
        let isStale = room.row(upTo: .seconds(6)) { $0.live(silent)?.isStale == true }
        #expect(isStale)
        // A status is sent twice a second, so the last one was up to half a second old.
        let flagged = start.duration(to: room.world.now)
        #expect((.seconds(4.4)...(.seconds(5.1))).contains(flagged), "\(flagged)")
        let sample = try #require(room.live(silent))
        #expect(sample.state == .rowing && sample.at == room.world.now)
        #expect(sample.distance > Meters(0) && sample.powerWatts == nil && sample.pace == nil)
        #expect(room.live(other)?.isStale == false)
        let isEnded = room.row(upTo: .seconds(8)) {
            $0.world.monitors[silent]?.closures == [.silent]
        }
        #expect(isEnded)
        let ended = start.duration(to: room.world.now)
        #expect((.seconds(11.4)...(.seconds(12.2))).contains(ended), "\(ended)")
        #expect(room.live(silent) == nil, "no link, nothing live")
        room.world.monitors[silent]?.isHanging = false
        let isBack = room.row(upTo: .seconds(20)) { $0.live(silent)?.isStale == false }
        #expect(isBack)
        room.row(for: .seconds(10))
        let erg = try #require(room.ergs[silent])
        #expect(erg.gaps == 1 && erg.sessions == 1 && erg.violations == [])
        #expect(room.ergs[other]?.gaps == 0)
    }

    @Test func serviceRestartCausesOneGapPerErg() throws {
        var room = try Room(ergs: 4)
        let start = room.world.now
        room.world.restartService()
        #expect(room.world.streaming == 0)
        let isBack = room.row(upTo: .seconds(15)) { $0.world.streaming == 4 }
        #expect(isBack)
        #expect(start.duration(to: room.world.now) < .seconds(15))
        room.row(for: .seconds(10))
        for (serial, erg) in room.ergs {
            #expect(erg.gaps == 1 && erg.sessions == 1 && erg.violations == [], "\(serial)")
            #expect(erg.lostStrokes > 0 && (0...2).contains(erg.pending), "\(serial)")
        }
        #expect(room.world.violations == [])
    }

    @Test(arguments: UInt64(1)...8)
    func lostNotificationsCauseGaps(seed: UInt64) throws {
        // Seeded losses for five minutes, while other monitors connect. Every stroke is reported or
        // in a gap.
        var random = SeededGenerator(seed: seed)
        var room = try Room(ergs: 3)
        for _ in 0..<30 {
            room.ergs[serial(1)]?.losses = Int.random(in: 1...40, using: &random)
            room.world.cut(serial(Int.random(in: 2...3, using: &random)))
            room.row(for: .seconds(10))
        }
        room.ergs[serial(1)]?.losses = 0
        room.row(for: .seconds(10))
        let erg = try #require(room.ergs[serial(1)])
        #expect(erg.violations == [] && erg.sessions == 1)
        #expect(erg.gaps > 0 && erg.lostStrokes >= erg.gaps)
        #expect(erg.strokesReported + erg.lostStrokes + erg.pending == erg.strokesRowed)
        #expect(room.world.monitors[serial(1)]?.openings == 1, "its link stood all the time")
    }
}
