import Bytes
import Contract

/// Records of one kind as a table for a spreadsheet (RFC 4180). Each member has a fixed column; the points
/// of a list share one cell.
package struct CommaSeparatedTable: Sendable {
    private let columns: [String]
    /// Members for which this version has no column.
    package private(set) var unknownMembers: Set<String> = []

    package init(of kind: StreamKind) { columns = RecordColumns.all(of: kind) }

    /// Appends the header line.
    package func begin(_ output: inout [UInt8]) { Self.append(columns, to: &output) }

    /// Appends a stored record. A record that is not a JSON object becomes an empty line; no version writes
    /// such records.
    package mutating func append(_ stored: [UInt8], to output: inout [UInt8]) {
        var cells = Array(repeating: "", count: columns.count)
        for member in (try? JSONObject(parsing: stored))?.members ?? [] {
            guard let column = columns.firstIndex(of: member.name) else {
                unknownMembers.insert(member.name)
                continue
            }
            cells[column] = member.value.cell
        }
        Self.append(cells, to: &output)
    }

    /// Appends a line of cells.
    package static func append(_ cells: [String], to output: inout [UInt8]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += quoted(cell).utf8
        }
        output += "\r\n".utf8
    }

    /// Quotes a cell if needed. A cell with a semicolon is quoted too, since some spreadsheets split at it.
    package static func quoted(_ cell: String) -> String {
        let needsQuotes = cell.utf8.contains { byte in
            byte < 0x20 || ",;\"".utf8.contains(byte)
        }
        guard needsQuotes else { return cell }
        let doubled = cell.split(separator: "\"", omittingEmptySubsequences: false)
        return "\"" + doubled.joined(separator: "\"\"") + "\""
    }
}

extension JSONValue {
    /// The value as a table cell: numbers as written, list elements separated by spaces.
    package var cell: String {
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
