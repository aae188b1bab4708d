import Bytes

/// What a connection reports, as the process that holds it tells the one that asked for it; laid out
/// like `ConnectionRequest`.
extension MQTTEvent {
    var frame: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .connected(let receiveMaximum):
            writer.uint8(1)
            writer.uint16(receiveMaximum)
        case .acknowledged(let message, let reason):
            writer.uint8(2)
            writer.message(message)
            writer.uint8(reason)
        case .rejected(let message, let failure):
            writer.uint8(3)
            writer.message(message)
            failure.write(to: &writer)
        case .received(let message):
            writer.uint8(4)
            message.write(to: &writer)
        case .subscribed(let message):
            writer.uint8(5)
            writer.message(message)
        case .subscriptionRefused(let message, let reason):
            writer.uint8(6)
            writer.message(message)
            writer.uint8(reason)
        case .oversized(let bytes):
            writer.uint8(7)
            writer.varint(UInt64(bytes))
        case .ended(let failure):
            writer.uint8(8)
            writer.optional(failure) { $1.write(to: &$0) }
        }
        return writer.bytes
    }

    /// nil for what is no event.
    init?(frame: [UInt8]) {
        let event = try? frame.withReader { reader throws(DecodeError) -> Self? in
            switch try reader.uint8() {
            case 1: return .connected(receiveMaximum: try reader.uint16())
            case 2:
                return .acknowledged(message: try reader.message(), reason: try reader.uint8())
            case 3: return .rejected(message: try reader.message(), try BrokerFailure(&reader))
            case 4: return .received(try IncomingMessage(&reader))
            case 5: return .subscribed(message: try reader.message())
            case 6:
                return .subscriptionRefused(
                    message: try reader.message(), reason: try reader.uint8())
            case 7: return .oversized(bytes: Int(clamping: reader.varint() ?? 0))
            case 8:
                return .ended(
                    try reader.optional { reader throws(DecodeError) in try BrokerFailure(&reader) }
                )
            default: return nil
            }
        }
        guard let event else { return nil }
        self = event
    }
}

extension BrokerFailure {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.text(operation)
        writer.text(broker)
        writer.text(cause)
        writer.optional(remedy) { $0.text($1) }
        writer.flag(isOfTLS)
        writer.flag(isCutOff)
    }

    fileprivate init(_ reader: inout ByteReader) throws(DecodeError) {
        self.init(
            operation: try reader.text(), broker: try reader.text(), cause: try reader.text(),
            remedy: try reader.optionalText(), isOfTLS: try reader.flag())
        isCutOff = try reader.flag()
    }
}

extension IncomingMessage {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.text(topic)
        writer.sized(payload)
        writer.flag(isRetained)
        writer.optional(responseTopic) { $0.text($1) }
        writer.optional(correlationData) { $0.sized($1) }
        writer.optional(expirySeconds) { $0.uint32($1) }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DecodeError) {
        self.init(
            topic: try reader.text(), payload: try reader.data(), isRetained: try reader.flag())
        responseTopic = try reader.optionalText()
        correlationData = try reader.optional { reader throws(DecodeError) in try reader.data() }
        expirySeconds = try reader.optional { reader throws(DecodeError) in try reader.uint32() }
    }
}

extension ByteWriter {
    fileprivate mutating func message(_ number: Int32) { uint32(UInt32(bitPattern: number)) }
}

extension ByteReader {
    fileprivate mutating func message() throws(DecodeError) -> Int32 {
        Int32(bitPattern: try uint32())
    }
}
