/// Writes JSON objects into a reused buffer, with keys in the order of the calls, without Foundation.
///
/// Numbers are written exactly, because they come from integers. A decimal always has all its places
/// (`100.0`, never `100`), so that consumers that derive a field's type from its first value do not choose
/// an integer. An absent value writes nothing, not even its key.
package struct JSONWriter {
    package private(set) var bytes: [UInt8] = []
    private var needsComma = false

    package init() { bytes.reserveCapacity(1024) }

    /// Removes the content but not the storage.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Writes `{`; a member's key or `endObject` follows.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Writes `}`.
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Writes `[`; values or `endArray` follow.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Writes `]`.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes the name of the next value; the name must not need escapes.
    package mutating func key(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a name that is known only at run time.
    package mutating func key(_ name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string in quotes, with the escapes of JSON.
    package mutating func value(_ text: String) {
        separate()
        quote(text)
    }

    /// Writes all digits, also beyond 2^53.
    package mutating func value(_ number: some FixedWidthInteger) {
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(UInt64(number.magnitude), atLeast: 1)
    }

    /// Writes `units` of 10 to the power of minus `places`: `value(12345, places: 2)` writes `123.45`.
    package mutating func value(_ units: Int64, places: Int) {
        separate()
        var scale: UInt64 = 1
        for _ in 0..<places { scale *= 10 }
        if units < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(units.magnitude / scale, atLeast: 1)
        guard places > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        digits(units.magnitude % scale, atLeast: places)
    }

    /// Writes a value that is already JSON.
    package mutating func value(json: [UInt8]) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// Writes `true` or `false`.
    package mutating func value(_ flag: Bool) {
        separate()
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    // MARK: Whole objects and lists

    /// Returns the text of an object.
    package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        json.object(members)
        return json.bytes
    }

    /// The JSON of a list of objects.
    package static func list<Element>(
        of elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
    ) -> [UInt8] {
        var json = JSONWriter()
        json.list(of: elements, members)
        return json.bytes
    }

    private mutating func list<Element>(
        of elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
    ) {
        beginArray()
        for element in elements { object { members(&$0, element) } }
        endArray()
    }

    /// Writes an object as the value.
    package mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    /// Writes a key and an object.
    package mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    /// Writes a key and an object of whole numbers with names known only at run time.
    package mutating func object(
        _ name: StaticString, of numbers: some Sequence<(String, some FixedWidthInteger)>
    ) {
        object(name) { json in
            for (name, number) in numbers {
                json.key(name)
                json.value(number)
            }
        }
    }

    /// Writes a key and a list of objects.
    package mutating func list<Element>(
        _ name: StaticString, of elements: some Sequence<Element>,
        _ members: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        list(of: elements, members)
    }

    // MARK: Fields: a key and its value; nil writes nothing

    /// Writes a string.
    package mutating func field(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        value(text)
    }

    /// Writes a whole number.
    package mutating func field(_ name: StaticString, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        key(name)
        value(number)
    }

    /// Writes a decimal with this many places.
    package mutating func field(_ name: StaticString, _ units: Int64?, places: Int) {
        guard let units else { return }
        key(name)
        value(units, places: places)
    }

    /// Writes `true` or `false`.
    package mutating func field(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        key(name)
        value(flag)
    }

    /// Writes a list of strings, also if it is empty.
    package mutating func field(_ name: StaticString, _ texts: [String]) {
        key(name)
        beginArray()
        for text in texts { value(text) }
        endArray()
    }

    // MARK: Bytes

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func digits(_ number: UInt64, atLeast count: Int) {
        let start = bytes.count
        var rest = number
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || bytes.count - start < count
        bytes[start...].reverse()
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x00..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(Self.hexadecimal(byte >> 4))
                bytes.append(Self.hexadecimal(byte & 0x0F))
            default:
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func hexadecimal(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
