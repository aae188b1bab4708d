import Foundation
import TestSupport
import Testing
import Timeline

@testable import BlueZLink

/// Hours of rowing with a fault every few seconds, in stepped time.
///
/// `ROWGATE_SOAK_HOURS=4 swift test --filter SoakTests` runs four simulated hours and prints its
/// figures; without it six minutes are rowed. `ROWGATE_SOAK_SEED` draws other faults.
struct SoakTests {
    private enum Fault: String, CaseIterable {
        case drop, vanish, abort, hang, foreignConnect, objectGone, lostValues
        case serviceRestart, adapterRemoved, adapterFrozen, foreignScan, release
    }

    private struct Soak {
        var world: SteppedWorld
        var ergs: [String: RowingErg] = [:]
        var random: SeededGenerator
        var faults: [Fault: Int] = [:]
        /// Scheduled ends of faults.
        var pendingRecoveries: [(at: BootInstant, recovery: (inout SteppedWorld) -> Void)] = []

        init(seed: UInt64) throws {
            world = SteppedWorld(ergs: 8, adapters: [("hci0", 7), ("hci1", 5)], seed: seed)
            random = SeededGenerator(seed: seed)
            for serial in world.monitors.keys.sorted() {
                ergs[serial] = try RowingErg(serial: serial, seed: UInt64(serial) ?? 0)
            }
            world.onLink = { [ergs] serial, isOpen, now in
                ergs[serial]?.change(isOpen: isOpen, at: now)
            }
            world.begin()
        }

        mutating func run(for duration: Duration) {
            let end = world.now.advanced(by: duration)
            while world.now < end {
                world.run(for: .milliseconds(500))
                for index in pendingRecoveries.indices.reversed()
                where world.now >= pendingRecoveries[index].at {
                    pendingRecoveries.remove(at: index).recovery(&world)
                }
                for (serial, erg) in ergs.sorted(by: { $0.key < $1.key }) {
                    erg.isHanging = world.monitors[serial]?.isHanging == true
                    erg.advance(to: world.now)
                }
            }
        }

        mutating func scheduleRecovery(
            after seconds: ClosedRange<Int>, _ recovery: @escaping (inout SteppedWorld) -> Void
        ) {
            let delay = Duration.seconds(Int.random(in: seconds, using: &random))
            pendingRecoveries.append((world.now.advanced(by: delay), recovery))
        }

        /// Faults of one monitor are common, those of a whole adapter or of bluetoothd are rare.
        mutating func injectRandomFault() {
            let isRare = Int.random(in: 0..<20, using: &random) == 0
            let all = Fault.allCases
            let fault = (isRare ? all[7...] : all[..<7]).randomElement(using: &random) ?? .drop
            faults[fault, default: 0] += 1
            let serial = "43000000\(Int.random(in: 1...8, using: &random))"
            inject(fault, serial)
        }

        mutating func inject(_ fault: Fault, _ serial: String) {
            switch fault {
            case .drop: world.cut(serial)
            case .vanish:
                world.cut(serial, staysOn: false)
                world.switchOn(serial, after: .seconds(Int64.random(in: 1...60, using: &random)))
            case .abort: world.monitors[serial]?.aborts = Int.random(in: 1...9, using: &random)
            case .hang:
                world.monitors[serial]?.isHanging = true
                scheduleRecovery(after: 2...40) { $0.monitors[serial]?.isHanging = false }
            case .foreignConnect:
                world.monitors[serial]?.foreignConnects = Int.random(in: 1...8, using: &random)
                world.cut(serial)
            case .objectGone:
                world.cut(serial)
                world.forget(serial)
            case .lostValues: ergs[serial]?.losses = Int.random(in: 1...60, using: &random)
            case .serviceRestart: world.restartService()
            case .adapterRemoved:
                guard world.adapters["/org/bluez/hci1"] != nil else { return }
                world.unplug("/org/bluez/hci1")
                scheduleRecovery(after: 1...90) {
                    $0.plugIn("/org/bluez/hci1", address: "B8:27:EB:00:00:01", 5)
                }
            case .adapterFrozen: world.freeze("/org/bluez/hci0")
            case .foreignScan: world.beginForeignScan("/org/bluez/hci1")
            case .release:
                let end = world.now.advanced(
                    by: .seconds(Int64.random(in: 5...60, using: &random)))
                world.send(.release(serial: serial, until: end))
            }
        }

        mutating func recoverAll() {
            for (_, recovery) in pendingRecoveries { recovery(&world) }
            pendingRecoveries = []
            for serial in world.monitors.keys {
                world.monitors[serial]?.isOn = true
                world.monitors[serial]?.isHanging = false
                world.monitors[serial]?.aborts = 0
                world.monitors[serial]?.foreignConnects = 0
                ergs[serial]?.losses = 0
            }
        }
    }

    @Test(.timeLimit(.minutes(60)))
    func everyStrokeIsReportedOrInAGap() throws {
        // Eight rowers on twelve slots, a random fault every few seconds, then none.
        let environment = ProcessInfo.processInfo.environment
        let hours = environment["ROWGATE_SOAK_HOURS"].flatMap(Double.init)
        let seed = environment["ROWGATE_SOAK_SEED"].flatMap(UInt64.init) ?? 11
        var soak = try Soak(seed: seed)
        let end = soak.world.now.advanced(by: .seconds((hours ?? 0.1) * 3600))
        soak.run(for: .seconds(60))
        #expect(soak.world.streaming == 8)
        let memory = residentKilobytes()
        while soak.world.now < end {
            soak.run(for: .milliseconds(Int64.random(in: 1000...9000, using: &soak.random)))
            soak.injectRandomFault()
        }
        soak.recoverAll()
        soak.run(for: .seconds(240))
        #expect(soak.world.streaming == 8)
        #expect(soak.world.violations == [])
        for (serial, erg) in soak.ergs {
            #expect(erg.violations == [], "\(serial)")
            #expect(erg.sessions == 1, "\(serial)")
            #expect(erg.strokesRowed > 0 && (0...2).contains(erg.pending), "\(serial): \(erg.pending)")
        }
        let room = soak.world.room
        #expect(room.sightings.lastSeen.count <= 16 && room.published.count == 8)
        #expect(room.releases.active.isEmpty)
        guard let hours else { return }
        report(soak, hours, seed, from: memory)
    }

    private func report(_ soak: Soak, _ hours: Double, _ seed: UInt64, from memory: Int) {
        let ergs = soak.ergs.values
        let faults = soak.faults.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue) \($0.value)" }.joined(separator: ", ")
        func sum(_ figure: (RowingErg) -> Int) -> Int { ergs.reduce(0) { $0 + figure($1) } }
        let openings = soak.world.monitors.values.reduce(0) { $0 + $1.openings }
        let grown = residentKilobytes() - memory
        print(
            """
            \(hours) simulated hours of seed \(seed), \(soak.faults.values.reduce(0, +)) faults: \(faults)
            strokes rowed \(sum(\.strokesRowed)), reported \(sum(\.strokesReported)), \
            declared lost \(sum(\.lostStrokes)) in \(sum(\.gaps)) gaps; \(openings) links opened
            resident memory \(memory) kB at the start, \(grown) kB more at the end
            """)
        #expect(grown < 16 * 1024, "resident memory grew by \(grown) kB")
    }

    /// Of this process, from /proc/self/statm.
    private func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(getpagesize()) / 1024
    }
}
