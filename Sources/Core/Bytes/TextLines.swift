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

/// Splits a stream of bytes into lines, with line ends and byte order mark as in `TextLines`.
package struct LineSplitter {
    /// The maximum length of a line in bytes; a recorded value has a few hundred.
    package static let maximumLength = 1 << 20

    /// A line without its end.
    package enum Line: Equatable, Sendable {
        case whole([UInt8])
        /// Longer than `maximumLength`, and discarded.
        case tooLong

        /// Whether the line is empty or contains only spaces.
        package var isBlank: Bool {
            switch self {
            case .whole(let bytes): bytes.allSatisfy { $0 == 0x20 }
            case .tooLong: false
            }
        }
    }

    private var pending: [UInt8] = []
    private var isTooLong = false
    private var isFirst = true

    package init() {}

    /// Returns the lines that `bytes` complete.
    package mutating func consume(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            lines.append(finishLine())
            rest = rest[rest.index(after: end)...]
        }
        append(rest)
        return lines
    }

    /// Ends the stream. Returns the last line if it has no line feed.
    package mutating func finish() -> Line? {
        isTooLong || !pending.isEmpty ? finishLine() : nil
    }

    private mutating func append(_ bytes: some Collection<UInt8>) {
        isTooLong = isTooLong || pending.count + bytes.count > Self.maximumLength
        if isTooLong {
            pending.removeAll()
        } else {
            pending.append(contentsOf: bytes)
        }
    }

    private mutating func finishLine() -> Line {
        defer {
            pending.removeAll(keepingCapacity: true)
            (isTooLong, isFirst) = (false, false)
        }
        if isTooLong { return .tooLong }
        return .whole(
            Array(TextLines.withoutReturn(isFirst ? TextLines.withoutMark(pending) : pending[...])))
    }
}

/// Byte-wise search in text.
///
/// Swift's own search would link its parser of regular expressions, a megabyte in each program. No target
/// imports that (`withoutExpressions` in Package.swift).
extension StringProtocol {
    /// Whether the text contains `part`; always true for an empty `part`.
    package func contains(_ part: String) -> Bool {
        Array(utf8).range(of: part) != nil
    }

    /// Returns the text with every `part` replaced; unchanged if `part` is empty.
    package func replacing(_ part: String, with replacement: some StringProtocol) -> String {
        guard !part.isEmpty else { return String(self) }
        var rest = Array(utf8)
        var bytes: [UInt8] = []
        while let found = rest.range(of: part) {
            bytes += rest[..<found.lowerBound]
            bytes += replacement.utf8
            rest.removeFirst(found.upperBound)
        }
        return String(decoding: bytes + rest, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Returns the first range of the bytes of `text`.
    ///
    /// The search of the standard library is generic: unspecialized, it looks up types for every byte.
    package func range(of text: String) -> Range<Int>? {
        var text = text
        return text.withUTF8 { wanted in
            withUnsafeBufferPointer { bytes in
                guard let first = wanted.first else { return 0..<0 }
                var start = 0
                while start + wanted.count <= bytes.count {
                    if bytes[start] == first,
                        (1..<wanted.count).allSatisfy({ bytes[start + $0] == wanted[$0] })
                    {
                        return start..<start + wanted.count
                    }
                    start += 1
                }
                return nil
            }
        }
    }
}
