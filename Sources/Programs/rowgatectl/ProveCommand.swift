import ArgumentParser
import Contract
import DeliveryProof
import Glibc
import HostRuntime
import MQTTClient

struct ProveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prove",
        abstract: "Verify that every record arrived, or list the missing ones.",
        discussion: """
            Listens to a broker, or reads what somebody else received: a file with the output of \
            mosquitto_sub -F '%t %p' (or -v, or -F %j), a line each. Everything between the first \
            number that arrived and the last one that the gateway named must be there; records that \
            came again must be the same; sessions must add up to their manifests.

            It listens until Ctrl-C unless --for or --until-manifest ends it. What was named by \
            then is what has to be there, whatever is rowed since: what is on its way is waited \
            for, and --replay asks the gateway, once and at once, for what is missing.

            Exit status: 0 complete, 1 not complete, 2 nothing could be received or read.
            """)

    @OptionGroup var broker: BrokerOptions
    @Option(name: .customLong("for"), help: ArgumentHelp("Listen for this time.", valueName: "seconds"))
    var seconds: Int?
    @Flag(help: "Listen until a session ends and its manifest arrives.") var untilManifest = false
    @Flag(help: "Request a replay of missing records.") var replay = false
    @Flag(help: "Expect every stream from its first number, not from the first received one.")
    var fromStart = false
    @OptionGroup var topics: TopicOptions
    @Option(help: ArgumentHelp("Listen to this gateway only.", valueName: "id"))
    var gateway: String?
    @Flag(help: "Print JSON, for programs.") var json = false
    @Argument(help: "Received messages to check instead of listening; - for standard input.")
    var file: String?

    func validate() throws {
        if let seconds, !(1...604_800).contains(seconds) {
            throw ValidationError("--for takes 1 to 604800 seconds, not \(seconds)")
        }
        if seconds != nil, untilManifest {
            throw ValidationError("either --for or --until-manifest ends the listening, not both")
        }
        if file != nil, seconds != nil || untilManifest || replay {
            throw ValidationError("--for, --until-manifest and --replay need a broker, not a file")
        }
        if let gateway, GatewayID(gateway) == nil {
            throw ValidationError("--gateway takes a gateway's id, not '\(gateway)'")
        }
    }

    func run() throws {
        let ledger = DeliveryLedger(
            below: topics.prefix, expectsFromStart: fromStart)
        let verdict: DeliveryVerdict
        do {
            verdict = try file.map { try read($0, into: ledger) } ?? listen(ledger)
        } catch {
            let failure = (error as? BrokerFailure).map(BrokerOptions.text(of:)) ?? "\(error)"
            Terminal.printError(failure)
            throw ExitCode(2)
        }
        Terminal.show(verdict.lines, orJSON: json ? verdict.json : nil)
        throw ExitCode(verdict.isComplete ? 0 : 1)
    }

    private func read(_ file: String, into ledger: DeliveryLedger) throws -> DeliveryVerdict {
        var ledger = ledger
        var lines = MessageLines()
        try InputFile(path: file).forEachChunk { chunk in
            for message in lines.consume(chunk) {
                ledger.apply(topic: message.topic, payload: message.payload)
            }
        }
        if let last = lines.finish() { ledger.apply(topic: last.topic, payload: last.payload) }
        if lines.unreadable > 0 {
            Terminal.printError(
                "not a message: \(lines.unreadable); a line is topic, space and payload, or JSON"
            )
        }
        return ledger.verdict()
    }

    private func listen(_ ledger: DeliveryLedger) throws -> DeliveryVerdict {
        let end: ProofRun.End =
            seconds.map { .after(.seconds($0)) } ?? (untilManifest ? .manifest : .interruption)
        let listening = ProofListener(
            broker: try broker.configuration(),
            filter: topics.prefix.filter(of: gateway.flatMap { GatewayID($0) }), until: end,
            requestsReplays: replay, ledger: ledger)
        return try listening.run()
    }
}
