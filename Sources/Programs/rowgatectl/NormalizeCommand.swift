import ArgumentParser
import Contract
import Rowing
import SessionReplay

struct NormalizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "normalize",
        abstract: "Convert a recorded connection to the messages that rowgate would publish.",
        discussion: """
            Reads JSON Lines {"t_ms":0,"dir":"rx","characteristic":"0x31","hex":"..."} and writes a \
            line {"topic":"...","payload":{...}} for each message: durable records, rollups and \
            alerts among them, live samples, and the retained state, last summary and alerts. \
            Alerts have the limits of a gateway that sets none. The same recording always gives \
            the same output: the epoch is all zeros, sessions and alerts are named by number, \
            times are those of t_ms.

            Exits with 1 when some line was not a JSON object.
            """)

    private static let intervals =
        "\(MetricsSample.liveIntervalRange.lowerBound) to \(MetricsSample.liveIntervalRange.upperBound)"

    @Option(help: ArgumentHelp("The gateway, as in topics.", valueName: "slug"))
    var gateway = "recording"
    @Option(help: ArgumentHelp("The erg, as in topics.", valueName: "slug")) var erg = "1"
    @OptionGroup var topics: TopicOptions
    @Option(
        help: ArgumentHelp("Between two live samples, \(intervals).", valueName: "milliseconds"))
    var liveInterval = 500
    @Argument(help: "The recording; - for standard input.") var file = "-"

    func validate() throws {
        for (option, slug) in [("--gateway", gateway), ("--erg", erg)]
        where !Slug.isValid(slug) {
            throw ValidationError("\(option) takes 1 to 32 of a-z, 0-9 and -, not '\(slug)'")
        }
        guard MetricsSample.liveIntervalRange.contains(liveInterval) else {
            throw ValidationError("--live-interval takes \(Self.intervals), not \(liveInterval)")
        }
    }

    func run() throws {
        let settings = Normalizer.Settings(
            gateway: gateway, station: erg, below: topics.prefix, liveInterval: .milliseconds(liveInterval))
        guard let settings else { preconditionFailure("the slugs were validated") }
        var normalizer = Normalizer(settings)
        let input = try InputFile(path: file)
        var output: [UInt8] = []
        try input.forEachChunk { chunk in
            normalizer.consume(chunk, into: &output).forEach(Terminal.printError)
            try StandardOutput.write(&output)
        }
        normalizer.finish(into: &output).forEach(Terminal.printError)
        try StandardOutput.write(&output)
        if normalizer.undecodableValues > 0 {
            Terminal.printError("\(normalizer.undecodableValues) values could not be decoded")
        }
        guard normalizer.syntaxErrors == 0 else {
            Terminal.printError("see rowgatectl normalize --help for what a recording is")
            throw ExitCode(1)
        }
    }
}
