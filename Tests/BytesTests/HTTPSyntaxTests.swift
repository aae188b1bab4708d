import Testing

@testable import Bytes

struct HTTPSyntaxTests {
    @Test(arguments: [
        ("", ""), ("AZaz09-._~", "AZaz09-._~"), ("a b&c=d+e%", "a%20b%26c%3Dd%2Be%25"),
        ("Rudern für alle", "Rudern%20f%C3%BCr%20alle"), ("\0\n", "%00%0A"), ("a/b", "a%2Fb"),
    ])
    func encodesAllButUnreservedCharacters(text: String, encoded: String) {
        #expect(HTTPSyntax.percentEncoded(text) == encoded)
    }

    @Test func keepsSlashesOfAPath() {
        #expect(HTTPSyntax.percentEncoded("/e/north/erg 3", keepsSlashes: true) == "/e/north/erg%203")
    }

    /// RFC 9110: a token has no separators, and a value neither control characters nor DEL.
    @Test func separatesNamesFromValues() {
        let separators = "\"(),/:;<=>?@[\\]{} \t"
        for byte in UInt8.min ... .max {
            let isVisible = (0x21...0x7E).contains(byte)
            #expect(HTTPSyntax.isTokenByte(byte) == (isVisible && !separators.utf8.contains(byte)))
            let isControl = byte < 0x20 || byte == 0x7F
            #expect(HTTPSyntax.isFieldByte(byte) == (!isControl || byte == UInt8(ascii: "\t")))
        }
    }
}
