import ArgumentParser
import DemoClub
import Glibc
import HostRuntime

/// Writes the data of the demo's club: `packaging/demo` imports them.
@main
struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo-club",
        abstract: "Write the data of the demo's club: eight athletes and twelve weeks of their history.",
        discussion: """
            Simulated rowers row every session in fast motion. The same --now and --seed give the same \
            output. Days are in the time zone of the machine.
            """)

    enum Part: String, CaseIterable, ExpressibleByArgument {
        case athletes, plan, members, races, records
    }

    @Argument(
        help: """
            athletes: a table for rowgate-logbook athlete import; plan: a table for rowgate-logbook plan \
            import; members: the ids of the plan's athletes; races: the file of a logbook with one \
            finished race; records: lines for rowgate-logbook import.
            """)
    var part: Part

    @Option(help: "The seed of the simulated room, as in pm5sim.")
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The time at which the history ends, in Unix seconds (default: now).", valueName: "s"))
    var now: Int64?

    func validate() throws {
        if let now, !(0...32_503_680_000).contains(now) {
            throw ValidationError("--now takes the seconds since 1970, not \(now)")
        }
    }

    func run() throws {
        let (calendar, warning) = TimeZoneDatabase.system.machine()
        if let warning { try Self.write(Array("demo-club: \(warning)\n".utf8), to: STDERR_FILENO) }
        let club = DemoClub(now: (now ?? Int64(time(nil))) * 1000, in: calendar, seed: seed)
        switch part {
        case .athletes: try Self.write(Array(club.athleteTable().utf8))
        case .plan: try Self.write(Array(club.planTable().utf8))
        case .members: try Self.write(Array((club.planAthletes.joined(separator: ",") + "\n").utf8))
        case .races: try Self.write(club.raceFile())
        case .records: try club.writeRecords { try Self.write($0) }
        }
    }

    private static func write(_ bytes: [UInt8]) throws { try write(bytes, to: STDOUT_FILENO) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        if let code = writeAll(bytes, to: descriptor) { throw WriteFailure(code: code) }
    }
}

/// The output could not be written.
struct WriteFailure: Error, CustomStringConvertible {
    let code: Int32
    var description: String { "the output cannot be written: \(String(cString: strerror(code)))" }
}
