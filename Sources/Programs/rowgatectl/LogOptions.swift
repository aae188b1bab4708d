import ArgumentParser
import Contract
import HostRuntime
import LogInspection
import Rowing

/// The ring file to read.
struct RingOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The ring log's file.", valueName: "path"))
    var ring = "/var/lib/rowgate/ring.log"

    func open() throws -> LogFile { try LogFile(path: ring) }

    /// Reads the file with `body`, which reports its progress.
    func read<Outcome>(
        _ verb: String, _ body: (LogFile, _ progress: (Double) -> Void) throws -> Outcome
    ) throws -> Outcome {
        let file = try open()
        var progress = ProgressLine("\(verb) \(file.path)")
        defer { progress.clear() }
        return try body(file) { progress.show($0) }
    }
}

/// The filter for messages.
struct FilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only this erg; may be given several times.", valueName: "slug"))
    var erg: [String] = []
    @Option(help: ArgumentHelp("Only the session of this id.", valueName: "ulid"))
    var session: String?
    @Option(help: ArgumentHelp("Only records that name this athlete.", valueName: "id"))
    var athlete: String?
    @Option(help: ArgumentHelp("Only \(Self.kindNames); may be repeated.", valueName: "kind"))
    var kind: [String] = []
    @Option(help: ArgumentHelp("From then on: \(TimeSelector.syntax).", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Before then.", valueName: "time"))
    var until: String?

    static let kindNames = StreamKind.allCases.map(\.topicName).joined(separator: ", ")

    func validate() throws { _ = try filter() }

    func filter() throws -> RecordFilter {
        var filter = RecordFilter()
        filter.ergs = Set(try erg.map(Self.station))
        filter.kinds = Set(try kind.map(Self.kind))
        filter.session = session.map(SessionID.init)
        filter.athlete = athlete
        filter.since = try since.map { try Self.time($0, "--since") }
        filter.until = try until.map { try Self.time($0, "--until") }
        return filter
    }

    private static func station(_ slug: String) throws -> StationID {
        guard let station = StationID(slug) else {
            throw ValidationError("--erg takes 1 to 32 of a-z, 0-9 and -, not '\(slug)'")
        }
        return station
    }

    static func kind(_ name: String) throws -> StreamKind {
        guard let kind = StreamKind.allCases.first(where: { $0.topicName == name }) else {
            throw ValidationError("--kind takes \(kindNames), not '\(name)'")
        }
        return kind
    }

    private static func time(_ text: String, _ option: String) throws -> Int64 {
        guard let time = TimeSelector(parsing: text, now: SystemClock.unixMilliseconds()) else {
            throw ValidationError("\(option) takes \(TimeSelector.syntax), not '\(text)'")
        }
        return time.unixMilliseconds
    }
}
