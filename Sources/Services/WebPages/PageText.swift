/// Minifies scripts and stylesheets: removes comment lines, indentation, and spaces, line ends and semicolons
/// without a meaning.
///
/// Comments and spaces are a quarter of the pages; spaces alone are 4 % after compression. A line is removed if
/// it is empty or contains only a comment. This is safe because no string in the pages spans several lines, no
/// regular expression contains a quote or a space, and no code has a comment behind it. Tests check this;
/// `Tests/Browser/test_files.py` compares the syntax tree of each script before and after.
enum PageText {
    static func minified(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return bytes }
        var isInComment = false
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let remaining = lines.compactMap { line -> ArraySlice<UInt8>? in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if !isInComment, text.starts(with: "//".utf8), name.hasSuffix(".js") { return nil }
            guard isInComment || text.starts(with: "/*".utf8) else { return text.isEmpty ? nil : text }
            isInComment = !Array(text).hasSuffix("*/")
            return nil
        }
        let text = Array(remaining.joined(separator: [UInt8(ascii: "\n")]))
        return name.hasSuffix(".js")
            ? removingSemicolons(removingSpaces(text, isNeeded: isNeededInScript))
            : removingSpaces(text, isNeeded: isNeededInStyle)
    }

    /// Removes semicolons outside of quotes before a closing brace.
    private static func removingSemicolons(_ text: [UInt8]) -> [UInt8] {
        var scanner = QuoteScanner()
        return text.indices.filter { index in
            let isQuoted = scanner.isQuoted(text[index])
            let isLast = index + 1 < text.count && text[index + 1] == UInt8(ascii: "}")
            return isQuoted || text[index] != UInt8(ascii: ";") || !isLast
        }.map { text[$0] }
    }

    /// Removes spaces outside of quotes that `isNeeded` does not need between their neighbours.
    private static func removingSpaces(
        _ text: [UInt8], isNeeded: (_ space: UInt8, _ before: UInt8, _ after: UInt8) -> Bool
    ) -> [UInt8] {
        var result: [UInt8] = []
        var scanner = QuoteScanner()
        for (index, byte) in text.enumerated() {
            let isQuoted = scanner.isQuoted(byte)
            if !isQuoted, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                let after = index + 1 < text.count ? text[index + 1] : UInt8(ascii: "\n")
                guard isNeeded(byte, result.last ?? UInt8(ascii: "\n"), after) else { continue }
            }
            result.append(byte)
        }
        return result
    }

    /// A line end may end a statement, but not next to these signs. A space separates words, and the signs of
    /// `+ +`.
    private static func isNeededInScript(_ space: UInt8, _ before: UInt8, _ after: UInt8) -> Bool {
        if space == UInt8(ascii: "\n") {
            return !";,{([".utf8.contains(before) && !"})].?:&|".utf8.contains(after)
        }
        if isWordCharacter(before), isWordCharacter(after) { return true }
        return before == after && "+-".utf8.contains(before)
    }

    /// A colon followed by a space is not part of a selector.
    private static func isNeededInStyle(_ space: UInt8, _ before: UInt8, _ after: UInt8) -> Bool {
        !"{};,:".utf8.contains(before) && !"{}".utf8.contains(after)
    }

    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "\\"), 0x80...:
            true
        default: false
        }
    }
}

/// Finds out which bytes of a script or stylesheet are within quotes.
private struct QuoteScanner {
    private var quote: UInt8?
    private var isEscaped = false

    /// Whether the next byte belongs to a string, including its quotes.
    mutating func isQuoted(_ byte: UInt8) -> Bool {
        if let open = quote {
            if byte == open, !isEscaped { quote = nil }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            return true
        }
        guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { return false }
        quote = byte
        return true
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count) == Array(text.utf8)[...]
    }
}
