import Bytes

/// A reply, or the parameters of a command, of several fields: they are named once, for reading and
/// for writing.
protocol CompositeValue: ReplyValue, BlankValue {
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
