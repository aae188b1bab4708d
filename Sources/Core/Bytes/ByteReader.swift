/// The order of the bytes of a multi-byte number.
///
/// All characteristics are little-endian; in CSAFE it depends on the wrapper.
public enum ByteOrder: Hashable, Sendable {
    /// Least significant byte first ("Lo, Mid, Hi" in the documents).
    case little
    /// Most significant byte first.
    case big
}

/// Reads integers from the front of a byte buffer, never beyond its end.
///
/// Every read past the end throws `DecodeError.truncated` with the required and the actual length. The
/// reader does not own the bytes: it must not outlive the closure that provided the pointer.
public struct ByteReader {
    // Owned by the caller and valid during one decoding call. Undefined once `remaining` is 0.
    @usableFromInline var next: UnsafeRawPointer
    @usableFromInline let count: Int

    /// Bytes not yet read.
    public var remaining: Int

    /// Reads from the front of `bytes`, which may be empty and have no address.
    @inlinable @inline(__always)
    public init(_ bytes: UnsafeRawBufferPointer) {
        next = bytes.baseAddress ?? Self.nowhere
        count = bytes.count
        remaining = bytes.count
    }

    /// A placeholder address for an empty buffer; never read.
    @inlinable @inline(__always)
    public static var nowhere: UnsafeRawPointer { UnsafeRawPointer(bitPattern: 1)! }

    /// Number of bytes read so far.
    @inlinable
    public var offset: Int { count - remaining }

    /// Throws if fewer than `count` bytes are left.
    @inlinable @inline(__always)
    public func require(_ count: Int) throws(DecodeError) {
        guard remaining >= count else {
            throw .truncated(needed: offset + count, had: self.count)
        }
    }

    /// Skips `count` bytes.
    @inlinable
    public mutating func skip(_ count: Int) throws(DecodeError) {
        _ = try slice(count)
    }

    /// Returns the next `count` bytes, which the caller of the reader still owns.
    @inlinable @inline(__always)
    public mutating func slice(_ count: Int) throws(DecodeError) -> UnsafeRawBufferPointer {
        try require(count)
        defer { advance(count) }
        return UnsafeRawBufferPointer(start: next, count: count)
    }

    /// Reads one byte.
    @inlinable @inline(__always)
    public mutating func uint8() throws(DecodeError) -> UInt8 {
        try integer(.little)
    }

    /// Reads a two-byte number.
    @inlinable @inline(__always)
    public mutating func uint16(_ order: ByteOrder = .little) throws(DecodeError) -> UInt16 {
        try integer(order)
    }

    /// Reads a three-byte number, the usual width of times and distances.
    @inlinable @inline(__always)
    public mutating func uint24(_ order: ByteOrder = .little) throws(DecodeError) -> UInt32 {
        try require(3)
        let (first, second): (UInt8, UInt16) = (try integer(order), try integer(order))
        return order == .little
            ? UInt32(second) << 8 | UInt32(first) : UInt32(first) << 16 | UInt32(second)
    }

    /// Reads a four-byte number.
    @inlinable @inline(__always)
    public mutating func uint32(_ order: ByteOrder = .little) throws(DecodeError) -> UInt32 {
        try integer(order)
    }

    /// Reads an eight-byte number.
    @inlinable @inline(__always)
    public mutating func uint64(_ order: ByteOrder = .little) throws(DecodeError) -> UInt64 {
        try integer(order)
    }

    /// Call `require(width)` first; then nothing can overflow.
    @inlinable @inline(__always)
    public mutating func advance(_ width: Int) {
        next += width
        remaining &-= width
    }

    @inlinable @inline(__always)
    public mutating func integer<Number: FixedWidthInteger & BitwiseCopyable>(
        _ order: ByteOrder
    ) throws(DecodeError) -> Number {
        let width = MemoryLayout<Number>.size
        try require(width)
        let number = next.loadUnaligned(as: Number.self)
        advance(width)
        return order == .little ? Number(littleEndian: number) : Number(bigEndian: number)
    }
}

extension [UInt8] {
    /// Runs `body` with a reader over the array.
    public func withReader<Value>(
        _ body: (inout ByteReader) throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value {
        let result = withUnsafeBytes { bytes -> Result<Value, DecodeError> in
            var reader = ByteReader(bytes)
            do throws(DecodeError) {
                return .success(try body(&reader))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

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

/// Why bytes could not be decoded. The caller counts the error and drops the bytes.
@frozen public enum DecodeError: Error, Hashable, Sendable {
    /// Shorter than the shortest documented layout, with the required and the actual length from the start.
    case truncated(needed: Int, had: Int)
    /// No layout is known for this characteristic or identifier inside 0x0080.
    case unknownCharacteristic(UInt16)
}

extension DecodeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncated(let needed, let had): "needs \(needed) bytes, has \(had)"
        case .unknownCharacteristic(let id):
            "no decoder for characteristic 0x"
                + hexadecimal(id > 0xFF ? [UInt8(id >> 8), UInt8(id & 0xFF)] : [UInt8(id)])
                .uppercased()
        }
    }
}
