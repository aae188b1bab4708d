import ArgumentParser
import Bytes
import Contract
import Glibc
import HostRuntime
import LogbookInspection
import LogbookStores

/// Imports records from a file: `rowgate-logbook import`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import records from a file into the store.",
        discussion: """
            Stop the logbook first. A line of the file is a topic and a payload, as printed by \
            mosquitto_sub -F '%t %p', or a record, as written by rowgatectl log export and by export \
            --format jsonl. Records are validated like records from the broker. Stored records are \
            compared and not replaced. Sessions are compared with their manifests.

            Exit status: 0 done, 1 some lines were refused or had different content, 2 reading or storing \
            failed: earlier lines are stored, and the import can be repeated.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Option(
        help: ArgumentHelp(
            "Prefix of the topics in the file (default: topic_prefix of the configuration).",
            valueName: "prefix"))
    var topicPrefix: String?
    @Argument(help: "The file; - for standard input.") var file: String

    private static let patience = Duration.seconds(60)
    private static let part = 1 << 16

    func validate() throws { _ = try prefix() }

    private func prefix() throws -> TopicPrefix? {
        do { return try topicPrefix.map { try TopicPrefix($0) } } catch let fault as TopicPrefix.Fault {
            throw ValidationError("--topic-prefix \(fault.reason); \(fault.remedy)")
        }
    }

    func run() throws {
        var found = RecordImport(below: try prefix() ?? configurationOption.topicPrefix)
        do {
            let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Unreadable(file: file, code: errno) }
            defer { close(descriptor) }
            let store = try choice.address(configurationOption.config)
                .openAlone("import", patience: Self.patience)
            defer { store.close() }
            try read(descriptor, into: store, &found)
        } catch {
            StoreOptions.write(found.lines)
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
        StoreOptions.write(found.lines)
        if !found.isWhole { throw ExitCode(1) }
    }

    private func read(
        _ descriptor: Int32, into store: SQLStore, _ found: inout RecordImport
    ) throws {
        let now = SystemRuntime().unixMilliseconds()
        var splitter = LineSplitter()
        var progress = Progress("bytes")
        var status = stat()
        let all = fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
        var done: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: Self.part)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw Unreadable(file: file, code: errno) }
            if count == 0 { break }
            for line in splitter.consume(buffer[..<count]) {
                try found.add(line, into: store, at: now)
            }
            done += Int64(count)
            if all > 0 { progress.report(done, of: all) }
        }
        if let last = splitter.finish() { try found.add(last, into: store, at: now) }
        try found.finish(into: store, at: now)
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let file: String
        let code: Int32
        var description: String { "\(file) cannot be read: \(String(cString: strerror(code)))" }
    }
}
