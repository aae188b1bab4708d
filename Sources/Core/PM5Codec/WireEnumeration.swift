import Bytes

/// A one-byte enumeration of the PM5 that accepts unknown values of newer firmware.
///
/// `Self(rawValue: n).rawValue == n` for all 256 values; unknown ones become `.unrecognized(n)`.
package protocol WireEnumeration: ReplyValue, BitwiseCopyable {
    /// Maps a byte to its value.
    static func value(of byte: UInt8) -> Self
    var rawValue: UInt8 { get }
    static func unrecognized(_ rawValue: UInt8) -> Self
}

extension WireEnumeration {
    @inline(__always)
    package init(rawValue: UInt8) { self = Self.value(of: rawValue) }

    /// The byte of the value: the reverse of `value(of:)`.
    ///
    /// Tries all bytes in turn, up to a microsecond. Decoding does not use it. 255 is first, because it is
    /// `IntervalType.none`, which every status of an idle monitor contains.
    package var rawValue: UInt8 {
        if Self(rawValue: .max) == self { return .max }
        for byte in UInt8.min...UInt8.max where Self(rawValue: byte) == self {
            return byte
        }
        for byte in UInt8.min...UInt8.max where .unrecognized(byte) == self {
            return byte
        }
        preconditionFailure("a value of \(Self.self) stands for no byte")
    }
}

/// A single byte, so that the byte order does not matter.
extension WireEnumeration {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(self)
    }
}

/// An enumeration that is stored as its byte and converted on access.
///
/// Decoding a status copies six of them, but few are read.
@propertyWrapper
package struct WireCode<Code: WireEnumeration>: Hashable, Sendable, BitwiseCopyable {
    /// The received byte.
    package var rawValue: UInt8

    package init(wrappedValue: Code) {
        rawValue = wrappedValue.rawValue
    }

    /// The value of the byte; `.unrecognized` if it is unknown.
    package var wrappedValue: Code {
        get { Code(rawValue: rawValue) }
        set { rawValue = newValue.rawValue }
    }
}

/// The same for an optional enumeration.
@propertyWrapper
package struct OptionalWireCode<Code: WireEnumeration>: Hashable, Sendable, BitwiseCopyable {
    /// The received byte; nil if there was none.
    package var rawValue: UInt8?

    package init(wrappedValue: Code?) {
        rawValue = wrappedValue?.rawValue
    }

    package var wrappedValue: Code? {
        get { rawValue.map { Code(rawValue: $0) } }
        set { rawValue = newValue?.rawValue }
    }
}

extension ByteReader {
    /// Reads a one-byte enumeration; unknown values become its `.unrecognized`.
    @inline(__always)
    package mutating func code<Code: WireEnumeration>(
        _ type: Code.Type = Code.self
    ) throws(DecodeError) -> Code {
        Code(rawValue: try uint8())
    }
}

extension ByteWriter {
    /// Appends a one-byte enumeration.
    package mutating func code(_ value: some WireEnumeration) { uint8(value.rawValue) }
}
