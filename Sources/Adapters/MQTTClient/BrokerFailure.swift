import CMosquitto
import Glibc

/// A failed operation with the broker: operation, broker, cause and remedy.
///
/// It is passed from the connection's process to ours: `ConnectionRequest.swift` encodes each field.
package struct BrokerFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// `connect`, `publish`, ...
    package var operation: String
    /// `host:port`.
    package var broker: String
    /// The cause in words, from the library or the broker.
    package var cause: String
    /// What to do, with the configuration's keys; nil if waiting is the only option.
    package var remedy: String?
    /// The kind of failure, for programs.
    package var kind: Kind

    /// Kinds of failure that the program handles differently.
    package enum Kind: UInt8, Sendable {
        case other
        /// The broker was reached; certificates or encryption failed.
        case encryption
        /// An established connection was closed by the other side without a reason.
        case cutOff
        /// The broker ended an established connection with a reason that one of our messages may
        /// have caused.
        case disconnectedForMessage
        /// The message is longer than the broker accepts.
        case tooLong
        /// The broker does not support retained messages, and therefore rejects a retained last
        /// will.
        case noRetainedMessages
    }

    package init(
        operation: String, broker: String, cause: String, remedy: String? = nil,
        kind: Kind = .other
    ) {
        self.operation = operation
        self.broker = broker
        self.cause = cause
        self.remedy = remedy
        self.kind = kind
    }

    package var description: String { "MQTT broker \(message)" }

    /// A description where it is clear that it concerns the broker.
    package var message: String {
        let text = "\(broker): cannot \(operation): \(cause)"
        return remedy.map { "\(text); \($0)" } ?? text
    }

    /// Creates a failure from libmosquitto's result; `systemError` is errno right after the call.
    static func library(
        _ operation: String, broker: String, code: Int32, systemError: Int32, detail: String? = nil
    ) -> BrokerFailure {
        var failure = BrokerFailure(
            operation: operation, broker: broker,
            cause: detail ?? String(cString: mosquitto_strerror(code)))
        switch mosq_err_t(rawValue: code) {
        case MOSQ_ERR_ERRNO where systemError == 0:
            // The result if the connection ends within a packet.
            failure.cause = "the connection was lost in the middle of a packet"
            failure.kind = .cutOff
        case MOSQ_ERR_ERRNO:
            failure.cause = detail ?? String(cString: strerror(systemError))
            failure.remedy = remedy(systemError: systemError)
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            failure.cause = "the host name cannot be resolved"
            failure.remedy = "check broker.host and the network's DNS"
        case MOSQ_ERR_CONN_LOST:
            failure.cause = "the connection was lost"
            failure.kind = .cutOff
        case MOSQ_ERR_NO_CONN:
            failure.cause = "the broker ended the connection"
            failure.kind = .cutOff
        case MOSQ_ERR_KEEPALIVE:
            failure.cause = "the broker fell silent"
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE:
            failure.remedy = "check the certificates on both sides and the clock"
            failure.kind = .encryption
        case MOSQ_ERR_OVERSIZE_PACKET:
            failure.cause = "it is longer than the broker takes"
            failure.remedy = "let the broker take longer ones"
            failure.kind = .tooLong
        default: break
        }
        return failure
    }

    /// Whether a result of reading means that a packet was not valid MQTT.
    static func isInvalidPacket(_ code: Int32) -> Bool {
        [
            MOSQ_ERR_NOMEM, MOSQ_ERR_PROTOCOL, MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE,
            MOSQ_ERR_NOT_SUPPORTED, MOSQ_ERR_UNKNOWN, MOSQ_ERR_MALFORMED_UTF8,
            MOSQ_ERR_DUPLICATE_PROPERTY, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_QOS_NOT_SUPPORTED,
            MOSQ_ERR_OVERSIZE_PACKET, MOSQ_ERR_TOPIC_ALIAS_INVALID,
        ].contains { $0.rawValue == code }
    }

    /// The peer sent data that libmosquitto cannot parse.
    ///
    /// Its own message is misleading: "Out of memory" if a packet names a length beyond its end.
    static func unreadable(
        _ operation: String, _ configuration: BrokerConfiguration, code: Int32, detail: String?
    ) -> BrokerFailure {
        let words = (detail ?? String(cString: mosquitto_strerror(code)))
            .prefix { $0 != "." && $0 != "\n" }
        return BrokerFailure(
            operation: operation, broker: configuration.address,
            cause: "it sent a packet that MQTT does not allow, or too long a one "
                + "(libmosquitto: \(words))",
            remedy: remedyForInvalidData(configuration))
    }

    /// The remedy for a broker that sends invalid data.
    static func remedyForInvalidData(_ configuration: BrokerConfiguration) -> String {
        let between = "; with broker.tls = true nobody in between can send it"
        return "look at what answers at broker.host and broker.port"
            + (configuration.tls == nil ? between : "")
    }

    /// Creates a failure from the reason code of a CONNACK or DISCONNECT (MQTT 5, 2.4) or the
    /// return code of a 3.1.1 CONNACK (3.2.2.3); 3.1.1 codes are 1 to 5, MQTT 5 codes 0x80 and
    /// above.
    package static func refusal(_ operation: String, broker: String, reason: Int32) -> BrokerFailure {
        var failure = BrokerFailure(
            operation: operation, broker: broker,
            cause: reason < 0x80
                ? String(cString: mosquitto_connack_string(reason))
                : String(cString: mosquitto_reason_string(reason)))
        switch reason {
        case 0x01, 0x84:
            failure.cause = "it does not speak this protocol version"
            failure.remedy = "set broker.protocol to what it speaks"
        case 0x02, 0x85:
            failure.cause = "it does not accept this client id"
            failure.remedy = "set another broker.client_id"
        case 0x04, 0x86:
            failure.cause = "wrong user name or password"
            failure.remedy = "check broker.username and broker.password_file"
        case 0x05, 0x87:
            // mosquitto gives no more detail if the password is wrong.
            failure.cause =
                operation == "connect"
                ? "it does not accept this user name and password" : "not authorized"
            failure.remedy =
                "check broker.username, broker.password_file and the broker's access list"
        case 0x9A:
            failure.cause = "it keeps no messages for later"
            failure.kind = .noRetainedMessages
        case 0x9B: return .noQoS1(broker)
        case 0x8E:
            failure.cause = "another client with the same id took the session over"
            failure.remedy = "give each gateway its own broker.client_id"
        default: break
        }
        return failure
    }

    /// Whether a message of ours may have caused the DISCONNECT (MQTT 5.0, table 2-6), for example
    /// "not authorized" for a denied topic.
    static func mayConcernMessage(_ reason: Int32) -> Bool {
        [0x80, 0x81, 0x82, 0x83, 0x87, 0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B].contains(reason)
    }

    /// A broker without QoS 1, with which delivery cannot be verified.
    package static func noQoS1(_ broker: String) -> BrokerFailure {
        BrokerFailure(
            operation: "connect", broker: broker,
            cause: "it acknowledges no messages (Maximum QoS 0), so nobody would know what arrived",
            remedy: "let it take QoS 1, or set broker.host to one that does")
    }

    private static func remedy(systemError: Int32) -> String? {
        switch systemError {
        case ECONNREFUSED: "is the broker running, and do broker.host and broker.port name it?"
        case ENETUNREACH, EHOSTUNREACH, ETIMEDOUT: "check the network and broker.host"
        default: nil
        }
    }
}
