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
        abstract: "Write sessions for a training program or a spreadsheet.",
        discussion: """
            One session by its id; or all of an athlete, an erg, a gateway or of some days in one file, \
            the newest first. tcx and fit are what Garmin Connect, Strava, TrainingPeaks and others \
            read: a point about each second with distance, pace, rate, power and heart rate, a lap for \
            each split, and the sport of the machine; a fit file holds one session. concept2 is the \
            table that Concept2's logbook exports for a season, a line for each session that has a \
            result, in the club's time. A session of an older gateway, whose records do not name the \
            machine, counts as a RowErg. csv writes the records of one kind in fixed columns, named in \
            its first line; jsonl every record as it was published. No points are made up for strokes \
            that are missing. The logbook may run meanwhile.

            Exit status: 0, or 2 when nothing could be read or written.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(
        help: "The session's id, as rowgate-logbook sessions shows it; several sessions if absent.")
    var session: String?
    @Option(help: "tcx, fit, csv, jsonl or concept2.") var format = SessionFileFormat.tcx
    @Option(help: "What csv has a line for: stroke, split, force, gap, rollup, alert or summary.")
    var kind = "stroke"
    @OptionGroup var chosen: SessionChoice
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file, in place of standard output.", valueName: "path"))
    var output: String?

    func validate() throws {
        guard StreamKind(topicName: kind).map({ !$0.isOfGatewayAlone }) == true else {
            throw ValidationError(
                "--kind takes a kind of records that a session has, not '\(kind)'")
        }
        if session != nil, chosen.isRange {
            throw ValidationError("name a session, or choose by --erg, --athlete, --from and --to")
        }
        if session == nil, !format.holdsSeveral {
            throw ValidationError("a \(format.rawValue) file holds one session: name it")
        }
        if output == nil, format == .fit, isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("a fit file is no text for a terminal: name a file with --output")
        }
    }

    func run() throws {
        let calendar = try place.calendar(choice)
        var file = SessionFile(
            as: format, table: StreamKind(topicName: kind) ?? .stroke, local: calendar.local)
        try choice.look(place) { store in
            for name in try names(in: store, calendar) {
                try file.add { kind throws(StoreFailure) in try store.records(of: kind, in: name) }
            }
            if let session, file.count == 0 {
                throw ExportFault(
                    words: "session \(session) has no stroke and no result; nothing to export")
            }
        }
        file.finish()
        if !file.unknownMembers.isEmpty {
            let names = file.unknownMembers.sorted().joined(separator: ", ")
            StoreChoice.complain("without a column, and left out: \(names)")
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
