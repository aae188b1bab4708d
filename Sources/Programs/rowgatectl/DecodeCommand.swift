import ArgumentParser
import SessionReplay

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Decode recorded PM5 values.",
        discussion: """
            Reads JSON Lines {"characteristic":"0x31","hex":"..."} and writes each line back with \
            "fields", or with "error". Inside 0x0080 a characteristic is written "0x80:0x31", and \
            its hex begins with the identifier; CSAFE is "0x21" (to the monitor) and "0x22" (from \
            it), whole frames or pieces in their order. Other members of a line stay as they are.

            Exits with 1 when some line was not a JSON object.
            """)

    @Argument(help: "The recording; - for standard input.")
    var file = "-"

    func run() throws {
        let input = try InputFile(path: file)
        var filter = DecodingFilter()
        var output: [UInt8] = []
        try input.forEachChunk { chunk in
            filter.consume(chunk, into: &output)
            try StandardOutput.write(&output)
        }
        let remarks = filter.finish(into: &output)
        try StandardOutput.write(&output)
        for remark in remarks { Terminal.printError(remark) }
        guard filter.syntaxErrors == 0 else {
            Terminal.printError("unreadable: \(filter.syntaxErrors); see rowgatectl decode --help")
            throw ExitCode(1)
        }
    }
}
