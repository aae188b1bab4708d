import ArgumentParser
import Contract
import Glibc
import LogbookStores
import TrainingFiles

extension SessionFileFormat: ExpressibleByArgument {}

/// A session as a file for another program: `rowgate-logbook export`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a session for a training program or a spreadsheet.",
        discussion: """
            tcx and fit are what Garmin Connect, Strava, TrainingPeaks and others take: strokes with \
            distance, pace, rate, power and heart rate, a lap for each split. csv writes the records \
            of one kind in fixed columns, named in its first line; jsonl every record as it was \
            published. Nothing is made up for strokes that are missing. The logbook may run meanwhile.

            Exit status: 0, or 2 when nothing could be read or written.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(help: "The session's id, as rowgate-logbook sessions shows it.") var session: String
    @Option(help: "tcx, fit, csv or jsonl.") var format = SessionFileFormat.tcx
    @Option(help: "What csv has a line for: stroke, split, force, gap, rollup, alert or summary.")
    var kind = "stroke"
    @OptionGroup var named: NamedSession
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file, in place of standard output.", valueName: "path"))
    var output: String?

    func validate() throws {
        guard StreamKind(topicName: kind).map({ !$0.isOfGatewayAlone }) == true else {
            throw ValidationError(
                "--kind takes a kind of records that a session has, not '\(kind)'")
        }
        if output == nil, format == .fit, isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("a fit file is no text for a terminal: name a file with --output")
        }
    }

    func run() throws {
        let file = try choice.look(place) { store in
            let name = try named.name(session, in: store)
            let file = try SessionFile(as: format, table: StreamKind(topicName: kind) ?? .stroke) {
                kind throws(StoreFailure) in try store.records(of: kind, in: name)
            }
            guard let file else {
                throw ExportFault(
                    words: "session \(session) has no stroke and no result; nothing to export")
            }
            return file
        }
        if !file.unknownMembers.isEmpty {
            let names = file.unknownMembers.sorted().joined(separator: ", ")
            StoreChoice.complain("without a column, and left out: \(names)")
        }
        try StoreChoice.write(file.bytes, to: output)
    }
}

/// Why there is no file.
private struct ExportFault: Error, CustomStringConvertible {
    let words: String
    var description: String { words }
}
