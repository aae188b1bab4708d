import ArgumentParser
import Contract
import Glibc
import HostRuntime
import LogbookStores
import Timeline
import TrainingFiles

extension SessionFileFormat: ExpressibleByArgument {}

/// Sessions as a file for another program: `rowgate-logbook export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export sessions for a training program or a spreadsheet.",
        discussion: """
            Exports one session by its id, or all sessions of an athlete, an erg, a gateway or some days \
            in one file, newest first. Garmin Connect, Strava, TrainingPeaks and others read tcx and fit: \
            about one point per second with distance, pace, rate, power and heart rate, a lap for each \
            split, and the sport of the machine. A fit file contains one session. concept2 is the table \
            that Concept2's logbook exports for a season: a line for each session with a result, in the \
            club's time. Sessions of older gateways, whose records do not name the machine, count as \
            RowErg. csv contains the records of one kind in fixed columns, named in its first line; jsonl \
            contains all records as published. Missing strokes are not interpolated. The logbook may run.

            Exit status: 0, or 2 if reading or writing failed.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(
        help: "The session's id, as listed by sessions; several sessions if absent.")
    var session: String?
    @Option(help: "tcx, fit, csv, jsonl or concept2.") var format = SessionFileFormat.tcx
    @Option(help: "Kind of the records in csv: stroke, split, force, gap, rollup, alert or summary.")
    var kind = "stroke"
    @OptionGroup var chosen: SessionChoice
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file; standard output if absent.", valueName: "path"))
    var output: String?

    func validate() throws {
        guard StreamKind(topicName: kind).map({ !$0.isGatewayOnly }) == true else {
            throw ValidationError(
                "--kind takes a kind of session records, not '\(kind)'")
        }
        if session != nil, chosen.isRange {
            throw ValidationError("give either a session or --erg, --athlete, --from and --to")
        }
        if session == nil, !format.holdsSeveral {
            throw ValidationError("a \(format.rawValue) file holds one session: name it")
        }
        if output == nil, format == .fit, isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("a fit file is binary: set a file with --output")
        }
    }

    func run() throws {
        let calendar = try configurationOption.calendar(choice)
        var file = SessionFile(
            as: format, table: StreamKind(topicName: kind) ?? .stroke, local: calendar.local)
        try choice.look(configurationOption) { store in
            for name in try names(in: store, calendar) {
                try file.add { kind throws(StoreFailure) in try store.records(of: kind, in: name) }
            }
            if let session, file.count == 0 {
                throw ExportFault(
                    words: "session \(session) has no strokes and no result; nothing to export")
            }
        }
        file.finish()
        if !file.unknownMembers.isEmpty {
            let names = file.unknownMembers.sorted().joined(separator: ", ")
            StoreChoice.complain("ignored, because there is no column: \(names)")
        }
        try StoreChoice.write(file.bytes, to: output)
    }

    private func names(in store: SQLStore, _ calendar: ClubCalendar) throws -> [SessionName] {
        if let session {
            return [try NamedSession.name(session, of: chosen.gateway, in: store)]
        }
        return try store.sessions(chosen.filter(limit: Int(Int32.max), in: calendar)).map(\.name)
    }
}

/// Why there is no file.
private struct ExportFault: Error, CustomStringConvertible {
    let words: String
    var description: String { words }
}
