/// Reads tables as spreadsheets save them (RFC 4180): one line for each row, cells separated by commas or by
/// semicolons.
package enum DelimitedText {
    package struct Line: Equatable, Sendable {
        /// The number of its first line in the file, from 1.
        package let number: Int
        /// Without quotes; cells without quotes also without surrounding spaces.
        package var cells: [String]
    }

    /// Why a text is not a table, with its place and a remedy.
    package struct Fault: Error, Equatable, Sendable {
        package let reason: String
        package let remedy: String
        package let line: Int
        /// The number of the cell, from 1.
        package let column: Int
    }

    /// Returns the lines that are not empty. The separator is the one of the first line.
    package static func lines(in bytes: [UInt8]) throws(Fault) -> [Line] {
        var reader = DelimitedTextReader(bytes)
        var lines = try reader.lines()
        // Spreadsheets add empty lines at the end.
        lines.removeAll { line in line.cells.allSatisfy(\.isEmpty) }
        return lines
    }
}

private struct DelimitedTextReader {
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

    mutating func lines() throws(DelimitedText.Fault) -> [DelimitedText.Line] {
        var lines: [DelimitedText.Line] = []
        while at < bytes.count {
            var found = DelimitedText.Line(number: line, cells: [])
            repeat { found.cells.append(try cell(found)) } while consume(separator)
            endLine()
            lines.append(found)
        }
        return lines
    }

    private mutating func consume(_ byte: UInt8) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    /// Accepts a line feed, a carriage return, or both.
    private mutating func endLine() {
        _ = consume(UInt8(ascii: "\r"))
        _ = consume(UInt8(ascii: "\n"))
        line += 1
    }

    private var isAtEnd: Bool {
        at >= bytes.count || bytes[at] == separator || bytes[at] == UInt8(ascii: "\n")
            || bytes[at] == UInt8(ascii: "\r")
    }

    private mutating func cell(_ found: DelimitedText.Line) throws(DelimitedText.Fault) -> String {
        guard consume(UInt8(ascii: "\"")) else {
            let start = at
            while !isAtEnd { at += 1 }
            return Self.trimmed(String(decoding: bytes[start..<at], as: UTF8.self))
        }
        let (first, column) = (line, found.cells.count + 1)
        var text: [UInt8] = []
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            if byte != UInt8(ascii: "\"") {
                // Cells use line feeds only.
                if byte != UInt8(ascii: "\r") { text.append(byte) }
                continue
            }
            if consume(byte) {
                text.append(byte)
                continue
            }
            guard isAtEnd else { break }
            return String(decoding: text, as: UTF8.self)
        }
        throw DelimitedText.Fault(
            reason: at < bytes.count
                ? "text follows the closing quote" : "the text has no closing quote",
            remedy: "write a quote within a text as two quotes", line: first, column: column)
    }

    /// Removes surrounding spaces and tabs.
    private static func trimmed(_ text: String) -> String {
        let front = text.drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
