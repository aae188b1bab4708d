import Testing

@testable import Bytes

/// Lines of files from other programs.
@Suite struct TextLinesTests {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private func split(_ text: [UInt8], pieceLength: Int) -> [String] {
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        for start in stride(from: 0, to: text.count, by: pieceLength) {
            lines += splitter.consume(text[start..<min(start + pieceLength, text.count)])
        }
        if let last = splitter.finish() { lines.append(last) }
        return lines.map { line in
            if case .whole(let bytes) = line { String(decoding: bytes, as: UTF8.self) } else { "!" }
        }
    }

    @Test(arguments: [
        ("a\nb\n", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\r\n\r\nb", ["a", "", "b"]),
        ("a\rb\r\n", ["a\rb"]), ("a\r\r\n", ["a\r"]), ("\r\n", [""]), ("", []),
    ])
    func treatsCarriageReturnAsPartOfLineEnd(_ text: String, _ expected: [String]) {
        for bytes in [Array(text.utf8), Self.mark + text.utf8] {
            for pieceLength in [1, 2, 3, 1000] {
                let found = split(bytes, pieceLength: pieceLength)
                #expect(found == (text.isEmpty && !found.isEmpty ? [""] : expected))
            }
            #expect(
                TextLines.all(in: bytes).map { String(decoding: $0, as: UTF8.self) } == expected)
        }
    }

    @Test func skipsByteOrderMarkOnlyAtBeginning() {
        let text = Self.mark + Array("a\n".utf8) + Self.mark + Array("b\n".utf8)
        #expect(split(text, pieceLength: 1) == ["a", "\u{FEFF}b"])
        let marked = Self.mark + Array("secret\r\nx".utf8)
        #expect(Array(TextLines.first(of: marked)) == Array("secret".utf8))
        #expect(Array(TextLines.first(of: Array("secret".utf8))) == Array("secret".utf8))
    }
}
