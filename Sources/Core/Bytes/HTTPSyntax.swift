/// Character sets and the percent-encoding of HTTP, for servers and clients.
package enum HTTPSyntax {
    /// Whether a byte may occur in a method or in the name of a header: tchar of RFC 9110, 5.6.2.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// Whether a byte may occur in the value of a header: field-content of RFC 9110, 5.5.
    package static func isFieldByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\t") || (byte >= UInt8(ascii: " ") && byte != 0x7F)
    }

    /// Percent-encodes everything but letters, digits and `-._~` (RFC 3986, 2.1).
    ///
    /// - Parameter keepsSlashes: whether `/` stays as it is, as in the path of an address.
    package static func percentEncoded(_ text: String, keepsSlashes: Bool = false) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let isUnreserved = isLetterOrDigit(byte) || "-._~".utf8.contains(byte)
            if isUnreserved || (keepsSlashes && byte == UInt8(ascii: "/")) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return encoded
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
