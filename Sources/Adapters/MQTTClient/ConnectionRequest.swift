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
