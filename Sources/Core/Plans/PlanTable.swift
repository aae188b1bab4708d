import Bytes
import TrainingFiles

/// A plan as a table for a spreadsheet (RFC 4180). The first line names the columns `day`, `workout`,
/// `machine`, `name`, `note`, `id` and `shown_from`; each other line is a workout. Of a hidden workout, only the
/// day, the id and the time are there, so that the table cannot be imported.
///
/// The reader accepts any order of columns, and commas or semicolons.
package enum PlanTable {
    /// The whole table.
    package static func bytes(of plan: TrainingPlan) -> [UInt8] {
        var lines = [PlanColumn.allCases.map(\.rawValue)]
        for workout in plan.workouts { lines.append(PlanColumn.allCases.map { workout[$0] }) }
        let rows = lines.map { cells in
            cells.map(CommaSeparatedTable.quoted).joined(separator: ",") + "\r\n"
        }
        return Array(rows.joined().utf8)
    }

    /// The workouts of a table, in its order; a missing id is empty.
    package static func workouts(in bytes: [UInt8]) throws(PlanFault) -> [PlannedWorkout] {
        let lines = try Self.lines(in: try PlanText.checked(bytes))
        guard let head = lines.first else {
            throw PlanFault("the file is empty", "begin with the header \(example)")
        }
        let columns = try columns(in: head)
        var workouts: [PlannedWorkout] = []
        for line in lines.dropFirst() {
            workouts.append(try workout(line, columns))
        }
        return workouts
    }

    private static func lines(in bytes: [UInt8]) throws(PlanFault) -> [DelimitedText.Line] {
        do throws(DelimitedText.Fault) { return try DelimitedText.lines(in: bytes) } catch {
            throw PlanFault(
                error.reason, error.remedy,
                at: PlanFault.FilePosition(line: error.line, column: error.column))
        }
    }

    private static let example =
        PlanColumn.allCases.map(\.rawValue).joined(separator: ",")

    private static func columns(in head: DelimitedText.Line) throws(PlanFault) -> [PlanColumn] {
        var columns: [PlanColumn] = []
        for (index, cell) in head.cells.enumerated() {
            let filePosition = PlanFault.FilePosition(line: head.number, column: index + 1)
            guard let column = PlanColumn(rawValue: cell.lowercased()) else {
                throw PlanFault(
                    "unknown column \"\(cell.prefix(40))\"", "use the columns \(example)",
                    at: filePosition)
            }
            guard !columns.contains(column) else {
                throw PlanFault(
                    "the column \(column.rawValue) appears twice", "remove one", at: filePosition)
            }
            columns.append(column)
        }
        for column in PlanColumn.allCases where !column.isOptional && !columns.contains(column) {
            throw PlanFault(
                "the column \(column.rawValue) is missing", "use the columns \(example)",
                at: PlanFault.FilePosition(line: head.number))
        }
        return columns
    }

    private static func workout(
        _ line: DelimitedText.Line, _ columns: [PlanColumn]
    ) throws(PlanFault) -> PlannedWorkout {
        let filePosition = PlanFault.FilePosition(line: line.number)
        guard line.cells.count <= columns.count else {
            throw PlanFault(
                "there are \(line.cells.count) cells but \(columns.count) columns",
                "quote a text that contains a comma",
                at: PlanFault.FilePosition(line: line.number, column: columns.count + 1))
        }
        func cell(_ column: PlanColumn) -> String {
            let index = columns.firstIndex(of: column)
            return index.flatMap { $0 < line.cells.count ? line.cells[$0] : nil } ?? ""
        }
        do throws(PlanFault) {
            return try PlannedWorkout(
                id: cell(.id), day: cell(.day), workout: cell(.workout),
                machine: cell(.machine), name: cell(.name), note: cell(.note),
                shownFrom: cell(.shownFrom), at: filePosition)
        } catch {
            var fault = error
            fault.filePosition?.column = error.column.flatMap(columns.firstIndex).map { $0 + 1 }
            throw fault
        }
    }
}

extension PlannedWorkout {
    /// The cell of a column.
    package subscript(column: PlanColumn) -> String {
        switch column {
        case .day: day.text
        case .workout: workout
        case .machine: machine?.rawValue ?? ""
        case .name: name
        case .note: note
        case .id: id
        case .shownFrom: revealTime?.text ?? ""
        }
    }
}

/// Helpers for plan files.
enum PlanText {
    /// Maximum size of a file in bytes; a year of long notes takes a third of it.
    static let mostBytes = 512 * 1024

    /// Checks size and encoding, and removes a byte order mark.
    static func checked(_ bytes: [UInt8]) throws(PlanFault) -> [UInt8] {
        guard bytes.count <= mostBytes else {
            throw PlanFault(
                "the file has \(bytes.count) bytes", "use at most \(mostBytes)")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PlanFault("the text is not UTF-8", "save the file as UTF-8")
        }
        return Array(TextLines.withoutMark(bytes))
    }

    /// Removes surrounding spaces and tabs.
    static func trimmed(_ text: String) -> String {
        let front = text.drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
