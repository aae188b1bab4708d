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
