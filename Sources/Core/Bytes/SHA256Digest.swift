/// SHA-256 (FIPS 180-4) over bytes that arrive in pieces.
///
/// A session's manifest contains it, so that a subscriber can prove complete reception. The intermediate
/// state has a defined layout: it can be stored and resumed by another process, on another machine.
package struct SHA256Digest: Sendable {
    /// Bytes per block.
    private static let blockSize = 64
    /// Bytes of a stored state.
    package static let stateSize = 112
    /// Bytes of the digest, as the stored state repeats them.
    private static let digestSize: UInt32 = 32

    private var hash = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )
    /// Number of bytes so far.
    private var length: UInt64 = 0
    /// Bytes after the last whole block.
    private var pending: [UInt8] = []

    package init() {}

    /// Adds `bytes`. The digest does not depend on how the bytes are divided into calls.
    package mutating func update(_ bytes: [UInt8]) {
        length += UInt64(bytes.count)
        var schedule = [UInt32](repeating: 0, count: Self.blockSize)
        var next = 0
        if !pending.isEmpty {
            next = min(Self.blockSize - pending.count, bytes.count)
            pending += bytes[..<next]
            guard pending.count == Self.blockSize else { return }
            Self.compress(pending, at: 0, into: &hash, &schedule)
            pending.removeAll(keepingCapacity: true)
        }
        while bytes.count - next >= Self.blockSize {
            Self.compress(bytes, at: next, into: &hash, &schedule)
            next += Self.blockSize
        }
        pending += bytes[next...]
    }

    /// The digest so far in lower-case hexadecimal, 64 characters.
    package func hexadecimal() -> String {
        var end = self
        let zeros = (2 * Self.blockSize - 9 - pending.count) % Self.blockSize
        var padding = ByteWriter(appendingTo: [0x80] + [UInt8](repeating: 0, count: zeros))
        padding.uint64(length * 8, .big)
        end.update(padding.bytes)
        var digest = ByteWriter()
        for index in 0..<8 { digest.uint32(end.hash[index], .big) }
        return Bytes.hexadecimal(digest.bytes)
    }

    /// The digest of `pieces` in their order.
    @Sendable package static func hexadecimal(of pieces: [[UInt8]]) -> String {
        var digest = SHA256Digest()
        for piece in pieces { digest.update(piece) }
        return digest.hexadecimal()
    }
}

/// The stored state. Numbers have their least significant byte first.
///
/// | bytes | content |
/// |---|---|
/// | 0 to 31 | eight 4-byte hash values, H0 to H7 of FIPS 180-4, after the last whole block |
/// | 32 to 39 | number of bits so far |
/// | 40 to 103 | bytes after the last whole block, then zeros |
/// | 104 to 107 | number of those bytes, 0 to 63 |
/// | 108 to 111 | 32, the number of bytes of the digest |
///
/// It equals the memory of OpenSSL's `SHA256_CTX` on little-endian machines, which earlier versions stored.
extension SHA256Digest {
    package var state: [UInt8] {
        var writer = ByteWriter()
        for index in 0..<8 { writer.uint32(hash[index]) }
        writer.uint64(length * 8)
        writer.append(pending)
        writer.append(repeatElement(0, count: Self.blockSize - pending.count))
        writer.uint32(UInt32(pending.count))
        writer.uint32(Self.digestSize)
        return writer.bytes
    }

    /// Resumes from `state`; nil for bytes that are not a state.
    package init?(state: [UInt8]) {
        guard state.count == Self.stateSize else { return nil }
        let digest: SHA256Digest?
        do throws(DecodeError) {
            digest = try state.withReader { reader throws(DecodeError) in try Self.decode(&reader) }
        } catch {
            return nil
        }
        guard let digest else { return nil }
        self = digest
    }

    private static func decode(_ reader: inout ByteReader) throws(DecodeError) -> SHA256Digest? {
        var digest = SHA256Digest()
        for index in 0..<8 { digest.hash[index] = try reader.uint32() }
        let bits = try reader.uint64()
        let block = try reader.slice(blockSize)
        let count = try reader.uint32()
        digest.length = bits / 8
        guard bits % 8 == 0, digest.length % UInt64(blockSize) == UInt64(count),
            try reader.uint32() == digestSize
        else { return nil }
        digest.pending = Array(block.prefix(Int(count)))
        return digest
    }
}

// MARK: One block

extension SHA256Digest {
    /// Compresses the block at `offset` into the hash; `schedule` is scratch space of 64 numbers.
    private static func compress(
        _ bytes: [UInt8], at offset: Int, into hash: inout SIMD8<UInt32>, _ schedule: inout [UInt32]
    ) {
        for index in 0..<16 {
            let first = offset + 4 * index
            schedule[index] =
                UInt32(bytes[first]) << 24 | UInt32(bytes[first + 1]) << 16
                | UInt32(bytes[first + 2]) << 8 | UInt32(bytes[first + 3])
        }
        for index in 16..<64 {
            let (old, recent) = (schedule[index - 15], schedule[index - 2])
            let sigma0 = rotate(old, 7) ^ rotate(old, 18) ^ old >> 3
            let sigma1 = rotate(recent, 17) ^ rotate(recent, 19) ^ recent >> 10
            schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
        }
        let constants = constants
        var (a, b, c, d) = (hash[0], hash[1], hash[2], hash[3])
        var (e, f, g, h) = (hash[4], hash[5], hash[6], hash[7])
        for index in 0..<64 {
            let sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let choice = e & f ^ ~e & g
            let first = h &+ sum1 &+ choice &+ constants[index] &+ schedule[index]
            let sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let majority = a & b ^ a & c ^ b & c
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ sum0 &+ majority)
        }
        hash = hash &+ SIMD8(a, b, c, d, e, f, g, h)
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value >> count | value << (32 - count)
    }

    /// Fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
        0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7,
        0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc,
        0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351,
        0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e,
        0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585,
        0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f,
        0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
        0xc671_78f2,
    ]
}
