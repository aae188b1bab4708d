import Bytes

/// What a connection is asked for, as the process that asks tells the one that holds it.
///
/// Each is a byte that says which, then its fields in the order of the `switch` below; texts and
/// bytes with their length before them, what may be absent behind a byte that is 0 or 1.
enum ConnectionRequest {
    case connect(BrokerConfiguration, LastWill?)
    case publish([UInt8], topic: String, qos: Int32, retain: Bool, MessageProperties)
    case subscribe(String, SubscriptionOptions)
    case close

    var frame: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .connect(let configuration, let will):
            writer.uint8(1)
            configuration.write(to: &writer)
            writer.optional(will) { $0.will($1) }
        case .publish(let payload, let topic, let qos, let retain, let properties):
            writer.uint8(2)
            writer.sized(payload)
            writer.text(topic)
            writer.uint8(UInt8(qos))
            writer.flag(retain)
            properties.write(to: &writer)
        case .subscribe(let filter, let options):
            writer.uint8(3)
            writer.text(filter)
            writer.uint32(options.rawValue)
        case .close: writer.uint8(4)
        }
        return writer.bytes
    }

    /// nil for what is no request.
    init?(frame: [UInt8]) {
        let request = try? frame.withReader { reader throws(DecodeError) -> Self? in
            switch try reader.uint8() {
            case 1:
                return .connect(
                    try BrokerConfiguration(&reader),
                    try reader.optional { reader throws(DecodeError) in try reader.will() })
            case 2:
                return .publish(
                    try reader.data(), topic: try reader.text(), qos: Int32(try reader.uint8()),
                    retain: try reader.flag(), try MessageProperties(&reader))
            case 3: return .subscribe(try reader.text(), .init(rawValue: try reader.uint32()))
            case 4: return .close
            default: return nil
            }
        }
        guard let request else { return nil }
        self = request
    }
}

extension BrokerConfiguration {
    /// What a connection needs; the rest is the publisher's.
    fileprivate func write(to writer: inout ByteWriter) {
        writer.text(host)
        writer.uint16(port)
        writer.text(clientID)
        writer.optional(username) { $0.text($1) }
        writer.optional(password) { $0.text($1) }
        writer.uint16(keepAliveSeconds)
        writer.flag(protocolVersion == .v5)
        writer.uint32(willDelaySeconds)
        writer.optional(tls) { writer, tls in
            for file in [tls.authorityFile, tls.certificateFile, tls.keyFile] {
                writer.optional(file) { $0.text($1) }
            }
        }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DecodeError) {
        self.init(
            host: try reader.text(), port: try reader.uint16(), clientID: try reader.text())
        username = try reader.optionalText()
        password = try reader.optionalText()
        keepAliveSeconds = try reader.uint16()
        protocolVersion = try reader.flag() ? .v5 : .v311
        willDelaySeconds = try reader.uint32()
        tls = try reader.optional { reader throws(DecodeError) in
            TLSConfiguration(
                authorityFile: try reader.optionalText(),
                certificateFile: try reader.optionalText(), keyFile: try reader.optionalText())
        }
    }
}

extension MessageProperties {
    fileprivate func write(to writer: inout ByteWriter) {
        writer.flag(isJSON)
        writer.optional(expirySeconds) { $0.uint32($1) }
        writer.varint(UInt64(user.count))
        for pair in user {
            writer.text(pair.name)
            writer.text(pair.value)
        }
        writer.optional(correlationData) { $0.sized($1) }
    }

    fileprivate init(_ reader: inout ByteReader) throws(DecodeError) {
        self.init(isJSON: try reader.flag())
        expirySeconds = try reader.optional { reader throws(DecodeError) in try reader.uint32() }
        for _ in 0..<(reader.varint() ?? 0) {
            user.append((name: try reader.text(), value: try reader.text()))
        }
        correlationData = try reader.optional { reader throws(DecodeError) in try reader.data() }
    }
}

extension ByteWriter {
    fileprivate mutating func will(_ will: LastWill) {
        text(will.topic)
        sized(will.payload)
        uint32(will.delaySeconds)
    }

    mutating func text(_ text: String) { sized(text.utf8) }

    mutating func flag(_ flag: Bool) { uint8(flag ? 1 : 0) }

    mutating func optional<Value>(_ value: Value?, _ write: (inout Self, Value) -> Void) {
        flag(value != nil)
        if let value { write(&self, value) }
    }
}

extension ByteReader {
    fileprivate mutating func will() throws(DecodeError) -> LastWill {
        LastWill(topic: try text(), payload: try data(), delaySeconds: try uint32())
    }

    mutating func data() throws(DecodeError) -> [UInt8] {
        guard let bytes = sized() else { throw .truncated(needed: offset + 1, had: offset) }
        return Array(bytes)
    }

    mutating func text() throws(DecodeError) -> String {
        String(decoding: try data(), as: UTF8.self)
    }

    mutating func flag() throws(DecodeError) -> Bool { try uint8() != 0 }

    mutating func optional<Value>(
        _ read: (inout Self) throws(DecodeError) -> Value
    ) throws(DecodeError) -> Value? {
        try flag() ? try read(&self) : nil
    }

    mutating func optionalText() throws(DecodeError) -> String? {
        try optional { reader throws(DecodeError) in try reader.text() }
    }
}
