/// Cuts a stream of bytes into lines, however it arrives.
package struct LineSplitter {
    /// Bytes of the longest line kept; a recorded value takes a few hundred.
    package static let maximumLength = 1 << 20

    /// A line without its line feed.
    package enum Line: Equatable, Sendable {
        case whole([UInt8])
        /// Longer than `maximumLength`, and thrown away.
        case tooLong

        /// Nothing, but for spaces and a carriage return.
        package var isBlank: Bool {
            switch self {
            case .whole(let bytes): bytes.allSatisfy { $0 == 0x20 || $0 == 0x0D }
            case .tooLong: false
            }
        }
    }

    private var pending: [UInt8] = []
    private var isTooLong = false

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
            isTooLong = false
        }
        return isTooLong ? .tooLong : .whole(pending)
    }
}
