import Bytes

/// A request to the process that holds the connection.
///
/// Encoded as a byte for the case, then its fields in the order of the `switch` below: texts and
/// bytes with their length, optional values after a byte that is 0 or 1.
enum ConnectionRequest {
    case connect(BrokerConfiguration, LastWill?)
    case publish([UInt8], topic: String, qos: Int32, retain: Bool, MessageProperties)
    case subscribe(String, SubscriptionOptions)
    case close

    var frame: [UInt8] {
        ByteCoder.bytes { coder in
            switch self {
            case .connect(let configuration, let will):
                coder.write(1 as UInt8)
                coder.write(configuration)
                coder.write(will)
            case .publish(let payload, let topic, let qos, let retain, let properties):
                coder.write(2 as UInt8)
                coder.write(payload)
                coder.write(topic)
                coder.write(UInt8(qos))
                coder.write(retain)
                coder.write(properties)
            case .subscribe(let filter, let options):
                coder.write(3 as UInt8)
                coder.write(filter)
                coder.write(options.rawValue)
            case .close: coder.write(4 as UInt8)
            }
        }
    }

    /// Returns nil for an invalid frame.
    init?(frame: [UInt8]) {
        let request = ByteCoder.read(frame) { coder -> Self? in
            switch coder.read(UInt8.self) {
            case 1: .connect(coder.read(), coder.read())
            case 2:
                .publish(
                    coder.read(), topic: coder.read(), qos: Int32(coder.read(UInt8.self)),
                    retain: coder.read(), coder.read())
            case 3: .subscribe(coder.read(), .init(rawValue: coder.read()))
            case 4: .close
            default: nil
            }
        }
        guard let request else { return nil }
        self = request
    }
}

/// The fields that a connection needs; the others are the publisher's.
extension BrokerConfiguration: ByteCodable {
    package static var blank: Self { Self(host: "", port: 0, clientID: "") }

    package mutating func code(with coder: inout ByteCoder) {
        host.code(with: &coder)
        port.code(with: &coder)
        clientID.code(with: &coder)
        username.code(with: &coder)
        password.code(with: &coder)
        keepAliveSeconds.code(with: &coder)
        var isVersion5 = protocolVersion == .v5
        isVersion5.code(with: &coder)
        protocolVersion = isVersion5 ? .v5 : .v311
        willDelaySeconds.code(with: &coder)
        sessionExpirySeconds.code(with: &coder)
        tls.code(with: &coder)
    }
}

extension BrokerConfiguration.TLSConfiguration: ByteCodable {
    package static var blank: Self { Self() }

    package mutating func code(with coder: inout ByteCoder) {
        authorityFile.code(with: &coder)
        certificateFile.code(with: &coder)
        keyFile.code(with: &coder)
    }
}

extension LastWill: ByteCodable {
    package static var blank: Self { Self(topic: "", payload: [], delaySeconds: 0) }

    package mutating func code(with coder: inout ByteCoder) {
        topic.code(with: &coder)
        payload.code(with: &coder)
        delaySeconds.code(with: &coder)
        isRetained.code(with: &coder)
    }
}

extension MessageProperties: ByteCodable {
    package static var blank: Self { Self() }

    package mutating func code(with coder: inout ByteCoder) {
        isJSON.code(with: &coder)
        expirySeconds.code(with: &coder)
        coder.list(&user, blank: ("", "")) { coder, pair in
            pair.name.code(with: &coder)
            pair.value.code(with: &coder)
        }
        correlationData.code(with: &coder)
    }
}

/// Encodes events for the process that requested the connection, in the layout of
/// `ConnectionRequest`.
extension MQTTEvent {
    var frame: [UInt8] {
        ByteCoder.bytes { coder in
            switch self {
            case .connected(let terms):
                coder.write(1 as UInt8)
                coder.write(terms)
            case .acknowledged(let message, let reason):
                coder.write(2 as UInt8)
                coder.write(message)
                coder.write(reason)
            case .rejected(let message, let failure):
                coder.write(3 as UInt8)
                coder.write(message)
                coder.write(failure)
            case .received(let message):
                coder.write(4 as UInt8)
                coder.write(message)
            case .subscribed(let message):
                coder.write(5 as UInt8)
                coder.write(message)
            case .subscriptionRefused(let message, let reason):
                coder.write(6 as UInt8)
                coder.write(message)
                coder.write(reason)
            case .oversized(let bytes):
                coder.write(7 as UInt8)
                coder.write(UInt32(clamping: bytes))
            case .ended(let failure):
                coder.write(8 as UInt8)
                coder.write(failure)
            }
        }
    }

    /// Returns nil for an invalid frame.
    init?(frame: [UInt8]) {
        let event = ByteCoder.read(frame) { coder -> Self? in
            switch coder.read(UInt8.self) {
            case 1: .connected(coder.read())
            case 2: .acknowledged(message: coder.read(), reason: coder.read())
            case 3: .rejected(message: coder.read(), coder.read())
            case 4: .received(coder.read())
            case 5: .subscribed(message: coder.read())
            case 6: .subscriptionRefused(message: coder.read(), reason: coder.read())
            case 7: .oversized(bytes: Int(coder.read(UInt32.self)))
            case 8: .ended(coder.read())
            default: nil
            }
        }
        guard let event else { return nil }
        self = event
    }
}

extension BrokerFailure: ByteCodable {
    package static var blank: Self { Self(operation: "", broker: "", cause: "") }

    package mutating func code(with coder: inout ByteCoder) {
        operation.code(with: &coder)
        broker.code(with: &coder)
        cause.code(with: &coder)
        remedy.code(with: &coder)
        kind.code(with: &coder)
    }
}

extension IncomingMessage: ByteCodable {
    package static var blank: Self { Self(topic: "", payload: []) }

    package mutating func code(with coder: inout ByteCoder) {
        topic.code(with: &coder)
        payload.code(with: &coder)
        isRetained.code(with: &coder)
        responseTopic.code(with: &coder)
        correlationData.code(with: &coder)
        expirySeconds.code(with: &coder)
    }
}

extension BrokerFailure.Kind: ByteCodable {
    package static var blank: Self { .other }

    package mutating func code(with coder: inout ByteCoder) {
        coder.field(
            &self, write: { $0.uint8($1.rawValue) },
            read: { (try? $0.uint8()).flatMap(Self.init(rawValue:)) })
    }
}

/// The number of a message.
extension Int32: ByteCodable {
    package static var blank: Int32 { 0 }
    package mutating func code(with coder: inout ByteCoder) {
        var bits = UInt32(bitPattern: self)
        bits.code(with: &coder)
        self = Int32(bitPattern: bits)
    }
}
