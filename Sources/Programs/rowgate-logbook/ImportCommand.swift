import ArgumentParser
import Bytes
import Glibc
import HostRuntime
import LogbookInspection
import LogbookStores

/// Records from a file: `rowgate-logbook import`.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Take records from a file into the store.",
        discussion: """
            The logbook is to be stopped. A line of the file is a topic and a payload, as mosquitto_sub \
            -F '%t %p' prints them, or a record, as rowgatectl log export writes it from a gateway's ring \
            and export --format jsonl from a logbook. Records are checked like those of a broker; what is \
            here already is compared, and stays. Sessions are held against their manifests at once.

            Exit status: 0 done, 1 some lines were refused or had another content, 2 it could not be \
            read or stored: what came before is stored, and the same again does no harm.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var choice: StoreChoice
    @Argument(help: "The file; - for standard input.") var file: String

    private static let patience = Duration.seconds(60)
    private static let part = 1 << 16

    func run() throws {
        var found = RecordImport()
        do {
            let descriptor = file == "-" ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Unreadable(file: file, code: errno) }
            defer { close(descriptor) }
            let store = try choice.address(place.config)
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
                try found.take(line, into: store, at: now)
            }
            done += Int64(count)
            if all > 0 { progress.tell(done, of: all) }
        }
        if let last = splitter.finish() { try found.take(last, into: store, at: now) }
        try found.finish(into: store, at: now)
    }

    private struct Unreadable: Error, CustomStringConvertible {
        let file: String
        let code: Int32
        var description: String { "\(file) cannot be read: \(String(cString: strerror(code)))" }
    }
}
