import Bytes
import Contract
import HostRuntime

/// A sign-in token: 100 random bits, in characters that are easy to type correctly.
struct Token: Equatable, Sendable {
    /// Crockford's base 32, which has no characters that look alike.
    private static let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 20

    /// 20 characters of the alphabet.
    let text: String

    /// Creates a random token.
    init(by runtime: some Runtime) {
        let halves = [runtime.random(), runtime.random()]
        let letters = (0..<Self.length).map { (index: Int) -> UInt8 in
            let half: UInt64 = halves[index / 10]
            return Self.letters[Int(half >> (5 * (index % 10)) & 31)]
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// Parses typed text. Ignores case, hyphens and white space. Returns nil if it cannot be a token.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let alike: [Character: Character] = ["o": "0", "i": "1", "l": "1"]
        let letters = typed.lowercased().filter { $0 != "-" && !$0.isWhitespace }
            .map { alike[$0] ?? $0 }
        text = String(letters)
        let hasOnlyLetters = text.utf8.allSatisfy(Self.letters.contains)
        guard text.utf8.count == Self.length, hasOnlyLetters else { return nil }
    }

    /// The token in groups of four: `k7m2-9xqd-4t8w-hz3c-6vnp`.
    var printed: String {
        stride(from: 0, to: Self.length, by: 4)
            .map { String(text.dropFirst($0).prefix(4)) }.joined(separator: "-")
    }

    /// The stored form of the token: SHA-256 in hexadecimal. 100 random bits need no salt and no slow hash.
    var digest: String { SHA256Digest.hexadecimal(of: [Array(text.utf8)]) }
}

/// The owner of a token. Has only the digest, not the token itself.
struct TokenHolder: Equatable, Sendable {
    let name: String
    let role: Role
    /// The athlete whose records are visible; set for the role `athlete` only.
    var athlete: String?
    let digest: String
    let createdMilliseconds: Int64

    /// Whether the text is a valid token name.
    static func isValidName(_ text: String) -> Bool { Slug.isValid(text) }
}
