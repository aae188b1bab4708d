import Bytes

/// The contents of a frame from the monitor: a status byte and the replies to the commands.
///
/// Source: Concept2 CSAFE definition rev 0.25, response frames; captured set and get replies.
package struct Response: Hashable, Sendable {
    /// Check `isAccepted` before the replies: a rejected frame can still echo a wrapper.
    package var status: StatusByte
    /// One for each command with an answer, in the order of the request; a wrapper is one reply.
    package var replies: [Reply]
    /// Whether the last reply is shorter than its byte count, as some emulators send it.
    package var isTruncated: Bool

    package init(status: StatusByte, replies: [Reply] = []) {
        self.status = status
        self.replies = replies
        isTruncated = false
    }

    /// Decodes a frame. A truncated reply is stored and sets `isTruncated`. Throws without a status byte.
    package init(_ frame: Frame) throws(DecodeError) {
        let contents = frame.contents
        guard let first = contents.first else { throw .truncated(needed: 1, had: 0) }
        status = StatusByte(rawValue: first)
        (replies, isTruncated) = Reply.parse(contents.dropFirst(), areSetCommandsBare: false)
    }

    /// Returns the frame with this response, to `addresses` if the request was extended.
    package func frame(addresses: Frame.Addresses? = nil) -> Frame {
        var writer = ByteWriter()
        writer.uint8(status.rawValue)
        for reply in replies { reply.encode(into: &writer) }
        return Frame(contents: writer.bytes, addresses: addresses)
    }

    /// Returns the answer to `query`; nil if there is none.
    ///
    /// The wrapper of the answer determines its byte order. Throws if the data are too short.
    package func value<Value>(of query: Query<Value>) throws(DecodeError) -> Value? {
        guard query.wrapper != nil else {
            return try value(of: query, in: replies, carrier: nil)
        }
        for reply in replies {
            guard let wrapper = reply.wrapper else { continue }
            if let value = try value(of: query, in: reply.inner, carrier: wrapper) { return value }
        }
        return nil
    }

    private func value<Value>(
        of query: Query<Value>, in replies: [Reply], carrier: Wrapper?
    ) throws(DecodeError) -> Value? {
        guard let data = replies.first(where: { $0.id == query.id })?.data else { return nil }
        let order = query.byteOrder(in: carrier)
        return try data.withReader { reader throws(DecodeError) in
            try Value(decoding: &reader, order: order)
        }
    }

    /// The status that GETSTATUS returns: after its ID, or alone.
    package var reportedStatus: StatusByte {
        get throws(DecodeError) { try value(of: .status) ?? status }
    }

    /// The IDs of the accepted set commands, in order.
    package var acknowledgedIDs: [UInt8] {
        replies.filter { $0.wrapper != nil }.flatMap(\.inner).filter { $0.data == nil }.map(\.id)
    }
}

/// The reply to one command, or a wrapper around several.
package struct Reply: Hashable, Sendable {
    /// The ID of the answered command.
    package var id: UInt8
    /// Nil for an ID that only acknowledges a set command inside a wrapper.
    package var data: [UInt8]?

    package init(id: UInt8, data: [UInt8]?) {
        self.id = id
        self.data = data
    }

    /// Creates the answer to a query, for the wrapper of the request.
    package init<Value>(answering query: Query<Value>, _ value: Value, in wrapper: Wrapper?) {
        var writer = ByteWriter()
        value.encode(into: &writer, order: query.byteOrder(in: wrapper))
        self.init(id: query.id, data: writer.bytes)
    }

    /// Creates a wrapper around replies. 0x1A does not acknowledge its set commands individually.
    package init(_ wrapper: Wrapper, _ replies: [Reply]) {
        var writer = ByteWriter()
        for reply in replies where wrapper != .userConfiguration || reply.data != nil {
            reply.encode(into: &writer)
        }
        self.init(id: wrapper.rawValue, data: writer.bytes)
    }

    /// Creates the acknowledgement of a set command.
    package static func acknowledging(_ command: ProprietaryCommand) -> Reply {
        Reply(id: command.id, data: nil)
    }

    /// Nil for the reply to a public command.
    package var wrapper: Wrapper? { Wrapper(rawValue: id) }

    /// The replies inside a wrapper; empty for any other reply.
    package var inner: [Reply] {
        guard wrapper != nil, let data else { return [] }
        return Reply.parse(data[...], areSetCommandsBare: true).replies
    }

    func encode(into writer: inout ByteWriter) {
        guard let data else { return writer.uint8(id) }
        writer.long(id, data)
    }

    /// IDs of set commands are lower; IDs of get commands, short or long, are not.
    private static let firstGetCommand: UInt8 = 0x50

    static func parse(
        _ bytes: ArraySlice<UInt8>, areSetCommandsBare: Bool
    ) -> (replies: [Reply], isTruncated: Bool) {
        var rest = bytes
        var replies: [Reply] = []
        while let id = rest.popFirst() {
            if areSetCommandsBare && id < firstGetCommand {
                replies.append(Reply(id: id, data: nil))
                continue
            }
            guard let count = rest.popFirst() else {
                return (replies + [Reply(id: id, data: nil)], true)
            }
            replies.append(Reply(id: id, data: Array(rest.prefix(Int(count)))))
            guard rest.count >= count else { return (replies, true) }
            rest.removeFirst(Int(count))
        }
        return (replies, false)
    }
}
