import Bytes
import TrainingFiles

/// A plan as a table for a spreadsheet (RFC 4180): a line that names the columns `day`, `workout`,
/// `machine`, `name`, `note` and `id`, and a line for each workout.
///
/// Read back in any order of columns, with commas or, as some spreadsheets write, semicolons.
package enum PlanTable {
    /// What all lines have.
    package static func bytes(of plan: TrainingPlan) -> [UInt8] {
        var lines = [PlanColumn.allCases.map(\.rawValue)]
        for workout in plan.workouts { lines.append(PlanColumn.allCases.map { workout[$0] }) }
        let rows = lines.map { cells in
            cells.map(CommaSeparatedTable.quoted).joined(separator: ",") + "\r\n"
        }
        return Array(rows.joined().utf8)
    }

    /// The workouts of a table, in its order; an id that it lacks is empty.
    package static func workouts(in bytes: [UInt8]) throws(PlanFault) -> [PlannedWorkout] {
        var reader = CellReader(try PlanText.checked(bytes))
        var lines = try reader.lines()
        // What a spreadsheet leaves below its last line.
        lines.removeAll { line in line.cells.allSatisfy(\.isEmpty) }
        guard let head = lines.first else {
            throw PlanFault("there is no line", "begin with \(example)")
        }
        let columns = try columns(in: head)
        var workouts: [PlannedWorkout] = []
        for line in lines.dropFirst() {
            workouts.append(try workout(line, columns))
        }
        return workouts
    }

    private static let example =
        PlanColumn.allCases.map(\.rawValue).joined(separator: ",")

    private static func columns(in head: CellReader.Line) throws(PlanFault) -> [PlanColumn] {
        var columns: [PlanColumn] = []
        for (index, cell) in head.cells.enumerated() {
            let place = PlanFault.Place(line: head.number, column: index + 1)
            guard let column = PlanColumn(rawValue: cell.lowercased()) else {
                throw PlanFault(
                    "there is no column \"\(cell.prefix(40))\"", "name the columns \(example)",
                    at: place)
            }
            guard !columns.contains(column) else {
                throw PlanFault(
                    "the column \(column.rawValue) is there twice", "remove one", at: place)
            }
            columns.append(column)
        }
        for column in PlanColumn.allCases where !column.isOptional && !columns.contains(column) {
            throw PlanFault(
                "there is no column \(column.rawValue)", "name the columns \(example)",
                at: PlanFault.Place(line: head.number))
        }
        return columns
    }

    private static func workout(
        _ line: CellReader.Line, _ columns: [PlanColumn]
    ) throws(PlanFault) -> PlannedWorkout {
        let place = PlanFault.Place(line: line.number)
        guard line.cells.count <= columns.count else {
            throw PlanFault(
                "there are \(line.cells.count) cells, and \(columns.count) columns",
                "put a text with a comma into quotes",
                at: PlanFault.Place(line: line.number, column: columns.count + 1))
        }
        func cell(_ column: PlanColumn) -> String {
            let index = columns.firstIndex(of: column)
            return index.flatMap { $0 < line.cells.count ? line.cells[$0] : nil } ?? ""
        }
        do throws(PlanFault) {
            return try PlannedWorkout(
                id: cell(.id), day: cell(.day), workout: cell(.workout),
                machine: cell(.machine), name: cell(.name), note: cell(.note), at: place)
        } catch {
            var fault = error
            fault.place?.column = error.column.flatMap(columns.firstIndex).map { $0 + 1 }
            throw fault
        }
    }
}

extension PlannedWorkout {
    /// What a column has.
    package subscript(column: PlanColumn) -> String {
        switch column {
        case .day: day.text
        case .workout: workout
        case .machine: machine?.rawValue ?? ""
        case .name: name
        case .note: note
        case .id: id
        }
    }
}

/// What files of plans have in common.
enum PlanText {
    /// Bytes of a file: a year of long notes has a third of it.
    static let mostBytes = 512 * 1024

    /// Without the mark that some programs put before UTF-8.
    static func checked(_ bytes: [UInt8]) throws(PlanFault) -> [UInt8] {
        guard bytes.count <= mostBytes else {
            throw PlanFault(
                "the file has \(bytes.count) bytes", "make it \(mostBytes) at most")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PlanFault("the text is not UTF-8", "save the file as UTF-8")
        }
        return Array(TextLines.withoutMark(bytes))
    }
}

/// Cuts a table into lines and cells.
private struct CellReader {
    struct Line {
        /// Of the file, where it begins.
        let number: Int
        var cells: [String]
    }

    private let bytes: [UInt8]
    private let separator: UInt8
    private var at = 0
    private var line = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let head = bytes.prefix { $0 != UInt8(ascii: "\n") }
        let hasCommas = head.contains(UInt8(ascii: ","))
        separator =
            !hasCommas && head.contains(UInt8(ascii: ";"))
            ? UInt8(ascii: ";") : UInt8(ascii: ",")
    }

    mutating func lines() throws(PlanFault) -> [Line] {
        var lines: [Line] = []
        while at < bytes.count {
            var found = Line(number: line, cells: [])
            repeat { found.cells.append(try cell(found)) } while take(separator)
            endLine()
            lines.append(found)
        }
        return lines
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    /// Ends at a line feed, at a carriage return, or at both.
    private mutating func endLine() {
        _ = take(UInt8(ascii: "\r"))
        _ = take(UInt8(ascii: "\n"))
        line += 1
    }

    private var isAtEnd: Bool {
        at >= bytes.count || bytes[at] == separator || bytes[at] == UInt8(ascii: "\n")
            || bytes[at] == UInt8(ascii: "\r")
    }

    private mutating func cell(_ found: Line) throws(PlanFault) -> String {
        guard take(UInt8(ascii: "\"")) else {
            let start = at
            while !isAtEnd { at += 1 }
            return PlanText.trimmed(String(decoding: bytes[start..<at], as: UTF8.self))
        }
        let place = PlanFault.Place(line: line, column: found.cells.count + 1)
        var text: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte != UInt8(ascii: "\"") {
                // A cell has the ends of lines that notes have.
                if byte != UInt8(ascii: "\r") { text.append(byte) }
                continue
            }
            if take(byte) {
                text.append(byte)
                continue
            }
            guard isAtEnd else { break }
            return String(decoding: text, as: UTF8.self)
        }
        throw PlanFault(
            at < bytes.count
                ? "something follows the closing quote" : "the text has no closing quote",
            "write a quote inside a text as two", at: place)
    }
}

extension PlanText {
    /// Without spaces around it.
    static func trimmed(_ text: String) -> String {
        let front = text.drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
