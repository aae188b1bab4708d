import ArgumentParser
import Contract
import Glibc
import LogInspection

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Read the ring log, with or without a running daemon.",
        discussion: """
            The file is read and never written. What a running rowgate has received is there within \
            a moment.
            """,
        subcommands: [
            LogInfoCommand.self, LogVerifyCommand.self, LogTailCommand.self,
            LogExportCommand.self,
        ])
}

struct LogInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Summarize the ring log.",
        discussion: """
            What is unpublished is as of the last time that rowgate stored it, up to ten seconds ago.
            """)

    @OptionGroup var ring: RingOptions
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() throws {
        let summary = try ring.read("reading") { try LogSummary(of: $0, progress: $1) }
        try StandardOutput.show(summary.lines, orJSON: json ? summary.json : nil)
    }
}

struct LogVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read all of the ring log and check it.",
        discussion: """
            Exit status: 0 when every record is right, otherwise 1. Numbers that are not there have \
            their reason as a rule (a power cut, damage) and are no failure by themselves; \
            what a subscriber has is proved by manifests.
            """)

    @OptionGroup var ring: RingOptions
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() throws {
        let verification = try ring.read("verifying") { try LogVerification(of: $0, progress: $1) }
        try StandardOutput.show(verification.lines, orJSON: json ? verification.json : nil)
        if !verification.isIntact { throw ExitCode(1) }
    }
}

struct LogTailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail", abstract: "Show the newest messages of the ring log.")

    @OptionGroup var ring: RingOptions
    @Option(
        name: [.customShort("n"), .long], help: ArgumentHelp("How many.", valueName: "number"))
    var lines = 10
    @Flag(name: .shortAndLong, help: "Follow new messages until Ctrl-C.") var follow = false
    @Flag(help: "Print the messages as JSON Lines.") var json = false
    @OptionGroup var filter: FilterOptions

    func validate() throws {
        guard (0...1_000_000).contains(lines) else {
            throw ValidationError("-n takes 0 to 1000000, not \(lines)")
        }
    }

    func run() throws {
        Interruption.catchSignals()
        var newest = try NewestRecords(lines, of: ring.open(), filter: filter.filter())
        if !json {
            Terminal.write([RecordLine.header].rendered(inColour: Terminal.hasColour))
        }
        try show(newest.messages)
        while follow, !Interruption.isRequested {
            // The daemon hands records to the kernel as they come, and nothing tells when.
            usleep(200_000)
            try show(newest.more())
        }
    }

    private func show(_ messages: [DurableMessage]) throws {
        var output: [UInt8] = []
        for message in messages {
            if json {
                output += message.payload
                output.append(UInt8(ascii: "\n"))
            } else {
                output += RecordLine.line(of: message).rendered(inColour: Terminal.hasColour).utf8
                output.append(UInt8(ascii: "\n"))
            }
        }
        try StandardOutput.write(&output)
    }
}
