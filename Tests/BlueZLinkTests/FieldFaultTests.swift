import TestSupport
import Testing

@testable import BlueZLink

/// Troubles that people with real radios reported, in stepped time; those that need a bus or bytes
/// are in FaultTests.
struct FieldFaultTests {
    private func serial(_ number: Int) -> String { "43000000\(number)" }

    @Test func eightWakeUpsDoNotOverlap() {
        // Goal: eight monitors switched on in one moment are connected one after the other on each
        // adapter. Method: the world notes two connects at once.
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 8), ("hci1", 8)])
        for number in 1...8 { world.monitors[serial(number)]?.isOn = false }
        world.begin()
        world.run(for: .seconds(60))
        #expect(world.connects == 0)
        for number in 1...8 { world.monitors[serial(number)]?.isOn = true }
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 8 })
        #expect(world.connects == 8)
        #expect(world.violations == [])
    }

    @Test func foreignConnectIsWaitedFor() {
        // Goal: "In Progress" of another program's connect is tried again until it is over, about
        // twice a second; ours is cleared once, in case it is a stale one.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.monitors[serial(1)]?.foreignConnects = 8
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 1 })
        #expect(world.connects == 9)
        #expect(world.violations == [])
    }

    @Test func staleConnectIsCleared() {
        // Goal: a connect that a killed client left under way, which nothing but a Disconnect ends,
        // is ended after a few refusals, and the monitor connected. Method: counted by the world.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.monitors[serial(1)]?.hasStaleConnect = true
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        #expect(world.connects == 7, "five refusals, then the two links")
        #expect(world.violations == [])
    }

    @Test func abortsAreCountedUntilTheSuccess() {
        // Goal: eight aborts in a row are eight failures in the status, then a link.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.monitors[serial(1)]?.aborts = 8
        world.begin()
        var most = 0
        let isLinked = world.run(upTo: .seconds(20)) { world in
            most = max(most, world.statuses[self.serial(1)]?.failures ?? 0)
            return world.streaming == 1
        }
        #expect(isLinked)
        #expect(most == 8)
        #expect(world.statuses[serial(1)]?.failures == 0)
    }

    @Test func nobodyScansDuringAConnect() {
        // Goal: no scan while a connect is under way, and none at all while everybody is linked.
        // Method: the world notes the former; twenty minutes in which links drop every twenty seconds.
        var random = SeededGenerator(seed: 4)
        var world = SteppedWorld(ergs: 8, adapters: [("hci0", 7), ("hci1", 5)])
        world.begin()
        for _ in 0..<60 {
            world.cut(serial(Int.random(in: 1...8, using: &random)))
            world.run(for: .seconds(20))
        }
        #expect(world.streaming == 8)
        #expect(world.connects >= 60)
        let scans = world.scans
        world.run(for: .seconds(600))
        #expect(world.scans == scans)
        #expect(world.violations == [])
    }

    @Test func objectThatVanishesBeforeTheConnectIsSoughtAgain() {
        // Goal: BlueZ forgets a device between scan and connect, again and again; the monitor is
        // heard and connected all the same.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.begin()
        for _ in 0..<5 {
            let isAsked = world.run(upTo: .seconds(10)) {
                $0.adapters.values.contains { $0.pending != nil }
            }
            #expect(isAsked)
            world.forget(serial(1))
        }
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 1 })
        #expect(world.statuses[serial(1)]?.lastFailure == "the adapter refused the connection")
    }

    @Test func leftoverScanIsClearedOnce() {
        // Goal: an adapter that scans for a killed client is switched off and on, and the first
        // monitor is connected within 30 s. One whose scan comes back is used as it is.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.beginStrangersScan("/org/bluez/hci0")
        let start = world.now
        world.begin()
        #expect(world.run(upTo: .seconds(30)) { $0.streaming >= 1 })
        #expect(start.duration(to: world.now) < .seconds(30))
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 2 })
        #expect(world.steps == ["power hci0 down"])
        #expect(world.room.adapters.values.first?.powerCycles == 1)
        world.beginStrangersScan("/org/bluez/hci0")
        world.cut(serial(1))
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 2 })
        #expect(world.steps.count == 1)
    }

    @Test func aScanThatLetsNobodyScanIsCleared() {
        // Goal: an adapter that heard everybody before, and begins no scan any more beside one that is
        // nobody's, is not deaf for good. Method: the other radio is full, so that the monitor that
        // left can come back through this one alone.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 1), ("hci1", 1)])
        world.begin()
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 2 })
        let path = "/org/bluez/hci1"
        let left = world.monitors.first { $0.value.link?.hasPrefix(path) == true }
        world.beginStrangersScan(path, letsNobodyScan: true)
        if let left { world.cut(left.key) }
        #expect(world.run(upTo: .seconds(300)) { $0.streaming == 2 })
        #expect(world.steps == ["power hci1 down"])
    }

    @Test func scanOfAnotherProgramIsNamed() {
        // Goal: a program that scans all the time is named while a monitor is missing, and not
        // while all is well; nothing is switched off for it.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 2 })
        world.beginStrangersScan("/org/bluez/hci0")
        world.run(for: .seconds(60))
        #expect(world.room.radioProblems(at: world.now) == [])
        world.cut(serial(1), staysOn: false)
        #expect(
            world.run(upTo: .seconds(120)) {
                $0.room.radioProblems(at: $0.now) == [.adapterScanned(name: "hci0")]
            })
        #expect(world.steps == [])
    }

    @Test func linksAreWorthMoreThanALeftoverScan() {
        // Goal: an adapter that holds a link is not switched off for a leftover scan.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.beginStrangersScan("/org/bluez/hci0")
        world.leaveLink(of: serial(1), on: "/org/bluez/hci0")
        world.begin()
        #expect(world.run(upTo: .seconds(40)) { $0.streaming == 2 })
        #expect(world.steps == [])
        #expect(world.monitors[serial(1)]?.closures == [])
    }
}
