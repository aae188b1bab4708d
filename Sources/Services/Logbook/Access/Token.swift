import Contract
import HostRuntime

/// What somebody shows to be let in: 100 bits by chance, in letters that are typed without a mistake.
struct Token: Equatable, Sendable {
    /// Crockford's base 32: no letter looks like another one or a figure.
    private static let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 20

    /// 20 of the letters.
    let text: String

    /// A new one.
    init(by runtime: some Runtime) {
        let halves = [runtime.random(), runtime.random()]
        let letters = (0..<Self.length).map { (index: Int) -> UInt8 in
            let half: UInt64 = halves[index / 10]
            return Self.letters[Int(half >> (5 * (index % 10)) & 31)]
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// As it was typed; nil for what cannot be one.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let alike: [Character: Character] = ["o": "0", "i": "1", "l": "1"]
        let letters = typed.lowercased().filter { $0 != "-" && !$0.isWhitespace }
            .map { alike[$0] ?? $0 }
        text = String(letters)
        let isOne = text.utf8.allSatisfy(Self.letters.contains)
        guard text.utf8.count == Self.length, isOne else { return nil }
    }

    /// As it is printed: `k7m2-9xqd-4t8w-hz3c-6vnp`.
    var printed: String {
        stride(from: 0, to: Self.length, by: 4)
            .map { String(text.dropFirst($0).prefix(4)) }.joined(separator: "-")
    }

    /// What is kept of it. It needs no salt and no slow function: nobody guesses 100 bits.
    var digest: String { SHA256Digest.hexadecimal(of: [Array(text.utf8)]) }
}

/// Who has a token, and what for; the token itself only they know.
struct TokenHolder: Equatable, Sendable {
    let name: String
    let role: Role
    /// Whose records they may see; with the role `athlete`, and with no other.
    var athlete: String?
    let digest: String
    let madeMilliseconds: Int64

    /// Whether a text may name one.
    static func isName(_ text: String) -> Bool { Slug.isValid(text) }
}
