import QRCodes
import Testing

@Suite struct QRCodeTests {
    @Test func hasTheFinderPatterns() throws {
        let code = try #require(QRCode("http://boathouse:8080/e/boathouse/erg-3"))
        #expect(code.size == 29)
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let ring = max(abs(x - 3), abs(y - 3))
                    #expect(code.isDark(left + x, top + y) == (ring != 2), "\(left + x) \(top + y)")
                }
            }
        }
        #expect(!code.isDark(-1, 0) && !code.isDark(0, code.size))
    }

    /// Draws the path again and compares all modules.
    @Test func pathDrawsEachDarkModule() throws {
        let code = try #require(QRCode("http://boathouse:8080/invitation#k7m2-9xqd-4t8w-hz3c-6vnp"))
        var dark: Set<[Int]> = []
        for part in code.path.split(separator: "M") {
            let match = try #require(part.wholeMatch(of: /(\d+) (\d+)h(\d+)v1h-(\d+)z/))
            let (x, y, width) = (try number(match.1), try number(match.2), try number(match.3))
            #expect(try number(match.4) == width)
            for one in x..<x + width { dark.insert([one - 4, y - 4]) }
        }
        let expected = (0..<code.size).flatMap { y in
            (0..<code.size).filter { code.isDark($0, y) }.map { [$0, y] }
        }
        #expect(dark == Set(expected))
    }

    private func number(_ text: Substring) throws -> Int { try #require(Int(text)) }

    @Test func linesOfATerminalHaveTheQuietZone() throws {
        let code = try #require(QRCode("a"))
        let width = code.size + 8
        #expect(code.lines.count == (width + 1) / 2)
        #expect(code.lines.allSatisfy { $0.count == width })
        #expect(code.lines.prefix(2).allSatisfy { $0.allSatisfy { $0 == "\u{2588}" } })
    }

    @Test func refusesTextsThatDoNotFit() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "x", count: 2000)) != nil)
        #expect(QRCode(String(repeating: "x", count: 4000)) == nil)
    }
}
