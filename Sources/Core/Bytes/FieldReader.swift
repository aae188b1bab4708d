/// Reads the fields of a layout whose bytes are known to be there: `ByteReader.fields(_:)`.
///
/// The length was checked once, so that reading a field cannot fail and costs what it costs in C.
/// Reading more than was asked for is a mistake of ours, not of the sender. Little-endian, as all
/// characteristics are.
public struct FieldReader {
    // Lent by the caller of the reader it came from, for as long.
    @usableFromInline var next: UnsafeRawPointer
    @usableFromInline var remaining: Int

    @inlinable @inline(__always)
    public init(_ bytes: UnsafeRawBufferPointer) {
        next = bytes.baseAddress ?? ByteReader.nowhere
        remaining = bytes.count
    }

    /// One byte.
    @inlinable @inline(__always)
    public mutating func uint8() -> UInt8 { integer() }

    /// A two-byte number.
    @inlinable @inline(__always)
    public mutating func uint16() -> UInt16 { integer() }

    /// A three-byte number, the usual width of times and distances.
    @inlinable @inline(__always)
    public mutating func uint24() -> UInt32 {
        let low: UInt16 = integer()
        let high: UInt8 = integer()
        return UInt32(high) << 16 | UInt32(low)
    }

    /// A four-byte number.
    @inlinable @inline(__always)
    public mutating func uint32() -> UInt32 { integer() }

    /// An eight-byte number.
    @inlinable @inline(__always)
    public mutating func uint64() -> UInt64 { integer() }

    @inlinable @inline(__always)
    public mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>() -> Number {
        let width = MemoryLayout<Number>.size
        precondition(remaining >= width, "a layout is longer than the length it asked for")
        defer {
            next += width
            remaining &-= width
        }
        return Number(littleEndian: next.loadUnaligned(as: Number.self))
    }
}

extension ByteReader {
    /// The next `count` bytes, to be read field by field without further checks.
    @inlinable @inline(__always)
    public mutating func fields(_ count: Int) throws(DecodeError) -> FieldReader {
        FieldReader(try slice(count))
    }
}
