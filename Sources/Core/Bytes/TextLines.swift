/// Lines of text files that people's programs wrote: a line ends with a line feed, before which a carriage
/// return may stand, and a UTF-8 byte order mark may stand before the first one.
package enum TextLines {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// A text without a byte order mark at its beginning.
    package static func withoutMark(_ text: [UInt8]) -> ArraySlice<UInt8> {
        text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text[...]
    }

    /// A line without the carriage return at its end.
    package static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// The lines of a whole text without their ends, empty ones included; none behind the last line feed.
    package static func all(in text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = withoutMark(text)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map(withoutReturn)
    }

    /// The first line without its end; empty for an empty text. A carriage return alone ends it too.
    package static func first(of text: [UInt8]) -> ArraySlice<UInt8> {
        withoutMark(text).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }
}
