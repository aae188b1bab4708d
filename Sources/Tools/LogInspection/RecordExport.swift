import Bytes
import Contract

/// Messages of a ring as a file: `rowgatectl log export`.
///
/// A record at a time: what is held does not grow with the ring.
package struct RecordExport {
    /// What the file is.
    package enum Format: Equatable, Sendable {
        /// Each message as it was published, without `historical`.
        case jsonLines
        /// One kind, its members in fixed columns (RFC 4180); the points of a list share a cell.
        case commaSeparated(StreamKind)
    }

    /// Bytes gathered before they are handed on.
    private static let chunk = 1 << 16

    private let filter: RecordFilter
    private let format: Format
    private(set) var written = 0
    /// Members that this version has no column for.
    package private(set) var unknownMembers: Set<String> = []
    private var output: [UInt8] = []

    /// A file of columns holds one kind, whatever kinds the filter admits.
    package init(_ filter: RecordFilter, as format: Format) {
        var filter = filter
        if case .commaSeparated(let kind) = format { filter.kinds = [kind] }
        self.filter = filter
        self.format = format
    }

    /// Reads all of `file` and calls `write` with the bytes of the export, in order.
    package mutating func run(
        on file: LogFile, progress: (Double) -> Void, write: (inout [UInt8]) throws -> Void
    ) throws {
        var scan = try LogScan(file)
        var pace = ProgressPace()
        if case .commaSeparated(let kind) = format { append(RecordColumns.all(of: kind)) }
        while let item = try scan.next() {
            if case .entry(.message(let message), _) = item, filter.admits(message) {
                append(message)
                if output.count >= Self.chunk { try write(&output) }
            }
            if pace.isDue() { progress(scan.progress) }
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
        case .commaSeparated(let kind): append(message, columns: RecordColumns.all(of: kind))
        }
    }

    private mutating func append(_ message: DurableMessage, columns: [String]) {
        var cells = Array(repeating: "", count: columns.count)
        // A payload that is no JSON object has no cells; no version has written one.
        for member in (try? JSONObject(parsing: message.payload))?.members ?? [] {
            guard let column = columns.firstIndex(of: member.name) else {
                unknownMembers.insert(member.name)
                continue
            }
            cells[column] = member.value.cell
        }
        append(cells)
    }

    private mutating func append(_ cells: [String]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += Self.quoted(cell).utf8
        }
        output += "\r\n".utf8
    }

    private static func quoted(_ cell: String) -> String {
        let needsQuotes = cell.utf8.contains { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte < 0x20
        }
        guard needsQuotes else { return cell }
        let doubled = cell.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + doubled.joined(separator: "\"\"") + "\""
    }
}

extension JSONValue {
    /// The value as a cell of a table: numbers as written, the parts of a list apart.
    var cell: String {
        switch self {
        case .null: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let text), .text(let text): text
        case .list(let values): values.map(\.cell).joined(separator: " ")
        case .object(let object):
            object.members.map { "\($0.name)=\($0.value.cell)" }.joined(separator: " ")
        }
    }
}
