import Bytes
import TestSupport
import Testing

@Suite struct ByteSearchTests {
    @Test func matchesSearchOfStandardLibrary() {
        // Seeded random bytes of two letters, so that prefixes repeat; compared with the standard library.
        var random = SeededGenerator(seed: 15)
        for _ in 0..<2000 {
            let letters = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                UInt8.random(in: 97...98, using: &random)
            }
            let text = String(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    Bool.random(using: &random) ? "a" : "b"
                } as [Character])
            #expect(
                letters.range(of: text) == letters.firstRange(of: text.utf8),
                "\(text) in \(letters)")
        }
    }
}
