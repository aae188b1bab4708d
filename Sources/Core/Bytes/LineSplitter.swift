/// Cuts a stream of bytes into lines, however it arrives; line ends and a byte order mark as in `TextLines`.
package struct LineSplitter {
    /// Bytes of the longest line kept; a recorded value takes a few hundred.
    package static let maximumLength = 1 << 20

    /// A line without its end.
    package enum Line: Equatable, Sendable {
        case whole([UInt8])
        /// Longer than `maximumLength`, and thrown away.
        case tooLong

        /// Nothing but spaces.
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

    /// The lines that `bytes` complete.
    package mutating func consume(_ bytes: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            append(rest[..<end])
            lines.append(take())
            rest = rest[rest.index(after: end)...]
        }
        append(rest)
        return lines
    }

    /// Ends the stream: a last line need not have a line feed.
    package mutating func finish() -> Line? {
        isTooLong || !pending.isEmpty ? take() : nil
    }

    private mutating func append(_ bytes: some Collection<UInt8>) {
        isTooLong = isTooLong || pending.count + bytes.count > Self.maximumLength
        if isTooLong {
            pending.removeAll()
        } else {
            pending.append(contentsOf: bytes)
        }
    }

    private mutating func take() -> Line {
        defer {
            pending.removeAll(keepingCapacity: true)
            (isTooLong, isFirst) = (false, false)
        }
        if isTooLong { return .tooLong }
        return .whole(
            Array(TextLines.withoutReturn(isFirst ? TextLines.withoutMark(pending) : pending[...])))
    }
}
