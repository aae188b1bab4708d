/// What a browser gets of a script or a stylesheet: the lines that are no comment, without the spaces that
/// nobody needs but who reads the sources.
///
/// Comments and spaces are a quarter of what pages weigh; compressed, spaces alone are 4 %. A line goes if it
/// is empty, or holds a comment and nothing else. No page has text over several lines in quotes, in which a
/// line could look like a comment, and no regular expression of one has a quote or a space in it: tests hold
/// both (`Tests/Browser/test_files.py` parses each script before and after).
enum PageText {
    static func served(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return bytes }
        var isWithin = false
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let kept = lines.compactMap { line -> ArraySlice<UInt8>? in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if !isWithin, text.starts(with: "//".utf8), name.hasSuffix(".js") { return nil }
            guard isWithin || text.starts(with: "/*".utf8) else { return text.isEmpty ? nil : text }
            isWithin = !Array(text).hasSuffix("*/")
            return nil
        }
        let text = Array(kept.joined(separator: [UInt8(ascii: "\n")]))
        return packed(text, isNeeded: name.hasSuffix(".js") ? isNeededInScript : isNeededInStyle)
    }

    /// Without the spaces that are not needed between what stands before and behind them; quotes stay.
    private static func packed(
        _ text: [UInt8], isNeeded: (_ space: UInt8, _ before: UInt8, _ behind: UInt8) -> Bool
    ) -> [UInt8] {
        var packed: [UInt8] = []
        var quote: UInt8?
        var isEscaped = false
        for (index, byte) in text.enumerated() {
            if let open = quote {
                if byte == open, !isEscaped { quote = nil }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                let behind = index + 1 < text.count ? text[index + 1] : UInt8(ascii: "\n")
                guard isNeeded(byte, packed.last ?? UInt8(ascii: "\n"), behind) else { continue }
            }
            packed.append(byte)
        }
        return packed
    }

    /// A line may end a statement; a space stands between words, or keeps `+ +` from being one sign.
    private static func isNeededInScript(_ space: UInt8, _ before: UInt8, _ behind: UInt8) -> Bool {
        if space == UInt8(ascii: "\n") { return true }
        if isOfWord(before), isOfWord(behind) { return true }
        return before == behind && "+-".utf8.contains(before)
    }

    /// A colon with a space behind it is none of a selector.
    private static func isNeededInStyle(_ space: UInt8, _ before: UInt8, _ behind: UInt8) -> Bool {
        !"{};,:".utf8.contains(before) && !"{}".utf8.contains(behind)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
            UInt8(ascii: "\\"), 0x80...:
            true
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count) == Array(text.utf8)[...]
    }
}
