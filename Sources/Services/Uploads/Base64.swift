import CCrypto

/// Bytes as text (RFC 4648, section 4).
enum Base64 {
    static func encoded(_ bytes: [UInt8]) -> String {
        // One more for the NUL at the end.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// Returns nil for other text, also with line breaks or without padding.
    static func decoded(_ text: String) -> [UInt8]? {
        let input = Array(text.utf8)
        let padding = min(2, input.reversed().prefix { $0 == UInt8(ascii: "=") }.count)
        guard input.count.isMultiple(of: 4), input.allSatisfy({ $0 > 0x20 }),
            !input.dropLast(padding).contains(UInt8(ascii: "="))
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: input.count / 4 * 3)
        guard EVP_DecodeBlock(&bytes, input, Int32(input.count)) == bytes.count else { return nil }
        return Array(bytes.dropLast(padding))
    }
}
