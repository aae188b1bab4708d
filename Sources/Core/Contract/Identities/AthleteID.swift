/// The rule for athlete ids, which are opaque texts.
///
/// Ids occur in URLs (percent-encoded), in stored JSON (searched by bytes), and in lists that people
/// type. So an id has no `/`, `,` or `;`, no character that JSON escapes, and is not a dot segment.
package enum AthleteID {
    package static let maximumLength = 64

    /// The rule as the end of a sentence.
    package static let rule =
        "1 to 64 visible ASCII characters without \" , / ; \\, and neither . nor .."

    /// Whether a text is an athlete id: form `athlete` of `config/schema/contract.toml`.
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
