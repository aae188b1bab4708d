import Bytes
import Contract
import Foundation
import HostRuntime
import TestSupport
import Timeline

@testable import Gateway

/// A boathouse in stepped time: eight ergs with rowers, a broker, a disk, a complete gateway, and random
/// faults.
final class SteppedDay: @unchecked Sendable {  // used only on the loop's thread
    enum Fault: String, CaseIterable {
        case linkLost, silence, starved, valuesLost, monitorOff, adapterAway
        case brokerAway, brokerRefuses, brokerForgets, connectionLost
        case diskRefuses, diskSlow, diskStalls, clockStep, restart, kill, powerCut
        /// Not a fault: the coach sends commands.
        case commands
    }

    /// The stations, in the order of the ergs.
    let stations: [StationID]
    let machine: SteppedRuntime
    let broker: SteppedBroker
    let ergs: [SteppedErg]
    let coach: SteppedCoach
    private let disk = MemoryDisk()
    private let configuration: Configuration
    /// The configuration file that a reload reads; absent unless a test writes it.
    let path: String
    private var random: SeededGenerator
    private var gateway: (steps: ServiceSteps, program: SteppedRuntime)?
    /// Of the running gateway.
    private(set) var room: SteppedRoom?
    /// Delays of the disk.
    private let pace: SteppedDiskPace
    /// Number of ends after which the assigned numbers or the last records are unknown: power cuts, and any
    /// end while the disk is behind.
    private(set) var lossyEnds = 0
    var published = PublishedStrokes()
    private(set) var faults: [Fault: Int] = [:]
    /// Whether the kernel reports a weak supply; nil if unknown.
    var isUndervoltage: Bool?
    /// Sessions open at such an end: subscribers may have records that ring and manifest lost.
    private(set) var cutSessions: Set<String> = []

    /// With an even seed, `discovery` is `any`, and half of the ergs have no configured name.
    ///
    /// - Parameters:
    ///   - folder: for the gateway's other files. The ring is in memory; an empty file at its path provides
    ///     the device and inode that identify the high-water marks.
    ///   - settings: additional lines of the configuration.
    init(
        on machine: SteppedRuntime, seed: UInt64, folder: String, settings: String = "",
        roster: AthleteRoster? = nil
    ) throws {
        self.machine = machine
        random = SeededGenerator(seed: seed)
        pace = SteppedDiskPace(on: machine, seed: seed)
        let named = seed.isMultiple(of: 2) ? 4 : 8
        stations = (1...8).compactMap {
            StationID(($0 <= named ? "erg-" : "pm5-43000000") + "\($0)")
        }
        broker = SteppedBroker(on: machine)
        ergs = (1...8).map {
            SteppedErg(serial: "43000000\($0)", generation: $0 == 8 ? .old : .new, on: machine)
        }
        coach = SteppedCoach(
            broker: broker, ergs: ergs, slugs: stations.map(\.slug), seed: seed)
        var configuration = try Self.configuration(folder: folder, named: named, settings)
        configuration.roster = roster
        self.configuration = configuration
        path = folder + "/rowgate.toml"
        machine.pace = { [pace] in $0 == "rowgate.disk" ? pace.draw() : .zero }
        try Data().write(to: URL(fileURLWithPath: configuration.ring.path))
        broker.onMessage = { [unowned self] in
            published.receive(topic: $0, payload: $1)
            coach.receive(topic: $0, payload: $1, at: machine.now())
            trace($0, $1)
        }
    }

    private static func configuration(
        folder: String, named: Int, _ settings: String
    ) throws -> Configuration {
        let slugs = (1...named).map {
            "[[erg]]\nslug = \"erg-\($0)\"\nserial = \"43000000\($0)\"\n"
        }
        let text = """
            gateway.id = "boathouse"
            broker.host = "broker.invalid"
            ring.path = "\(folder)/ring.log"
            ring.size_mib = 16
            live.interval_ms = 1000
            log.level = "error"
            commands.enabled = true
            bluetooth.discovery = "\(named == 8 ? "listed" : "any")"

            """
        let crew = "[[crew]]\nname = \"pair\"\nergs = [\"erg-1\", \"erg-2\"]\n"
        return try parsed(text + settings + slugs.joined() + crew)
    }

    /// With `ROWGATE_TRACE` set, prints each fault, and each message that contains that text.
    private static let traced = ProcessInfo.processInfo.environment["ROWGATE_TRACE"]

    private func trace(_ topic: String, _ payload: [UInt8] = []) {
        guard let traced = Self.traced else { return }
        let text = String(decoding: payload.prefix(400), as: UTF8.self)
        if payload.isEmpty || text.contains(traced) {
            print(machine.now().milliseconds, topic, text)
        }
    }

    // MARK: - The gateway

    func startGateway() async throws {
        let program = machine.program()
        let (ergs, connector, fileSystem) = (ergs, broker.connector, disk.fileSystem)
        let environment = GatewayEnvironment(
            runtime: program, fileSystem: fileSystem, connector: connector,
            makeRoom: { [unowned self] configuration, _, _ in
                let room = SteppedRoom(
                    ergs, configuration.roster, relays: configuration.relays, on: program)
                self.room = room
                return room
            },
            hostStatus: { [unowned self] _ in HostStatus(isUndervoltage: isUndervoltage) },
            hasControlSocket: false, logDestination: .reader { _, _, _ in })
        let daemon = try Daemon(configuration, readFrom: path, in: environment)
        var steps = ServiceSteps(
            daemon.parts, runtime: program, log: SystemLog(subsystem: "test", threshold: .error))
        _ = try await steps.start(until: StopRequest())
        gateway = (steps, program)
        await machine.sleep(for: .milliseconds(1))
    }

    func stopGateway() async {
        await gateway?.steps.stop()
        await machine.sleep(for: .milliseconds(10))
        endProgram()
    }

    /// Kills the gateway: nothing more is written, and the broker publishes the will.
    func killGateway() {
        endProgram()
        for erg in ergs { erg.leave(killed: true) }
        broker.drop(cause: "the client vanished")
    }

    private func endProgram() {
        gateway?.program.kill()
        gateway = nil
        if pace.isBehind { noteLossyEnd() }
    }

    /// Cuts the power: the disk keeps a random part of the data that was not durable, and the boot id
    /// changes.
    func cutPower() {
        killGateway()
        let losses = CrashingBlockDevice.Loss.allCases.filter { $0 != .nothing }
        disk.losePower(
            losses[Int(random.next() % UInt64(losses.count))], seed: random.next())
        if !pace.isBehind { noteLossyEnd() }
        let boot = random.next()
        machine.mapping.bootID = String(boot, radix: 16) + String(~boot, radix: 16)
    }

    private func noteLossyEnd() {
        lossyEnds += 1
        for station in stations {
            let topic = "rowgate/v1/boathouse/erg/\(station)/state"
            guard
                case .object(let state)? = broker.retained[topic].flatMap({
                    try? JSONValue(parsing: $0)
                }), let session = state.text("session_id")
            else { continue }
            cutSessions.insert(session)
        }
    }

    /// Sets the wall clock.
    func stepClock(by milliseconds: Int64) {
        gateway?.program.mapping.unixMillisecondsAtBoot += milliseconds
        machine.mapping.unixMillisecondsAtBoot += milliseconds
    }

    /// Lets every disk operation take at least until then.
    func stallDisk(for duration: Duration) { pace.stall(for: duration) }

    // MARK: - The day

    /// Simulates rowers and faults for `duration`, then waits until everything is published.
    func pass(_ duration: Duration) async throws {
        let end = machine.now().advanced(by: duration)
        var changes = ergs.map { _ in machine.now().advanced(by: seconds(1...7200)) }
        var nextFault = machine.now().advanced(by: seconds(60...300))
        while machine.now() < end {
            let next = min(changes.min() ?? end, nextFault, end)
            await machine.sleep(for: machine.now().duration(to: next))
            for index in ergs.indices where changes[index] <= machine.now() {
                changes[index] = machine.now().advanced(by: try visit(ergs[index]))
            }
            if nextFault <= machine.now() {
                try await strike()
                nextFault = machine.now().advanced(by: seconds(30...600))
            }
        }
        try await settle()
    }

    /// Lets a rower come or leave; returns the time until the next change.
    private func visit(_ erg: SteppedErg) throws -> Duration {
        guard !erg.isOn else {
            erg.switchOff()
            return seconds(3600...36_000)
        }
        let scripts = ["just-row", "2000m", "500m", "10:00/2:00", "just-row/3:00"]
        try erg.switchOn(scripts[Int(random.next() % 5)], seed: random.next())
        return seconds(600...1800)
    }

    private func strike() async throws {
        let fault = Fault.allCases[Int(random.next() % UInt64(Fault.allCases.count))]
        faults[fault, default: 0] += 1
        trace("\(fault)")
        let present = ergs.contains(where: \.isOn) ? ergs.filter(\.isOn) : ergs
        let erg = present[Int(random.next() % UInt64(present.count))]
        switch fault {
        case .linkLost: erg.close(.lost)
        case .silence: erg.fallSilent(for: seconds(2...40))
        case .starved: erg.starve(for: seconds(2...120))
        case .valuesLost: erg.lose(1 + Int(random.next() % 60))
        case .monitorOff: erg.switchOff()
        case .adapterAway: await loseReach(for: seconds(2...60))
        case .brokerAway:
            broker.goAway()
            await machine.sleep(for: seconds(2...300))
            broker.comeBack()
        case .brokerRefuses:
            broker.isRefusing = true
            broker.drop()
            await machine.sleep(for: seconds(2...60))
            broker.isRefusing = false
        case .brokerForgets: broker.forget()
        case .connectionLost: broker.drop()
        case .diskRefuses:
            disk.fail(writing: 5)
            await machine.sleep(for: seconds(2...120))
            disk.fail(writing: nil)
            await machine.sleep(for: .seconds(60))
        case .diskSlow:
            pace.isSlow = true
            await machine.sleep(for: seconds(10...120))
            pace.isSlow = false
        case .diskStalls:
            // The longest exceeds the patience with a disk; further faults occur meanwhile.
            pace.stall(for: [.seconds(2), .seconds(10), .seconds(200)][Int(random.next() % 3)])
        case .clockStep:
            stepClock(by: Int64(random.next() % 7_200_000) - 3_600_000)
        case .restart:
            await stopGateway()
            await machine.sleep(for: seconds(1...30))
            try await startGateway()
        case .kill:
            killGateway()
            await machine.sleep(for: seconds(1...30))
            try await startGateway()
        case .powerCut:
            cutPower()
            await machine.sleep(for: seconds(1...30))
            try await startGateway()
        case .commands: await coach.command(on: machine)
        }
    }

    /// Rows a last session with a gap on each erg, so that every stream gets a final record. Then waits until
    /// everything is published.
    private func settle() async throws {
        for erg in ergs { erg.switchOff() }
        // Longer than any release.
        await machine.sleep(for: .seconds(120))
        for erg in ergs { try erg.switchOn("500m", seed: random.next()) }
        await machine.sleep(for: .seconds(45))
        await loseReach(for: .seconds(15))
        await machine.sleep(for: .seconds(150))
        for erg in ergs { erg.switchOff() }
        await machine.sleep(for: .seconds(900))
    }

    func loseReach(for duration: Duration) async {
        for erg in ergs {
            erg.isOutOfReach = true
            erg.close(.adapterLost)
        }
        await machine.sleep(for: duration)
        for erg in ergs { erg.comeBack() }
    }

    private func seconds(_ range: ClosedRange<Int64>) -> Duration {
        let width = UInt64(range.upperBound - range.lowerBound + 1)
        return .seconds(range.lowerBound + Int64(random.next() % width))
    }
}

/// How long each disk operation takes.
private final class SteppedDiskPace: @unchecked Sendable {  // used only on the loop's thread
    var isSlow = false
    private let machine: SteppedRuntime
    private var random: SeededGenerator
    private var stallEnd: BootInstant
    private var lastEnd: BootInstant

    init(on machine: SteppedRuntime, seed: UInt64) {
        self.machine = machine
        random = SeededGenerator(seed: seed)
        (stallEnd, lastEnd) = (machine.now(), machine.now())
    }

    func stall(for duration: Duration) { stallEnd = machine.now().advanced(by: duration) }

    func draw() -> Duration {
        let now = machine.now()
        let stalled = stallEnd > now ? now.duration(to: stallEnd) : .zero
        let time = stalled + .milliseconds(isSlow ? 300 : 1 + Int64(random.next() % 40))
        lastEnd = max(lastEnd, now.advanced(by: time))
        return time
    }

    /// Whether an operation is pending.
    var isBehind: Bool { machine.now() < lastEnd }
}

private func parsed(_ text: String) throws -> Configuration { try configuration(text) }
