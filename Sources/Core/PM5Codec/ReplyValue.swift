import Bytes

/// The value of a reply, or a parameter of a command.
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

/// ASCII digits, over the whole reply.
extension String: ReplyValue {
    package init(decoding reader: inout ByteReader, order: ByteOrder) throws(DecodeError) {
        self = String(decoding: try reader.slice(reader.remaining), as: UTF8.self)
    }

    package func encode(into writer: inout ByteWriter, order: ByteOrder) {
        writer.append(utf8)
    }
}
