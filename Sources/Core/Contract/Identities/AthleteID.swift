/// The rule for athlete ids, which are opaque texts.
///
/// An id is part of URLs, where it is percent-encoded, of stored JSON, where it is found by its bytes,
/// and of lists that people type. Hence it has no `/`, no `,` and `;`, no character that JSON escapes, and
/// is no dot segment of a path.
package enum AthleteID {
    package static let maximumLength = 64

    /// The rule in words, as the end of a sentence.
    package static let rule =
        "1 to 64 visible ASCII characters without \" , / ; \\, and neither . nor .."

    /// Whether a text is an athlete id: the form `athlete` of `config/schema/contract.toml`.
    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...maximumLength).contains(bytes.count), text != ".", text != ".." else {
            return false
        }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "/"), UInt8(ascii: ";"),
                UInt8(ascii: "\\"):
                false
            default: (0x21...0x7E).contains(byte)
            }
        }
    }
}
