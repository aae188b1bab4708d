import Bytes

/// A reply or command parameter with several fields. They are listed once, for decoding and encoding.
protocol CompositeValue: ReplyValue, BlankValue {
    /// Passes each field to `coder`, in protocol order.
    mutating func code(with coder: inout some FieldCoder)
}

/// Decodes or encodes the fields of a `CompositeValue`.
protocol FieldCoder {
    mutating func field(_ value: inout some ReplyValue)
}

extension CompositeValue {
    /// Throws `.truncated` at the first incomplete field.
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
    /// Fields after an incomplete one keep their values.
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
