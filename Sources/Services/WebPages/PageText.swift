/// What a browser gets of a script or a stylesheet: the lines that are no comment.
///
/// Comments are for who reads the sources, and a seventh of what pages weigh. A line goes if it holds a
/// comment and nothing else; every other line stays as it is. No page has text over several lines in
/// quotes, in which a line could look like a comment.
enum PageText {
    static func served(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        guard name.hasSuffix(".js") || name.hasSuffix(".css") else { return bytes }
        var isWithin = false
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let kept = lines.filter { line in
            let text = line.drop { $0 == UInt8(ascii: " ") }
            if !isWithin, text.starts(with: "//".utf8), name.hasSuffix(".js") { return false }
            guard isWithin || text.starts(with: "/*".utf8) else { return true }
            isWithin = !Array(text).hasSuffix("*/")
            return false
        }
        return Array(kept.joined(separator: [UInt8(ascii: "\n")]))
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ text: String) -> Bool {
        suffix(text.utf8.count) == Array(text.utf8)[...]
    }
}
