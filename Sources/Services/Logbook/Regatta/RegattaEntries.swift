import Bytes
import Contract

/// Reads entries from a table (CSV): the columns `event`, `name`, `club`, `seed`, `athlete_id` and `members`, of which
/// only `name` is required. Slashes separate the names of members. Commas or semicolons separate the cells.
enum RegattaEntries {
    struct Row: Equatable, Sendable {
        /// The name of the event; empty if the table has none.
        var event = ""
        var name = ""
        var club = ""
        var seedCentiseconds: Int64?
        var athlete: String?
        /// The members of a team or relay.
        var members: [RegattaEntry.Member] = []
    }

    static let columns = ["event", "name", "club", "seed", "athlete_id", "members"]
    static let maximumNameLength = 80

    static func rows(in text: String) throws(InterfaceFault) -> [Row] {
        let lines: [DelimitedText.Line]
        do throws(DelimitedText.Fault) {
            lines = try DelimitedText.lines(in: Array(TextLines.withoutMark(Array(text.utf8))))
        } catch { throw fault("\(error.reason): \(error.remedy)", error.line) }
        guard let head = lines.first else {
            throw fault("the table is empty: begin with the line name,club,seed", 1)
        }
        let names = head.cells.map { $0.lowercased() }
        for name in names where !columns.contains(name) {
            throw fault(
                "unknown column \"\(name.prefix(40))\": use \(columns.joined(separator: ", "))", head.number)
        }
        guard names.contains("name"), Set(names).count == names.count else {
            throw fault("each column once, and the column name, are required", head.number)
        }
        var rows: [Row] = []
        for line in lines.dropFirst() { rows.append(try row(line, names)) }
        guard !rows.isEmpty else { throw fault("the table has no entries", head.number) }
        return rows
    }

    private static func row(_ line: DelimitedText.Line, _ names: [String]) throws(InterfaceFault) -> Row {
        guard line.cells.count <= names.count else {
            throw fault("there are more cells than columns: quote a text that contains a comma", line.number)
        }
        var row = Row()
        for (name, cell) in zip(names, line.cells) {
            guard name == "members" || cell.count <= maximumNameLength else {
                throw tooLong(name, line.number)
            }
            switch name {
            case "members":
                row.members = try cell.split(separator: "/").map { part throws(InterfaceFault) in
                    let member = part.split(separator: " ").joined(separator: " ")
                    guard member.count <= maximumNameLength else {
                        throw tooLong("a name in members", line.number)
                    }
                    return RegattaEntry.Member(name: member)
                }.filter { !$0.name.isEmpty }
            case "event": row.event = cell
            case "name": row.name = cell
            case "club": row.club = cell
            case "seed" where !cell.isEmpty:
                guard let seed = seed(cell) else {
                    throw fault("\"\(cell.prefix(20))\" is not a seed time such as 6:45.3", line.number)
                }
                row.seedCentiseconds = seed
            case "athlete_id" where !cell.isEmpty:
                guard AthleteID.isValid(cell) else {
                    throw fault("\"\(cell.prefix(40))\" is not an athlete id", line.number)
                }
                row.athlete = cell
            default: break
            }
        }
        guard !row.name.isEmpty else { throw fault("the name is missing", line.number) }
        return row
    }

    /// Reads `6:45.3`, `1:02:03` or `405.3` as hundredths of a second; nil for another text.
    static func seed(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last else { return nil }
        let seconds = last.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
        guard (1...2).contains(seconds.count), let whole = number(seconds[0]) else { return nil }
        var units: Int64 = 0
        if seconds.count == 2 {
            guard (1...2).contains(seconds[1].count), let fraction = number(seconds[1]) else { return nil }
            units = seconds[1].count == 1 ? fraction * 10 : fraction
        }
        var minutes: Int64 = 0
        for part in parts.dropLast() {
            guard let value = number(part), value < 60 || part == parts[0] else { return nil }
            minutes = minutes * 60 + value
        }
        guard parts.count == 1 || whole < 60 else { return nil }
        let total = (minutes * 60 + whole) * 100 + units
        return total > 0 && total < 100 * 86_400 ? total : nil
    }

    private static func number(_ digits: Substring) -> Int64? {
        let isNumber =
            (1...6).contains(digits.utf8.count) && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int64(digits) : nil
    }

    private static func tooLong(_ what: String, _ line: Int) -> InterfaceFault {
        fault("\(what) has more than \(maximumNameLength) characters", line)
    }

    private static func fault(_ message: String, _ line: Int) -> InterfaceFault {
        InterfaceFault(400, "bad_value", "line \(line): \(message)")
    }
}
