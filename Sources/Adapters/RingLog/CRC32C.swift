/// CRC-32C (Castagnoli), the checksum of everything in a ring log.
///
/// Reflected polynomial 0x82F63B78, initial value and final XOR all ones (RFC 3720, appendix B.4).
/// Eight tables take eight bytes a step; a hardware instruction would need C.
package struct CRC32C: Sendable {
    private var state: UInt32 = 0xFFFF_FFFF

    package init() {}

    /// The checksum of all bytes so far.
    package var value: UInt32 { ~state }

    /// Adds `bytes`. The checksum does not depend on how the bytes are divided into calls.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = state
        var offset = 0
        let count = bytes.count
        Self.tables.withUnsafeBufferPointer { tables in
            while count &- offset >= 8 {
                let word = bytes.littleEndian(at: offset, as: UInt64.self) ^ UInt64(crc)
                crc = Self.advance(word, tables)
                offset &+= 8
            }
            while offset < count {
                crc = (crc &>> 8) ^ tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
                offset &+= 1
            }
        }
        state = crc
    }

    /// Adds the eight bytes of a word, least significant first.
    package mutating func update(_ word: UInt64) {
        withUnsafeBytes(of: word.littleEndian) { update($0) }
    }

    /// Table k maps a byte to its effect k bytes later, so the word's first byte uses the last
    /// table.
    @inline(__always)
    private static func advance(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>) -> UInt32 {
        let low =
            tables[0x700 &+ Int(word & 0xFF)] ^ tables[0x600 &+ Int((word &>> 8) & 0xFF)]
            ^ tables[0x500 &+ Int((word &>> 16) & 0xFF)]
            ^ tables[0x400 &+ Int((word &>> 24) & 0xFF)]
        let high =
            tables[0x300 &+ Int((word &>> 32) & 0xFF)] ^ tables[0x200 &+ Int((word &>> 40) & 0xFF)]
            ^ tables[0x100 &+ Int((word &>> 48) & 0xFF)] ^ tables[Int(word &>> 56)]
        return low ^ high
    }

    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
            tables[byte] = crc
        }
        for index in 256..<tables.count {
            let crc = tables[index - 256]
            tables[index] = (crc >> 8) ^ tables[Int(crc & 0xFF)]
        }
        return tables
    }()
}
