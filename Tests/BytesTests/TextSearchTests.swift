import Bytes
import TestSupport
import Testing

@Suite struct TextSearchTests {
    @Test(arguments: [
        ("a,b,,c", ",", "; ", "a; b; ; c"), ("aaaa", "aa", "b", "bb"), ("aaa", "aa", "aaa", "aaaa"),
        ("Jürgen", "ü", "ue", "Juergen"), ("nothing", "x", "y", "nothing"), ("", "x", "y", ""),
        ("x", "", "y", "x"), ("x", "x", "", ""),
    ])
    func replacesEveryPart(text: String, part: String, replacement: String, result: String) {
        // Every part is replaced once, from the left; replacements are not searched again.
        #expect(text.replacing(part, with: replacement) == result)
    }

    @Test func matchesContainsOfStandardLibrary() {
        // Seeded random texts of two letters, so that prefixes repeat; compared with a byte search of the
        // standard library.
        var random = SeededGenerator(seed: 28)
        func letters(_ most: Int) -> String {
            String(
                (0..<Int.random(in: 0...most, using: &random)).map { _ in
                    "ab".randomElement(using: &random)!
                })
        }
        for _ in 0..<500 {
            let (text, part) = (letters(16), letters(4))
            let found = part.isEmpty || Array(text.utf8).firstRange(of: part.utf8) != nil
            #expect(text.contains(part) == found, "\(part) in \(text)")
        }
    }
}
