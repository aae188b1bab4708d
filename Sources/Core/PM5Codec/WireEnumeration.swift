import Bytes

/// A one-byte enumeration of the PM5 that survives values newer firmware may add.
///
/// `Self(rawValue: n).rawValue == n` for all 256 values; unknown ones become `.unrecognized(n)`.
package protocol WireEnumeration: ReplyValue, BitwiseCopyable {
    /// The one table of an enumeration.
    static func value(of byte: UInt8) -> Self
    var rawValue: UInt8 { get }
    static func unrecognized(_ rawValue: UInt8) -> Self
}

extension WireEnumeration {
    @inline(__always)
    package init(rawValue: UInt8) { self = Self.value(of: rawValue) }

    /// The byte that stands for the value: the reverse of `value(of:)`.
    ///
    /// Found by trying the bytes in turn, a microsecond for the last. Decoding never asks. 255 comes
    /// first: it is `IntervalType.none`, which is in every status of an idle monitor.
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

/// A byte in whatever order.
extension WireEnumeration {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(self)
    }
}

/// An enumeration kept as its byte, and told apart when somebody asks.
///
/// Decoding a status copies six of them; few are ever looked at.
@propertyWrapper
package struct WireCode<Code: WireEnumeration>: Hashable, Sendable, BitwiseCopyable {
    /// The byte as it came.
    package var rawValue: UInt8

    package init(wrappedValue: Code) {
        rawValue = wrappedValue.rawValue
    }

    /// The enumeration that the byte stands for, `.unrecognized` where it stands for none.
    package var wrappedValue: Code {
        get { Code(rawValue: rawValue) }
        set { rawValue = newValue.rawValue }
    }
}

/// The same for an enumeration that may be missing.
@propertyWrapper
package struct OptionalWireCode<Code: WireEnumeration>: Hashable, Sendable, BitwiseCopyable {
    /// The byte as it came; nil where none came.
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
    /// A one-byte enumeration; unknown values become its `.unrecognized`.
    @inline(__always)
    package mutating func code<Code: WireEnumeration>(
        _ type: Code.Type = Code.self
    ) throws(DecodeError) -> Code {
        Code(rawValue: try uint8())
    }
}

extension ByteWriter {
    /// A one-byte enumeration.
    package mutating func code(_ value: some WireEnumeration) { uint8(value.rawValue) }
}
