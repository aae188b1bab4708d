import Rowing
import TestSupport
import Testing

@testable import BlueZLink

/// Ergs that are rowed on while something goes wrong, in stepped time: what a subscriber gets to see.
struct RowedRoomTests {
    /// A stepped world whose every monitor is rowed on, and the station behind each link.
    private struct Room {
        var world: SteppedWorld
        var ergs: [String: RowedErg] = [:]

        /// All stream when it begins.
        init(ergs count: Int) throws {
            world = SteppedWorld(ergs: count, adapters: [("hci0", 7)])
            for serial in world.monitors.keys.sorted() {
                ergs[serial] = try RowedErg(serial: serial, seed: UInt64(serial) ?? 0)
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

        /// Whether `condition` came true within `duration`; a look every 100 ms.
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

    @Test func silentMonitorIsStaleAndThenConnectedAnew() throws {
        // Goal: a link that says nothing in mid-piece: live numbers are flagged stale at 5 s and tell
        // no power any more, at 12 s the reconnect has begun, and the piece goes on with one gap.
        var room = try Room(ergs: 2)
        let (silent, other) = (serial(1), serial(2))
        #expect(room.live(silent)?.isStale == false)
        #expect(room.live(silent)?.powerWatts != nil)
        room.world.monitors[silent]?.isHanging = true
        let start = room.world.now
        let isStale = room.row(upTo: .seconds(6)) { $0.live(silent)?.isStale == true }
        #expect(isStale)
        // A status comes twice a second, so the last one was up to half a second old.
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

    @Test func killedServiceCostsOneGapEach() throws {
        // Goal: bluetoothd dies with four ergs rowing; all are back within 15 s, and each has one
        // gap in one session, with every stroke told or in it.
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
    func lostNotificationsAreGapsOrCostAField(seed: UInt64) throws {
        // Goal: while further monitors connect, one that is rowed on loses notifications, a few or
        // many at a time. No stroke is passed over in silence: each is told or lies in a gap, and
        // losses of a whole stroke's values do make a gap. Method: seeded losses for five minutes.
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
        #expect(erg.told + erg.lostStrokes + erg.pending == erg.rowed)
        #expect(room.world.monitors[serial(1)]?.openings == 1, "its link stood all the time")
    }
}
