import CCrypto

/// SHA-256 over bytes that arrive in pieces; OpenSSL's libcrypto does the work.
///
/// A session's manifest carries it so that a subscriber can prove what it received.
///
/// A class, for what it owns; at a struct that cannot be copied the compiler of Swift 6.0.3 crashes
/// where functions with branches use it.
package final class SHA256Digest {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
        else { preconditionFailure("libcrypto has no SHA-256 or no memory") }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Goes on over `bytes`; cut anywhere, they give the same digest.
    package func update(_ bytes: [UInt8]) {
        let accepted = bytes.withUnsafeBytes {
            EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(accepted == 1, "libcrypto refused bytes for SHA-256")
    }

    /// The digest in lower-case hexadecimal, 64 characters. Nothing may follow it.
    package func hexadecimal() -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let finished = EVP_DigestFinal_ex(context, &digest, &count)
        precondition(finished == 1 && count == 32, "libcrypto gave no SHA-256")
        return String(decoding: digest.flatMap(Self.hexadecimalPair), as: UTF8.self)
    }

    /// The digest of `pieces` in their order.
    @Sendable package static func hexadecimal(of pieces: [[UInt8]]) -> String {
        let digest = SHA256Digest()
        for piece in pieces { digest.update(piece) }
        return digest.hexadecimal()
    }

    private static func hexadecimalPair(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
