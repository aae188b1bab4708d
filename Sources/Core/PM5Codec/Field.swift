import Bytes

/// A decoded value with its published name, unit last: `("elapsed_time_s", 3.84)`.
///
/// For printing and for tests. Building the list allocates, so it is not for the hot path.
package struct Field: Hashable, Sendable {
    /// Snake case, unit last.
    package let name: String
    /// At the resolution of the protocol.
    package let value: FieldValue

    package init(_ name: String, _ value: FieldValue) {
        self.name = name
        self.value = value
    }

    /// Creates an exact decimal: `count` units of 10^-`decimals`.
    package init(_ name: String, _ count: some BinaryInteger, decimals: Int = 0) {
        self.init(name, .number(Int64(count), decimals: decimals))
    }

    /// Creates a field with the numeric value of an enumeration.
    package init(_ name: String, _ code: some WireEnumeration) {
        self.init(name, .number(Int64(code.rawValue), decimals: 0))
    }
}

/// The value of a field, at the resolution of the protocol, without rounding.
package indirect enum FieldValue: Hashable, Sendable {
    /// The protocol's value for "none".
    case null
    /// `count` units of 10^-`decimals`.
    case number(Int64, decimals: Int)
    case flag(Bool)
    case text(String)
    case list([FieldValue])
    case object([Field])
}

extension FieldValue {
    /// A list of plain integers.
    package static func integers(_ values: some Sequence<some BinaryInteger>) -> FieldValue {
        .list(values.map { .number(Int64($0), decimals: 0) })
    }

    /// An integer; `null` for nil.
    package static func integer(_ value: (some BinaryInteger)?) -> FieldValue {
        value.map { .number(Int64($0), decimals: 0) } ?? .null
    }

    /// Bytes as lower-case hexadecimal text.
    package static func hex(_ bytes: some Sequence<UInt8>) -> FieldValue {
        .text(hexadecimal(bytes))
    }

    /// The value as JSON text; numbers keep all their decimals: `3.80`.
    package var json: String {
        var json = JSONWriter()
        write(into: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func write(into json: inout JSONWriter) {
        switch self {
        case .null: json.value(json: Array("null".utf8))
        case .number(let count, let decimals): json.value(count, places: decimals)
        case .flag(let flag): json.value(flag)
        case .text(let text): json.value(text)
        case .list(let values):
            json.beginArray()
            for value in values { value.write(into: &json) }
            json.endArray()
        case .object(let fields):
            json.object { json in
                for field in fields {
                    json.key(field.name)
                    field.value.write(into: &json)
                }
            }
        }
    }
}
