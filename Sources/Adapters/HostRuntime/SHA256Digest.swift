import CCrypto

/// SHA-256 over bytes that arrive in pieces; OpenSSL's libcrypto does the work.
///
/// A session's manifest carries it so that a subscriber can prove what it received. How far it has come
/// can be kept, and gone on with by another process: hence the functions of libcrypto that show it.
package final class SHA256Digest {
    private var context = SHA256_CTX()

    package init() {
        let accepted = SHA256_Init(&context)
        precondition(accepted == 1, "libcrypto has no SHA-256")
    }

    /// Goes on where `state` was taken; nil for bytes that are no state.
    package init?(state: [UInt8]) {
        guard state.count == MemoryLayout<SHA256_CTX>.size else { return nil }
        withUnsafeMutableBytes(of: &context) { $0.copyBytes(from: state) }
        guard context.num < SHA256_CBLOCK, context.md_len == SHA256_DIGEST_LENGTH else {
            return nil
        }
    }

    /// How far it has come, 112 bytes, the same on every machine that rowgate runs on: with the last
    /// bytes that came, less than 64.
    package var state: [UInt8] { withUnsafeBytes(of: context) { Array($0) } }

    /// Goes on over `bytes`; cut anywhere, they give the same digest.
    package func update(_ bytes: [UInt8]) {
        let accepted = bytes.withUnsafeBytes { SHA256_Update(&context, $0.baseAddress, $0.count) }
        precondition(accepted == 1, "libcrypto refused bytes for SHA-256")
    }

    /// The digest so far in lower-case hexadecimal, 64 characters.
    package func hexadecimal() -> String {
        var (end, digest) = (context, [UInt8](repeating: 0, count: 32))
        let finished = SHA256_Final(&digest, &end)
        precondition(finished == 1, "libcrypto gave no SHA-256")
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
