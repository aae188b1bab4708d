import CCrypto

/// SHA-256 over bytes that arrive in pieces, computed by OpenSSL's libcrypto.
///
/// A session's manifest contains it, so that a subscriber can prove complete reception. The
/// intermediate state can be stored and resumed by another process, hence the low-level functions
/// of libcrypto.
package final class SHA256Digest {
    private var context = SHA256_CTX()

    package init() {
        let accepted = SHA256_Init(&context)
        precondition(accepted == 1, "libcrypto has no SHA-256")
    }

    /// Resumes from `state`; nil for bytes that are not a state.
    package init?(state: [UInt8]) {
        guard state.count == MemoryLayout<SHA256_CTX>.size else { return nil }
        withUnsafeMutableBytes(of: &context) { $0.copyBytes(from: state) }
        guard context.num < SHA256_CBLOCK, context.md_len == SHA256_DIGEST_LENGTH else {
            return nil
        }
    }

    /// The intermediate state, 112 bytes, with up to 63 pending bytes. The same on every
    /// architecture that rowgate supports.
    package var state: [UInt8] { withUnsafeBytes(of: context) { Array($0) } }

    /// Adds `bytes`. The digest does not depend on how the bytes are divided into calls.
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
