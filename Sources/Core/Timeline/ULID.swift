/// A universally unique, lexicographically sortable identifier: 48 bits of milliseconds and 80
/// random bits, written as 26 characters of Crockford's base 32.
///
/// Identifies epochs and sessions. The time part is only a hint, because the clock of a Pi may be wrong.
/// The random part alone makes it unique.
package struct ULID: Hashable, Sendable, CustomStringConvertible {
    /// 16 bytes: the time, then the random part, most significant byte first.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - unixMilliseconds: stored modulo 2^48; a time before 1970 becomes 1970.
    ///   - randomness: 80 bits of it are used.
    package init(unixMilliseconds: Int64, using randomness: inout some RandomNumberGenerator) {
        let time = UInt64(max(0, unixMilliseconds))
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: time >> (40 - 8 * UInt64($0))) }
        for _ in 0..<10 { bytes.append(UInt8.random(in: .min ... .max, using: &randomness)) }
        self.bytes = bytes
    }

    /// Creates the identifier with these 16 bytes; returns nil for another number of bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Whether a text is a ULID: 26 digits and capital letters without I, L, O and U, the first at most 7.
    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == 26, let first = bytes.first, first <= UInt8(ascii: "7") else {
            return false
        }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "I"), UInt8(ascii: "L"), UInt8(ascii: "O"), UInt8(ascii: "U"): false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            default: false
            }
        }
    }

    /// 26 characters, which sort like the identifiers.
    package var description: String {
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        var characters: [UInt8] = []
        // 130 bits contain 128: the first character has three.
        for index in 0..<26 {
            var digit = 0
            for bit in (index * 5)..<(index * 5 + 5) {
                digit =
                    digit << 1
                    | (bit < 2 ? 0 : Int(bytes[(bit - 2) / 8] >> (7 - (bit - 2) % 8)) & 1)
            }
            characters.append(alphabet[digit])
        }
        return String(decoding: characters, as: UTF8.self)
    }
}
