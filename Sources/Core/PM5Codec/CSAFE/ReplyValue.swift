import Bytes

/// What a monitor answers to a query, or takes as the parameter of a command: both ways.
package protocol ReplyValue: Hashable, Sendable {
    /// Reads the value, in the byte order of its wrapper.
    init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError)

    /// Appends the value.
    func encode(into writer: inout ByteWriter, order: ByteOrder)
}

extension UInt8: ReplyValue {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = try reader.uint8()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint8(self)
    }
}

extension UInt16: ReplyValue {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = try reader.uint16(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint16(self, order)
    }
}

extension UInt32: ReplyValue {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = try reader.uint32(order)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.uint32(self, order)
    }
}

/// ASCII digits, as long as the reply.
extension String: ReplyValue {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = String(decoding: try reader.slice(reader.remaining), as: UTF8.self)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append(utf8)
    }
}

extension WireEnumeration {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.code(self)
    }
}

/// A reply, or the parameters of a command, of several fields: they are named once, for reading and
/// for writing.
protocol CompositeValue: ReplyValue {
    /// A value to be read into.
    init()

    /// Hands each field to `coder`, in the order of the wire.
    mutating func code(with coder: inout some FieldCoder)
}

/// Reads or writes the fields that a `CompositeValue` hands to it.
protocol FieldCoder {
    mutating func field(_ value: inout some ReplyValue)
}

extension CompositeValue {
    /// Throws `.truncated` at the first field that is not there in full.
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        var fields = CompositeReader(reader: reader, order: order)
        self.init()
        code(with: &fields)
        if let failure = fields.failure { throw failure }
        reader = fields.reader
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        var fields = CompositeWriter(writer: writer, order: order)
        var value = self
        value.code(with: &fields)
        writer = fields.writer
    }
}

private struct CompositeReader: FieldCoder {
    var reader: ByteReader
    let order: ByteOrder
    /// The fields behind a missing one are left as they are.
    var failure: DecodeError?

    mutating func field<Value: ReplyValue>(_ value: inout Value) {
        guard failure == nil else { return }
        do throws(DecodeError) { value = try Value(decoding: &reader, order: order) } catch {
            failure = error
        }
    }
}

private struct CompositeWriter: FieldCoder {
    var writer: ByteWriter
    let order: ByteOrder

    mutating func field(_ value: inout some ReplyValue) {
        value.encode(into: &writer, order: order)
    }
}
