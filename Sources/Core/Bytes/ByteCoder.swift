/// A value whose fields are listed once, for decoding and for encoding.
package protocol ByteCodable {
    /// The value before decoding.
    static var blank: Self { get }

    /// Passes each field to `coder`, in order.
    mutating func code(with coder: inout ByteCoder)
}

extension ByteCodable {
    /// Returns the bytes for `init(decoding:)`.
    package func encode() -> [UInt8] {
        ByteCoder.bytes { $0.write(self) }
    }

    /// Returns nil for damaged bytes; more bytes may follow the value.
    package init?(decoding bytes: [UInt8]) {
        guard let value = ByteCoder.read(bytes, { $0.read(Self.self) }) else { return nil }
        self = value
    }
}

/// A `ByteReader` and a `ByteWriter` in one.
///
/// After missing or invalid bytes, no field is changed any more.
package struct ByteCoder {
    /// Nil while encoding.
    private var reader: ByteReader?
    private var writer = ByteWriter()
    /// Whether bytes were missing or invalid.
    package private(set) var isDamaged = false

    /// Whether fields are decoded.
    package var isReading: Bool { reader != nil }
    /// Whether unread bytes are left.
    package var hasMore: Bool { reader.map { $0.remaining > 0 } ?? false }

    /// Returns the bytes that `body` encodes.
    package static func bytes(_ body: (inout ByteCoder) -> Void) -> [UInt8] {
        var coder = ByteCoder()
        body(&coder)
        return coder.writer.bytes
    }

    /// Returns the value that `body` decodes; nil for damaged bytes. More bytes may follow.
    package static func read<Value>(
        _ bytes: [UInt8], _ body: (inout ByteCoder) -> Value?
    ) -> Value? {
        bytes.withUnsafeBytes { buffer in
            var coder = ByteCoder(reader: ByteReader(buffer))
            let value = body(&coder)
            return coder.isDamaged ? nil : value
        }
    }

    package mutating func write(_ value: some ByteCodable) {
        var value = value
        value.code(with: &self)
    }

    package mutating func read<Value: ByteCodable>(_ type: Value.Type = Value.self) -> Value {
        var value = Value.blank
        value.code(with: &self)
        return value
    }

    /// Marks the decoded bytes as invalid.
    package mutating func refuse() { isDamaged = true }

    /// Codes a field of any kind; `read` returns nil for an invalid value.
    package mutating func field<Value>(
        _ value: inout Value, write: (inout ByteWriter, Value) -> Void,
        read: (inout ByteReader) -> Value?
    ) {
        if isReading { self.read(&value, with: read) } else { write(&writer, value) }
    }

    /// A separate function, so that encoding does not pay for the generic type of `Value`.
    private mutating func read<Value>(
        _ value: inout Value, with read: (inout ByteReader) -> Value?
    ) {
        guard var source = reader, !isDamaged else { return }
        if let found = read(&source) { value = found } else { isDamaged = true }
        reader = source
    }

    /// Codes a number of any size, see `ByteWriter.varint`.
    package mutating func varint(_ value: inout UInt64) {
        field(&value, write: { $0.varint($1) }, read: { $0.varint() })
    }

    /// Codes up to eight flags in a byte, the first in the lowest bit.
    package mutating func flags(_ flags: inout [Bool]) {
        let count = flags.count
        field(
            &flags,
            write: { $0.uint8($1.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }) },
            read: { reader in
                (try? reader.uint8()).map { byte in (0..<count).map { byte >> $0 & 1 == 1 } }
            })
    }

    /// Codes one of fewer than 255 known values as its position among them.
    package mutating func choice<Value: Equatable>(_ value: inout Value, among all: [Value]) {
        field(
            &value, write: { $0.uint8(all.firstIndex(of: $1).map { UInt8($0) } ?? .max) },
            read: { reader in
                (try? reader.uint8()).flatMap { all.indices.contains(Int($0)) ? all[Int($0)] : nil }
            })
    }

    /// Codes a list: the number of elements, then each of them.
    ///
    /// - Parameter blank: an element before decoding.
    package mutating func list<Element>(
        _ elements: inout [Element], blank: Element,
        _ code: (inout ByteCoder, inout Element) -> Void
    ) {
        var count = UInt64(elements.count)
        varint(&count)
        var coded: [Element] = []
        while coded.count < count, !isDamaged {
            var element = isReading ? blank : elements[coded.count]
            code(&self, &element)
            coded.append(element)
        }
        elements = coded
    }
}

extension UInt8: ByteCodable {
    package static var blank: UInt8 { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        coder.field(&self, write: { $0.uint8($1) }, read: { try? $0.uint8() })
    }
}

extension UInt16: ByteCodable {
    package static var blank: UInt16 { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        coder.field(&self, write: { $0.uint16($1) }, read: { try? $0.uint16() })
    }
}

extension UInt32: ByteCodable {
    package static var blank: UInt32 { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        coder.field(&self, write: { $0.uint32($1) }, read: { try? $0.uint32() })
    }
}

/// A varint of its bits, so that a negative number has ten bytes.
extension Int64: ByteCodable {
    package static var blank: Int64 { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        var bits = UInt64(bitPattern: self)
        coder.varint(&bits)
        self = Int64(bitPattern: bits)
    }
}

/// Like `Int64`.
extension Int: ByteCodable {
    package static var blank: Int { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        var number = Int64(self)
        number.code(with: &coder)
        self = Int(number)
    }
}

/// The eight bytes of its bits.
extension Double: ByteCodable {
    package static var blank: Double { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        coder.field(
            &self, write: { $0.uint64($1.bitPattern) },
            read: { reader in (try? reader.uint64()).map { Double(bitPattern: $0) } })
    }
}

/// A byte with the value 0 or 1.
extension Bool: ByteCodable {
    package static var blank: Bool { false }
    package mutating func code(with coder: inout ByteCoder) {
        var byte: UInt8 = self ? 1 : 0
        byte.code(with: &coder)
        self = byte != 0
    }
}

/// A length, then that many bytes.
extension Array: ByteCodable where Element == UInt8 {
    package static var blank: [UInt8] { [] }
    package mutating func code(with coder: inout ByteCoder) {
        coder.field(&self, write: { $0.sized($1) }, read: { $0.sized().map { Array($0) } })
    }
}

/// UTF-8 with a length.
extension String: ByteCodable {
    package static var blank: String { "" }
    package mutating func code(with coder: inout ByteCoder) {
        coder.field(
            &self, write: { $0.sized($1.utf8) },
            read: { $0.sized().map { String(decoding: $0, as: UTF8.self) } })
    }
}

/// A byte 1 and the value, or a byte 0.
extension Optional: ByteCodable where Wrapped: ByteCodable {
    package static var blank: Wrapped? { nil }
    package mutating func code(with coder: inout ByteCoder) {
        var isThere = self != nil
        isThere.code(with: &coder)
        guard isThere else {
            self = nil
            return
        }
        var value: Wrapped = self ?? .blank
        value.code(with: &coder)
        self = value
    }
}
