import Contract
import TrainingFiles

/// Messages of a ring as a file: `rowgatectl log export`.
///
/// Works on one record at a time, so memory does not grow with the ring.
package struct RecordExport {
    /// The format of the file.
    package enum Format: Equatable, Sendable {
        /// Each message as published, without `historical`.
        case jsonLines
        /// One kind, its members in fixed columns (RFC 4180); the points of a list share a cell.
        case commaSeparated(StreamKind)
    }

    /// Bytes gathered before they are handed on.
    private static let chunk = 1 << 16

    private let filter: RecordFilter
    private let format: Format
    private(set) var written = 0
    private var table: CommaSeparatedTable?
    /// Members that this version has no column for.
    package var unknownMembers: Set<String> { table?.unknownMembers ?? [] }
    private var output: [UInt8] = []

    /// A file of columns holds one kind, whatever kinds the filter admits.
    package init(_ filter: RecordFilter, as format: Format) {
        var filter = filter
        if case .commaSeparated(let kind) = format {
            filter.kinds = [kind]
            table = CommaSeparatedTable(of: kind)
        }
        self.filter = filter
        self.format = format
    }

    /// Reads all of `file` and calls `write` with the bytes of the export, in order.
    package mutating func run(
        on file: LogFile, progress: (Double) -> Void, write: (inout [UInt8]) throws -> Void
    ) throws {
        var scan = try LogScan(file)
        var throttle = ProgressThrottle()
        table?.begin(&output)
        while let item = try scan.next() {
            if case .entry(.message(let message), _) = item, filter.admits(message) {
                append(message)
                if output.count >= Self.chunk { try write(&output) }
            }
            if throttle.isDue() { progress(scan.progress) }
        }
        try write(&output)
        progress(1)
    }

    private mutating func append(_ message: DurableMessage) {
        written += 1
        switch format {
        case .jsonLines:
            output += message.payload
            output.append(UInt8(ascii: "\n"))
        case .commaSeparated: table?.append(message.payload, to: &output)
        }
    }
}
