import Foundation
import HostRuntime
import RingLog
import TestSupport
import Timeline

@testable import BlueZLink
@testable import Gateway

/// A gateway of eight ergs in stepped time that stores its journal: time and message, as
/// `journalctl -u rowgate` shows them.
final class JournalDay: @unchecked Sendable {  // used only on the loop's thread
    let machine: SteppedRuntime
    let broker: SteppedBroker
    let ergs: [SteppedErg]
    let disk = MemoryDisk()
    private(set) var lines: [String] = []
    /// Logs for the room link, which is simulated here.
    private(set) var bluetooth = RoomLogger(SystemLog(subsystem: "", threshold: .critical))
    private let configuration: Configuration
    private let begin: BootInstant
    private var request = StopRequest()
    private var running: Task<Void, any Error>?
    private var stallEnd: BootInstant
    private var program: SteppedRuntime?
    /// Processor use in percent of one processor.
    var processorUse = 5
    private var processorTime = (used: Duration.zero, at: BootInstant(nanoseconds: 0))

    /// - Parameters:
    ///   - seats: keys for each `[[erg]]`, by its number.
    ///   - more: further sections of the configuration.
    ///   - roster: the athletes.
    init(
        on machine: SteppedRuntime, folder: String, ergSettings: (Int) -> String = { _ in "" },
        more: String = "", roster: AthleteRoster? = nil
    ) throws {
        self.machine = machine
        (begin, stallEnd) = (machine.now(), machine.now())
        broker = SteppedBroker(on: machine)
        ergs = (1...8).map {
            SteppedErg(serial: "43000000\($0)", generation: $0 == 8 ? .old : .new, on: machine)
        }
        let places = (1...8).map {
            "[[erg]]\nslug = \"erg-\($0)\"\nserial = \"43000000\($0)\"\n\(ergSettings($0))"
        }
        let text = """
            gateway.id = "boathouse"
            broker.host = "broker.lan"
            ring.path = "\(folder)/ring.log"
            ring.size_mib = 16
            commands.enabled = true

            """
        var configuration = try GatewayTests.configuration(text + places.joined() + more)
        configuration.roster = roster
        self.configuration = configuration
        try Data().write(to: URL(fileURLWithPath: configuration.ring.path))
        machine.pace = { [unowned self] label in
            let now = machine.now()
            guard label == "rowgate.disk" else { return .zero }
            return stallEnd > now ? now.duration(to: stallEnd) : .milliseconds(20)
        }
    }

    // MARK: - The gateway

    func start() throws {
        let program = machine.program()
        self.program = program
        let (ergs, day) = (ergs, self)
        let environment = GatewayEnvironment(
            runtime: program, fileSystem: disk.fileSystem, connector: broker.connector,
            makeRoom: { configuration, log, _ in
                day.bluetooth = RoomLogger(log)
                return SteppedRoom(ergs, configuration.roster, on: program)
            },
            hostStatus: { _ in day.hostStatus() }, hasControlSocket: false,
            logDestination: .reader { _, message, _ in day.note(message) })
        let daemon = try Daemon(configuration, readFrom: "", in: environment)
        request = StopRequest()
        running = Task { [request] in try await daemon.run(until: request) }
    }

    func stop() async throws {
        request.make(SIGTERM)
        try await running?.value
        await machine.sleep(for: .milliseconds(10))
        program?.kill()
    }

    private func note(_ message: String) {
        let seconds = 6 * 3600 + begin.duration(to: machine.now()).components.seconds
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
        let folder = configuration.ring.path.dropLast("/ring.log".count)
        let text = message.replacingOccurrences(of: folder, with: "/var/lib/rowgate")
        lines.append("\(time) \(text)")
    }

    private func hostStatus() -> HostStatus {
        let now = machine.now()
        let passed = processorTime.at.duration(to: now)
        processorTime = (processorTime.used + passed * processorUse / 100, now)
        return HostStatus(processor: ProcessorUsage(used: processorTime.used, allowed: 1000))
    }

    // MARK: - Events

    func pass(_ duration: Duration) async { await machine.sleep(for: duration) }

    func stallDisk(for duration: Duration) { stallEnd = machine.now().advanced(by: duration) }

    func setClock(by milliseconds: Int64) {
        program?.mapping.unixMillisecondsAtBoot += milliseconds
        machine.mapping.unixMillisecondsAtBoot += milliseconds
    }

    /// Simulates a power cycle of the adapter.
    func resetAdapter() async {
        bluetooth.logPowerCycle(of: "hci0", .noAnswer)
        for erg in ergs {
            erg.isOutOfReach = true
            erg.close(.adapterLost)
        }
        await pass(.seconds(3))
        for erg in ergs { erg.comeBack() }
    }

    /// Releases an erg that was idle for 15 minutes.
    func letSleep(_ number: Int) {
        let erg = ergs[number - 1]
        bluetooth.logSleep(of: "erg-\(number)", erg.serial, after: .seconds(900))
        erg.isOutOfReach = true
        erg.close(.ours)
    }

    func command(_ erg: String, _ verb: String, _ payload: String) {
        _ = broker.send(
            Array(payload.utf8), to: "rowgate/v1/boathouse/erg/\(erg)/cmd/\(verb)")
    }
}
