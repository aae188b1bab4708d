/// Lines of text files from any program. A line ends with a line feed and optionally a carriage return
/// before it; the first line may begin with a UTF-8 byte order mark.
package enum TextLines {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the text without a leading byte order mark.
    package static func withoutMark(_ text: [UInt8]) -> ArraySlice<UInt8> {
        text.starts(with: byteOrderMark) ? text.dropFirst(byteOrderMark.count) : text[...]
    }

    /// Returns the line without a trailing carriage return.
    package static func withoutReturn(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// Returns the lines of a whole text without their ends, including empty ones, but none after the last
    /// line feed.
    package static func all(in text: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines = withoutMark(text)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map(withoutReturn)
    }

    /// Returns the first line without its end; empty for an empty text. A single carriage return also ends
    /// it.
    package static func first(of text: [UInt8]) -> ArraySlice<UInt8> {
        withoutMark(text).prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }
}
