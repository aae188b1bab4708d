import Bytes

/// Athletes as a table for a spreadsheet (RFC 4180). The first line names the columns: the fields of
/// `AthleteField`, and `groups`. Each other line is an athlete.
///
/// The reader accepts any order of columns, commas or semicolons, and requires only the column `name`.
package enum RosterTable {
    /// An athlete with the names of the groups; nil if the table has no column for them.
    package struct Entry: Equatable, Sendable {
        package var profile: AthleteProfile
        package var groups: [String]?

        package init(_ profile: AthleteProfile, groups: [String]?) {
            (self.profile, self.groups) = (profile, groups)
        }
    }

    /// The column with the names of the groups, separated by semicolons.
    private static let groupColumn = "groups"
    private static let columnNames = AthleteField.allCases.map(\.rawValue) + [groupColumn]
    /// A table of 2,000 athletes with long notes is smaller.
    private static let maximumBytes = 1 << 20

    /// The rows of a table: the header, then one row of cells for each athlete.
    package static func rows(of entries: [Entry]) -> [[String]] {
        [columnNames]
            + entries.map { entry in
                AthleteField.allCases.map { safe(entry.profile[$0]) }
                    + [safe((entry.groups ?? []).joined(separator: "; "))]
            }
    }

    /// Reads a table. An athlete without an id gets a new one.
    ///
    /// - Parameter isUsed: whether an athlete has this id already.
    package static func entries(
        in bytes: [UInt8], isUsed: (String) -> Bool
    ) throws(PeopleFault) -> [Entry] {
        guard bytes.count <= maximumBytes else {
            throw PeopleFault("the file has \(bytes.count) bytes", "use at most \(maximumBytes)")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PeopleFault("the text is not UTF-8", "save the file as CSV UTF-8")
        }
        let lines: [DelimitedText.Line]
        do throws(DelimitedText.Fault) {
            lines = try DelimitedText.lines(in: Array(TextLines.withoutMark(bytes)))
        } catch {
            throw PeopleFault(error.reason, error.remedy, line: error.line)
        }
        guard let head = lines.first else {
            throw PeopleFault(
                "the file is empty", "begin with the header \(columnNames.joined(separator: ","))")
        }
        let columns = try columns(in: head)
        var usedIDs: Set<String> = []
        var entries: [Entry] = []
        for line in lines.dropFirst() {
            let entry = try entry(line, columns) { id in usedIDs.contains(id) || isUsed(id) }
            guard usedIDs.insert(entry.profile.id).inserted else {
                throw PeopleFault(
                    "two lines have the id \(entry.profile.id)", "change or remove one",
                    field: AthleteField.id.rawValue, line: line.number)
            }
            entries.append(entry)
        }
        return entries
    }

    private static func columns(in head: DelimitedText.Line) throws(PeopleFault) -> [String] {
        let columns = head.cells.map { $0.lowercased() }
        for (index, column) in columns.enumerated() {
            guard columnNames.contains(column) else {
                throw PeopleFault(
                    "unknown column \"\(column.prefix(40))\"",
                    "use the columns \(columnNames.joined(separator: ","))", line: head.number)
            }
            guard columns.firstIndex(of: column) == index else {
                throw PeopleFault("the column \(column) appears twice", "remove one", line: head.number)
            }
        }
        guard columns.contains(AthleteField.name.rawValue) else {
            throw PeopleFault(
                "the column name is missing",
                "begin with a line such as name,birth_year,groups", line: head.number)
        }
        return columns
    }

    private static func entry(
        _ line: DelimitedText.Line, _ columns: [String], isUsed: (String) -> Bool
    ) throws(PeopleFault) -> Entry {
        guard line.cells.count <= columns.count else {
            throw PeopleFault(
                "there are \(line.cells.count) cells but \(columns.count) columns",
                "quote a text that contains a comma", line: line.number)
        }
        func cell(_ column: String) -> String? {
            columns.firstIndex(of: column).map { $0 < line.cells.count ? read(line.cells[$0]) : "" }
        }
        let id = cell(AthleteField.id.rawValue) ?? ""
        let newID = id.isEmpty ? AthleteNaming.id(for: cell("name") ?? "", isUsed: isUsed) : id
        do throws(PeopleFault) {
            let profile = try AthleteProfile(id: newID) { cell($0.rawValue) ?? "" }
            let groups = cell(groupColumn)?.split(separator: ";").map { PeopleText.trimmed(String($0)) }
            return Entry(profile, groups: groups?.filter { !$0.isEmpty })
        } catch {
            var fault = error
            fault.line = line.number
            throw fault
        }
    }

    // MARK: Formulas

    private static let formulaCharacters = "=+-@\t"

    /// A spreadsheet runs a cell that begins like a formula. An apostrophe before it makes it a text.
    package static func safe(_ cell: String) -> String {
        cell.first.map(formulaCharacters.contains) == true ? "'" + cell : cell
    }

    private static func read(_ cell: String) -> String {
        guard cell.first == "'", let second = cell.dropFirst().first, formulaCharacters.contains(second)
        else {
            return cell
        }
        return String(cell.dropFirst())
    }
}
