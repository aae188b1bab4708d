import ArgumentParser
import LogInspection

struct LogExportCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case jsonl, csv }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export messages of the ring log, or raw monitor values.",
        discussion: """
            jsonl writes each message as it was published; csv writes one kind in fixed columns, \
            named in its first line. --raw writes a recorded connection of one erg, as rowgatectl \
            decode and normalize read it, if [ring] raw is true in the configuration.
            """)

    @OptionGroup var ring: RingOptions
    @Option(help: "jsonl or csv; csv needs one --kind.") var format = Format.jsonl
    @Flag(help: "Raw values of one --erg or one --session.") var raw = false
    @OptionGroup var filter: FilterOptions

    func validate() throws {
        if raw {
            guard filter.kind.isEmpty, filter.athlete == nil, format == .jsonl else {
                throw ValidationError("--raw has no kinds, athletes or formats")
            }
            guard filter.erg.count == 1 || filter.erg.isEmpty && filter.session != nil else {
                throw ValidationError(
                    "--raw is a recording of one erg: name it with --erg, or one --session of it")
            }
        } else if format == .csv, filter.kind.count != 1 {
            throw ValidationError("csv has the columns of one kind: name it with --kind")
        }
    }

    func run() throws {
        try ring.read("reading", raw ? exportRaw : exportMessages)
    }

    private func exportMessages(of file: LogFile, progress: (Double) -> Void) throws {
        var shape = RecordExport.Format.jsonLines
        if format == .csv, let name = filter.kind.first {
            shape = .commaSeparated(try FilterOptions.kind(name))
        }
        var export = RecordExport(try filter.filter(), as: shape)
        try export.run(on: file, progress: progress) { try StandardOutput.write(&$0) }
        if !export.unknownMembers.isEmpty {
            let names = export.unknownMembers.sorted().joined(separator: ", ")
            Terminal.printError("without a column, and left out: \(names)")
        }
    }

    private func exportRaw(of file: LogFile, progress: (Double) -> Void) throws {
        let filter = try filter.filter()
        let ofSession = try filter.session.flatMap { try RawExport.station(of: $0, in: file) }
        guard let station = filter.ergs.first ?? ofSession else {
            Terminal.printError("the log holds nothing of session \(filter.session?.text ?? "")")
            throw ExitCode(1)
        }
        var export = RawExport(of: station, filter)
        try export.run(on: file, progress: progress) { try StandardOutput.write(&$0) }
        if export.written == 0 {
            Terminal.printError(
                "no values of \(station) there; [ring] raw = true in the configuration keeps them")
            throw ExitCode(1)
        }
    }
}
