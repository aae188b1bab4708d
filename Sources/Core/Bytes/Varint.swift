// Numbers in our own formats (ring records, checkpoints): base 128, low group first. The high bit of a byte
// means that another follows. Most numbers there are small.

extension ByteWriter {
    /// Appends 1 to 10 bytes.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            uint8(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        uint8(UInt8(rest))
    }

    /// Appends a length and that many bytes.
    package mutating func sized(_ bytes: some Collection<UInt8>) {
        varint(UInt64(bytes.count))
        append(bytes)
    }
}

extension ByteReader {
    /// Returns nil if the bytes end too early or the number does not fit 64 bits.
    package mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = try? uint8() {
            let group = UInt64(byte & 0x7F)
            guard shift < 64, (group << shift) >> shift == group else { return nil }
            value |= group << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// Returns nil if fewer bytes follow than the length says.
    package mutating func sized() -> UnsafeRawBufferPointer? {
        guard let count = varint(), count <= UInt64(remaining) else { return nil }
        return try? slice(Int(count))
    }
}
