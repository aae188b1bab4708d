import ArgumentParser
import Dispatch
import Glibc
import HostRuntime
import PM5Simulator

/// Simulated rowers on simulated PM5s, behind a simulated org.bluez.
@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pm5sim",
        abstract: "A room of simulated PM5 rowing monitors behind a simulated bluetoothd.",
        discussion: """
            Owns org.bluez on the bus that --bus names and prints one line that begins with READY \
            once it does. Rowers begin when somebody has subscribed to their monitor. SIGTERM and \
            SIGINT end it cleanly.

            Workouts:
            \(WorkoutScript.syntax)

            Requests on the control socket:
            \(FaultRequest.syntax)

            With --pipe, on standard input and output:
            \(PipedRoom.syntax)
            """,
        version: Release.facts)

    @Option(help: "How many monitors: 430000001, 430000002, ...")
    var ergs = 8

    @Option(help: "Adapters and how many links each can hold.")
    var adapters = "hci0:7"

    @Option(
        help: "The rowers' workouts, separated by spaces; assigned in turn.")
    var workout = "just-row"

    @Option(help: "Seed of all random numbers.")
    var seed: UInt64 = 1

    @Option(help: "Simulated seconds of rowing per second.")
    var speed = 1.0

    @Option(help: "Divides the delays of bluetoothd and of the radio.")
    var linkSpeed = 1.0

    @Option(help: "Generation of the monitors: old, new or mixed.")
    var firmware = Firmware.new

    @Option(
        help: """
            What the monitors are mounted on: row, slides, dynamic, ski or bike; several, separated \
            by spaces, are dealt out in turn. Old firmware does not report it.
            """)
    var machine = "row"

    @Option(
        help: """
            Seconds, whatever --speed, after which a monitor without a link that nobody uses switches \
            itself off; 0: never.
            """)
    var sleepAfter = 240.0

    @Flag(help: "Monitors advertise only after their Connect key was pressed.")
    var connectKey = false

    @Option(help: "Charge of the monitors' batteries in percent.")
    var battery = 80.0

    @Option(
        help: """
            Monitors play this recorded connection instead of rowing: JSON Lines with t_ms, dir, \
            characteristic, hex. The clock starts with the subscription to 31.
            """)
    var replay: String?

    @Option(help: "A Unix socket for requests: a JSON object per line in, one line out.")
    var control: String?

    @Option(help: "Write the simulated strokes and results to this file, one JSON object per line.")
    var truth: String?

    @Option(help: "The D-Bus address to serve on; default is the system bus.")
    var bus: String?

    @Flag(name: .customLong("repeat"), help: "Row again about a minute after each piece.")
    var repeats = false

    @Flag(
        help: """
            No org.bluez: monitors for an external radio emulator, with requests on standard \
            input and values on standard output.
            """)
    var pipe = false

    @Flag(help: "Exit with status 0 after every piece was rowed and sent.")
    var exitWhenDone = false

    enum Firmware: String, ExpressibleByArgument, CaseIterable {
        case old, new, mixed

        func generation(of number: Int) -> MonitorGeneration {
            switch self {
            case .old: .old
            case .new: .new
            case .mixed: number % 2 == 1 ? .new : .old
            }
        }
    }

    func validate() throws {
        guard (1...99).contains(ergs) else { throw ValidationError("--ergs takes 1 to 99.") }
        guard speed > 0, speed <= 1000 else { throw ValidationError("--speed takes up to 1000.") }
        guard (0...86_400).contains(sleepAfter) else {
            throw ValidationError("--sleep-after takes up to 86400.")
        }
        guard (0...100).contains(battery) else {
            throw ValidationError("--battery takes 0 to 100.")
        }
        guard linkSpeed > 0 else { throw ValidationError("--link-speed takes a number above 0.") }
        guard AdapterPlan.list(parsing: adapters) != nil else {
            throw ValidationError("--adapters takes a list like hci0:7,hci1:5.")
        }
        _ = try (scripts(), machines())
        if pipe, bus != nil || control != nil || truth != nil || replay != nil || exitWhenDone {
            throw ValidationError(
                "--pipe does not go with --bus, --control, --truth, --replay and --exit-when-done.")
        }
    }

    private func scripts() throws -> [WorkoutScript] {
        do {
            return try workout.split(separator: " ").map { try WorkoutScript(parsing: String($0)) }
        } catch let error as WorkoutSyntaxError {
            throw ValidationError(error.description)
        }
    }

    private func machines() throws -> [SimulatedMachine] {
        let machines = machine.split(separator: " ").compactMap {
            SimulatedMachine(rawValue: String($0))
        }
        guard !machines.isEmpty, machines.count == machine.split(separator: " ").count else {
            let all = SimulatedMachine.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--machine takes some of \(all), separated by spaces.")
        }
        return machines
    }

    func run() async throws {
        let stop = StopSignal()
        if pipe { return try await runPipe(until: stop) }
        let service = try makeService()
        do {
            try await open(service, stop)
        } catch {
            await service.stop()
            throw error
        }
        print("READY org.bluez with \(ergs) monitors on \(adapters)")
        fflush(nil)
        ServiceNotifier.ready(status: "\(ergs) monitors")
        if exitWhenDone { stop.whenDone(service) }
        let reason = await stop.wait()
        ServiceNotifier.stopping()
        await service.stop()
        if case .failure(let text) = reason { throw ExitMessage(text: text) }
    }

    private func runPipe(until stop: StopSignal) async throws {
        let room = PipedRoom(count: ergs, making: try maker())
        // A radio that has gone is found by the write, not by a signal.
        signal(SIGPIPE, SIG_IGN)
        let driver = RoomPipe(room, speed: speed, input: STDIN_FILENO, output: STDOUT_FILENO)
        await driver.start { stop.raise(.requested) }
        _ = await stop.wait()
        await driver.stop()
    }

    private func open(_ service: BlueZService, _ stop: StopSignal) async throws {
        do {
            try await service.start { error in stop.raise(.failure("bus: \(error)")) }
        } catch {
            throw ExitMessage(text: "cannot own org.bluez: \(error)")
        }
        if let control { try await service.openControl(path: control) }
    }

    private func makeService() throws -> BlueZService {
        let truthFile = try truth.map { path in
            try Self.opened(path) { TruthFile(path: $0) }
        }
        return BlueZService(
            monitors: try monitors(), adapters: AdapterPlan.list(parsing: adapters) ?? [],
            timing: .init(rowingSpeed: speed, linkSpeed: linkSpeed), seed: seed, busAddress: bus,
            truth: truthFile)
    }

    private func monitors() throws -> [any SimulatedMonitor] {
        guard let replay else {
            let make = try maker()
            return (1...ergs).map { make($0, 0) }
        }
        let recording = try Self.opened(replay) { ReplayedErg.lines(ofFile: $0) }
        return try (1...ergs).map { number in
            try ReplayedErg(
                lines: recording, serial: Self.identity(number, firmware, .row).serial,
                startDelayMilliseconds: startDelayMilliseconds)
        }
    }

    /// Creates the rower of a number, with other random values after each start of the monitor.
    private func maker() throws -> PipedRoom.MonitorFactory {
        let (scripts, machines) = try (scripts(), machines())
        let calendar = Self.calendar()
        let (seed, firmware, repeats) = (seed, firmware, repeats)
        let delay = startDelayMilliseconds
        let power = BatteryPower(
            sleepAfterMilliseconds: sleepAfter > 0 ? Int(sleepAfter * 1000 * speed) : nil,
            needsConnectKey: connectKey, batteryPercent: battery)
        return { @Sendable number, start in
            SimulatedErg(
                Self.identity(number, firmware, machines[(number - 1) % machines.count]),
                script: scripts[(number - 1) % scripts.count],
                calendar: calendar, seed: SimulatedErg.seed(ofErg: number, start: start, in: seed),
                startDelayMilliseconds: delay, repeats: repeats, power: power)
        }
    }

    /// Rowers wait a second and a half of real time, whatever their speed: a gateway needs it.
    private var startDelayMilliseconds: Int { Int(1500 * speed) }

    /// What `open` makes of a file; it returns nil, with errno set, when that fails.
    private static func opened<Content>(
        _ path: String, _ open: (String) -> Content?
    ) throws -> Content {
        guard let content = open(path) else {
            throw ExitMessage(text: "\(path): \(String(cString: strerror(errno)))")
        }
        return content
    }

    private static func identity(
        _ number: Int, _ firmware: Firmware, _ machine: SimulatedMachine
    ) -> SimulatedIdentity {
        let digits = String(number)
        let serial = "43" + String(repeating: "0", count: 7 - digits.count) + digits
        return SimulatedIdentity(
            serial: serial, generation: firmware.generation(of: number), machine: machine)
    }

    /// The monitors' clocks show local time.
    private static func calendar() -> MonitorCalendar {
        let now = SystemClock.local(unixMilliseconds: SystemClock.unixMilliseconds())
        return MonitorCalendar(millisecondsAtStart: Int(now))
    }
}

/// A failure with a message of one line.
struct ExitMessage: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
