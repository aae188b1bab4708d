/// Columns that line up, two spaces apart.
package struct TextTable {
    /// Words to the left, numbers to the right.
    package enum Alignment: Sendable { case leading, trailing }

    private let columns: [(title: String, alignment: Alignment)]
    private var rows: [[StyledLine]] = []

    package init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

    /// Adds a row; nil shows as "-".
    package mutating func add(_ cells: [StyledLine?]) {
        precondition(cells.count == columns.count, "a row has a cell for each column")
        rows.append(cells.map { $0 ?? StyledLine("-", .faint) })
    }

    /// The header and the rows.
    package var lines: [StyledLine] {
        let header = columns.map { StyledLine($0.title, .heading) }
        let all = [header] + rows
        let widths = columns.indices.map { column in all.map { $0[column].width }.max() ?? 0 }
        return all.map { row in
            columns.indices.reduce(StyledLine()) { line, column in
                let gap = StyledLine(column == 0 ? "" : "  ")
                return line + gap
                    + row[column].padded(to: widths[column], columns[column].alignment)
            }
        }
    }
}

extension String {
    /// With as many spaces behind or before it as make it that wide.
    package func padded(to width: Int, _ alignment: TextTable.Alignment = .leading) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return alignment == .leading ? self + space : space + self
    }
}

extension StyledLine {
    fileprivate func padded(to width: Int, _ alignment: TextTable.Alignment) -> StyledLine {
        let space = StyledLine("".padded(to: width - self.width))
        return alignment == .leading ? self + space : space + self
    }
}
