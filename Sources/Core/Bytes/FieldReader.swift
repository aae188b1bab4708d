/// Reads the fields of a layout whose length was checked: `ByteReader.fields(_:)`.
///
/// Because of that check, reading a field cannot fail and is as fast as in C. Reading beyond the checked
/// length is a programming error. Little-endian, like all characteristics.
public struct FieldReader {
    // Owned by the caller of the original reader, and valid as long as that reader.
    @usableFromInline var next: UnsafeRawPointer
    @usableFromInline var remaining: Int

    @inlinable @inline(__always)
    public init(_ bytes: UnsafeRawBufferPointer) {
        next = bytes.baseAddress ?? ByteReader.nowhere
        remaining = bytes.count
    }

    /// Reads one byte.
    @inlinable @inline(__always)
    public mutating func uint8() -> UInt8 { integer() }

    /// Reads a two-byte number.
    @inlinable @inline(__always)
    public mutating func uint16() -> UInt16 { integer() }

    /// Reads a three-byte number, the usual width of times and distances.
    @inlinable @inline(__always)
    public mutating func uint24() -> UInt32 {
        let low: UInt16 = integer()
        let high: UInt8 = integer()
        return UInt32(high) << 16 | UInt32(low)
    }

    /// Reads a four-byte number.
    @inlinable @inline(__always)
    public mutating func uint32() -> UInt32 { integer() }

    /// Reads an eight-byte number.
    @inlinable @inline(__always)
    public mutating func uint64() -> UInt64 { integer() }

    @inlinable @inline(__always)
    public mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        let width = MemoryLayout<Number>.size
        precondition(remaining >= width, "the layout is longer than the checked length")
        defer {
            next += width
            remaining &-= width
        }
        return Number(littleEndian: next.loadUnaligned(as: Number.self))
    }
}

extension ByteReader {
    /// Returns the next `count` bytes as fields that need no further checks.
    @inlinable @inline(__always)
    public mutating func fields(_ count: Int) throws(DecodeError) -> FieldReader {
        FieldReader(try slice(count))
    }
}
