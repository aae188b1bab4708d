import Bytes
import Contract

/// Records of one kind as a table for a spreadsheet (RFC 4180): their members in fixed columns, the
/// points of a list in one cell.
package struct CommaSeparatedTable: Sendable {
    private let columns: [String]
    /// Members that this version has no column for.
    package private(set) var unknownMembers: Set<String> = []

    package init(of kind: StreamKind) { columns = RecordColumns.all(of: kind) }

    /// Adds the line that names the columns.
    package func begin(_ output: inout [UInt8]) { Self.append(columns, to: &output) }

    /// Adds a record in its stored form. What is no JSON object has no cells; no version has written it.
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

    /// Adds a line of these cells.
    package static func append(_ cells: [String], to output: inout [UInt8]) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output += quoted(cell).utf8
        }
        output += "\r\n".utf8
    }

    /// In quotes where it has to be; also with a semicolon in it, which some spreadsheets part cells at.
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
    /// The value as a cell of a table: numbers as written, the parts of a list apart.
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
