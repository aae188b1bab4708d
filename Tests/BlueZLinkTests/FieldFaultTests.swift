import TestSupport
import Testing

@testable import BlueZLink

/// Faults reported for real radios, in stepped time; faults that need a bus or bytes
/// are in FaultTests.
struct FieldFaultTests {
    private func serial(_ number: Int) -> String { "43000000\(number)" }

    @Test func connectsOneAtATimePerAdapter() {
        // Eight monitors are switched on together. SteppedWorld reports overlapping connects as
        // violations.
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

    @Test func waitsForConnectOfAnotherProgram() {
        // "In Progress" is retried about twice a second, and cancelled once in case it is stale.
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.monitors[serial(1)]?.foreignConnects = 8
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 1 })
        #expect(world.connects == 9)
        #expect(world.violations == [])
    }

    @Test func clearsStaleConnect() {
        // Only a Disconnect ends the connect of a killed client.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.monitors[serial(1)]?.hasStaleConnect = true
        world.begin()
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 2 })
        #expect(world.connects == 7, "five refusals, then the two links")
        #expect(world.violations == [])
    }

    @Test func countsAbortsUntilSuccess() {
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

    @Test func doesNotScanDuringConnects() {
        // Links drop every 20 s for 20 minutes. SteppedWorld reports scans during connects as
        // violations.
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

    @Test func rescansAfterDeviceVanishesBeforeConnect() {
        var world = SteppedWorld(ergs: 1, adapters: [("hci0", 7)])
        world.begin()
        for _ in 0..<5 {
            let isConnecting = world.run(upTo: .seconds(10)) {
                $0.adapters.values.contains { $0.pending != nil }
            }
            #expect(isConnecting)
            world.forget(serial(1))
        }
        #expect(world.run(upTo: .seconds(10)) { $0.streaming == 1 })
        #expect(world.statuses[serial(1)]?.lastFailure == "the adapter refused the connection")
    }

    @Test func powerCyclesOnceForLeftoverScan() {
        // If the scan returns after the power cycle, the adapter is used despite it.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.beginForeignScan("/org/bluez/hci0")
        let start = world.now
        world.begin()
        #expect(world.run(upTo: .seconds(30)) { $0.streaming >= 1 })
        #expect(start.duration(to: world.now) < .seconds(30))
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 2 })
        #expect(world.steps == ["power hci0 down"])
        #expect(world.room.radios.all.first?.powerCycles == 1)
        world.beginForeignScan("/org/bluez/hci0")
        world.cut(serial(1))
        #expect(world.run(upTo: .seconds(30)) { $0.streaming == 2 })
        #expect(world.steps.count == 1)
    }

    @Test func clearsScanThatBlocksOtherScans() {
        // The other radio is full, so only this one can find the monitor again.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 1), ("hci1", 1)])
        world.begin()
        #expect(world.run(upTo: .seconds(60)) { $0.streaming == 2 })
        let path = "/org/bluez/hci1"
        let left = world.monitors.first { $0.value.link?.hasPrefix(path) == true }
        world.beginForeignScan(path, blocksOtherScans: true)
        if let left { world.cut(left.key) }
        #expect(world.run(upTo: .seconds(300)) { $0.streaming == 2 })
        #expect(world.steps == ["power hci1 down"])
    }

    @Test func reportsScanOfAnotherProgram() {
        // Only while a monitor is missing; nothing is switched off for it.
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.begin()
        #expect(world.run(upTo: .seconds(20)) { $0.streaming == 2 })
        world.beginForeignScan("/org/bluez/hci0")
        world.run(for: .seconds(60))
        #expect(world.room.radioProblems(at: world.now) == [])
        world.cut(serial(1), staysOn: false)
        #expect(
            world.run(upTo: .seconds(120)) {
                $0.room.radioProblems(at: $0.now) == [.adapterScanned(name: "hci0")]
            })
        #expect(world.steps == [])
    }

    @Test func keepsLinksDespiteLeftoverScan() {
        var world = SteppedWorld(ergs: 2, adapters: [("hci0", 7)])
        world.beginForeignScan("/org/bluez/hci0")
        world.leaveLink(of: serial(1), on: "/org/bluez/hci0")
        world.begin()
        #expect(world.run(upTo: .seconds(40)) { $0.streaming == 2 })
        #expect(world.steps == [])
        #expect(world.monitors[serial(1)]?.closures == [])
    }
}
