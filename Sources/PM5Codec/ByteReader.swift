/// The order of the bytes of a multi-byte number.
///
/// Characteristics are little-endian throughout; CSAFE depends on the wrapper.
package enum ByteOrder: Hashable, Sendable {
    /// Least significant byte first ("Lo, Mid, Hi" in the documents).
    case little
    /// Most significant byte first.
    case big
}

/// Reads integers off the front of a byte buffer; never beyond its end.
///
/// Every read past the end throws `DecodeError.truncated` with the length that was needed and the
/// length there was. The reader does not own the bytes: it must not outlive the closure that lent
/// the pointer.
package struct ByteReader {
    // Lent by the caller for the duration of one decoding call; never stored beyond it.
    private let bytes: UnsafeRawBufferPointer

    /// Bytes consumed so far.
    package private(set) var offset = 0

    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Bytes not yet read.
    package var remaining: Int { bytes.count - offset }

    /// Throws unless `count` more bytes follow.
    package func require(_ count: Int) throws(DecodeError) {
        guard remaining >= count else {
            throw .truncated(needed: offset + count, had: bytes.count)
        }
    }

    /// Passes over `count` bytes.
    package mutating func skip(_ count: Int) throws(DecodeError) {
        _ = try slice(count)
    }

    /// The next `count` bytes, still owned by the caller of the reader.
    package mutating func slice(_ count: Int) throws(DecodeError) -> UnsafeRawBufferPointer {
        try require(count)
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    /// One byte.
    package mutating func uint8() throws(DecodeError) -> UInt8 {
        try require(1)
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A two-byte number.
    package mutating func uint16(_ order: ByteOrder = .little) throws(DecodeError) -> UInt16 {
        UInt16(truncatingIfNeeded: try unsigned(2, order))
    }

    /// A three-byte number, the usual width of times and distances.
    package mutating func uint24(_ order: ByteOrder = .little) throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try unsigned(3, order))
    }

    /// A four-byte number.
    package mutating func uint32(_ order: ByteOrder = .little) throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try unsigned(4, order))
    }

    /// An eight-byte number.
    package mutating func uint64(_ order: ByteOrder = .little) throws(DecodeError) -> UInt64 {
        try unsigned(8, order)
    }

    /// A one-byte enumeration; unknown values become its `.unrecognized`.
    package mutating func code<Code: WireEnumeration>(
        _ type: Code.Type = Code.self
    ) throws(DecodeError) -> Code {
        Code(rawValue: try uint8())
    }

    private mutating func unsigned(_ width: Int, _ order: ByteOrder) throws(DecodeError) -> UInt64 {
        try require(width)
        var value: UInt64 = 0
        for index in 0..<width {
            let position = order == .big ? index : width - 1 - index
            value = value << 8 | UInt64(bytes[offset + position])
        }
        offset += width
        return value
    }
}

extension [UInt8] {
    /// Runs `body` with a reader over the array; for callers that hold an array already.
    package func withReader<Value>(
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
