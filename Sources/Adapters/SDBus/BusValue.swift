/// A value of a D-Bus type, for properties and option dictionaries.
package indirect enum BusValue: Equatable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// `ay`.
    case bytes([UInt8])
    /// An array of any other element type; `of` is the element's signature, needed when empty.
    case array([BusValue], of: String)
    /// A dictionary with string keys, `a{sv}` (the only kind of dictionary in BlueZ's properties
    /// besides `a{qv}` and `a{oa{sa{sv}}}`).
    case dictionary([String: BusValue])
    /// A dictionary with 16-bit keys, `a{qv}` (ManufacturerData).
    case numberedDictionary([UInt16: BusValue])
    case variant(BusValue)

    /// The D-Bus signature of this value.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(_, let element): "a" + element
        case .dictionary: "a{sv}"
        case .numberedDictionary: "a{qv}"
        case .variant: "v"
        }
    }

    /// The text of a string, path or signature; nil for other types.
    package var string: String? {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text): text
        default: nil
        }
    }

    /// The value of a `b`; nil for numbers, because D-Bus has a separate type.
    package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The value of an `ay`.
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// The value of an `a{sv}`.
    package var dictionary: [String: BusValue]? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The strings of an array of strings or paths; other elements are omitted.
    package var strings: [String]? {
        if case .array(let elements, _) = self { elements.compactMap(\.string) } else { nil }
    }

    /// Any integer type as `Int`; nil for other types and for values out of range.
    package var integer: Int? {
        switch self {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(exactly: value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }
}

/// Properties by name.
package typealias BusProperties = [String: BusValue]
/// Interfaces of one object, by name: `a{sa{sv}}`.
package typealias BusInterfaces = [String: BusProperties]
/// Every object below an ObjectManager, by path: `a{oa{sa{sv}}}`.
package typealias BusObjectTree = [String: BusInterfaces]
