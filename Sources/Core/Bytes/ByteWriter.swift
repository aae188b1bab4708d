/// Appends integers to a byte array: the counterpart of `ByteReader`.
///
/// Pass an array to reuse its storage: `ByteWriter(appendingTo: buffer)`, then read `bytes`.
package struct ByteWriter: Sendable {
    /// The original content of the array, and everything written.
    package private(set) var bytes: [UInt8]

    /// Keeps the content of the array and reuses its storage.
    package init(appendingTo bytes: consuming [UInt8] = []) {
        self.bytes = bytes
    }

    /// Removes the content but not the storage, so that one writer can serve a whole stream.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends bytes unchanged.
    package mutating func append(_ more: some Sequence<UInt8>) {
        let isDone: Void? = more.withContiguousStorageIfAvailable { bytes.append(contentsOf: $0) }
        if isDone == nil { bytes.append(contentsOf: more) }
    }

    /// Appends one byte.
    package mutating func uint8(_ value: UInt8) {
        bytes.append(value)
    }

    /// Appends a two-byte number, least significant byte first by default.
    package mutating func uint16(_ value: UInt16, _ order: ByteOrder = .little) {
        unsigned(UInt64(value), width: 2, order)
    }

    /// Appends a three-byte number; `value` must be below 2^24.
    package mutating func uint24(_ value: UInt32, _ order: ByteOrder = .little) {
        unsigned(UInt64(value), width: 3, order)
    }

    /// Appends a four-byte number, least significant byte first by default.
    package mutating func uint32(_ value: UInt32, _ order: ByteOrder = .little) {
        unsigned(UInt64(value), width: 4, order)
    }

    /// Appends an eight-byte number, least significant byte first by default.
    package mutating func uint64(_ value: UInt64, _ order: ByteOrder = .little) {
        unsigned(value, width: 8, order)
    }

    /// Appends a number of up to eight bytes; `value` must fit into `width` of them.
    package mutating func unsigned(_ value: UInt64, width: Int, _ order: ByteOrder = .little) {
        precondition(
            width == 8 || value >> (8 * UInt64(width)) == 0, "\(width) bytes cannot carry \(value)")
        for index in 0..<width {
            let position = order == .little ? index : width - 1 - index
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(position))))
        }
    }
}

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

/// Returns two lower-case digits per byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
        if byte < 0x10 { text += "0" }
        text += String(byte, radix: 16)
    }
    return text
}
