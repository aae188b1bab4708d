import ArgumentParser
import Glibc
import HostRuntime
import PM5Simulator
import Timeline

/// Many gateways in one process: rowgate's own code except the radio, each with its own ring log,
/// and ergs with simulated rowers.
@main
struct GatewayFleet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Many gateways with simulated ergs in one process.",
        subcommands: [Past.self, Row.self])
}

/// The options of both commands.
struct FleetOptions: ParsableArguments {
    @Argument(help: "A folder that has a folder for each gateway, and its rowgate.toml there.")
    var folder: String

    @Option(help: "What is rowed, again and again.")
    var workout = "2000m"

    @Option(help: "Seconds between two pieces on an erg.")
    var pause = 70

    @Option(help: "Draws other rowers.")
    var seed: UInt64 = 1

    func gateways() throws -> [FleetGateway] {
        let names = Self.entries(of: folder).filter {
            access("\(folder)/\($0)/rowgate.toml", R_OK) == 0
        }
        guard !names.isEmpty else { throw ValidationError("no gateway in \(folder)") }
        let rowing = FleetRowing(
            script: try WorkoutScript(parsing: workout), pauseSeconds: pause)
        return names.sorted().enumerated().map { number, name in
            FleetGateway(
                name: name, configuration: "\(folder)/\(name)/rowgate.toml", rowing: rowing,
                seed: seed &* 100_000 &+ UInt64(number) &* 100)
        }
    }

    private static func entries(of folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
                    names.append(String(cString: $0))
                }
            }
        }
        return names
    }
}

/// Fills the rings with the records of an absence of the broker, up to now, without waiting for it.
struct Past: AsyncParsableCommand {
    @OptionGroup var options: FleetOptions

    @Option(help: "How long it was away.")
    var minutes: Int

    @Option(help: "How many gateways are at it at a time.")
    var together = 2

    func run() async throws {
        let (gateways, minutes) = (try options.gateways(), minutes)
        let begin = SystemRuntime().unixMilliseconds() - Int64(minutes) * 60_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, gateway) in gateways.enumerated() {
                if number >= together { try await group.next() }
                group.addTask {
                    try await gateway.row(since: begin, for: .seconds(60 * minutes))
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Runs them in real time until they are stopped.
struct Row: AsyncParsableCommand {
    @OptionGroup var options: FleetOptions

    func run() async throws {
        let signals = await TerminationSignals()
        let rowers = FleetRowers()
        // The parent process ends all pieces by SIGUSR1.
        let word = SignalWord(SIGUSR1) { rowers.leave() }
        let gateways = try options.gateways()
        await withTaskGroup(of: Void.self) { group in
            for gateway in gateways {
                group.addTask { await gateway.row(rowers, until: signals.request) }
            }
        }
        word.cancel()
    }
}
