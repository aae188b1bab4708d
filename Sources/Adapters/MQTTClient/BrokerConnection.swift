import Bytes
import CMosquitto

/// One connection to a broker, from the first packet to the last.
///
/// It is created with a `report` closure that receives its events, `.ended` last; nothing happens
/// before `start`. It never reconnects.
package protocol BrokerConnection: AnyObject, Sendable {
    /// Connects, and stays connected until `close`, `abandon` or a failure.
    func start()

    /// Publishes a message; returns its number, which its acknowledgement (QoS 1) or rejection
    /// carries. Numbers count from 1, including subscriptions.
    func publish(
        _ payload: [UInt8], to topic: String, qos: Int32, retain: Bool,
        properties: MessageProperties
    ) -> Int32

    /// Subscribes with QoS 1, unless the options differ (MQTT 5); returns the message's number.
    func subscribe(_ filter: String, _ options: SubscriptionOptions) -> Int32

    /// Disconnects from the broker, which then publishes no will. `.ended` follows.
    func close()

    /// Closes the connection without DISCONNECT.
    func abandon()
}

/// Creates a connection that is not started yet; tests replace it by a broker in memory.
///
/// The closure may be called on any thread.
package typealias BrokerConnector =
    @Sendable (BrokerConfiguration, LastWill?, @escaping @Sendable (MQTTEvent) -> Void)
    throws(BrokerFailure) -> any BrokerConnection

/// An event of a connection.
package enum MQTTEvent: Sendable {
    /// The broker accepted the connection, with its limits.
    case connected(BrokerLimits)
    case acknowledged(message: Int32, reason: UInt8)
    /// The message cannot be sent: an invalid topic, or more bytes than the broker accepts.
    case rejected(message: Int32, BrokerFailure)
    case received(IncomingMessage)
    case subscribed(message: Int32)
    /// The broker did not grant a subscription.
    case subscriptionRefused(message: Int32, reason: UInt8)
    /// A message that was too long was dropped.
    case oversized(bytes: Int)
    /// The last event of a connection; nil if we ended it.
    case ended(BrokerFailure?)
}

/// A message that the broker publishes if our connection is lost.
package struct LastWill: Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var delaySeconds: UInt32
    /// Whether the broker retains it; some brokers retain nothing.
    package var isRetained: Bool

    package init(
        topic: String, payload: [UInt8], delaySeconds: UInt32, isRetained: Bool = true
    ) {
        self.topic = topic
        self.payload = payload
        self.delaySeconds = delaySeconds
        self.isRetained = isRetained
    }
}

/// Options of a subscription; MQTT 3.1.1 supports only `atMostOnce`.
package struct SubscriptionOptions: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Marks every message that its sender published as retained, not only those stored earlier.
    package static let retainAsPublished = Self(
        rawValue: MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue)
    /// Retained messages are sent unless the session already had this subscription.
    package static let retainedWhenNew = Self(rawValue: MQTT_SUB_OPT_SEND_RETAIN_NEW.rawValue)
    /// QoS 0, which uses no in-flight slot and stores nothing while we are away. mosquitto 2.0
    /// never frees the slot of a message that is longer than we allow: after twenty of them, QoS 1
    /// delivers nothing. Not one of the broker's own options.
    package static let atMostOnce = Self(rawValue: 1 << 16)
}

/// The MQTT 5 properties of an outgoing message; a 3.1.1 broker receives none of them.
package struct MessageProperties: Equatable, Sendable {
    /// Content type `application/json` and payload format 1 (UTF-8).
    package var isJSON = false
    /// Seconds after which the broker drops a message that it could not deliver.
    package var expirySeconds: UInt32?
    /// User properties, in this order.
    package var user: [(name: String, value: String)] = []
    /// The requester's correlation data, returned with the reply.
    package var correlationData: [UInt8]?

    package init(isJSON: Bool = false, expirySeconds: UInt32? = nil) {
        self.isJSON = isJSON
        self.expirySeconds = expirySeconds
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.isJSON == right.isJSON && left.expirySeconds == right.expirySeconds
            && left.correlationData == right.correlationData
            && left.user.elementsEqual(right.user, by: ==)
    }
}

/// An incoming message of one of our subscriptions.
package struct IncomingMessage: Equatable, Sendable {
    /// The topic as published, without wildcards.
    package var topic: String
    /// Unchecked bytes.
    package var payload: [UInt8]
    /// A retained message from earlier, not one sent just now.
    package var isRetained = false
    /// The topic for the reply (MQTT 5); nil from a 3.1.1 client.
    package var responseTopic: String?
    /// Data to return with the reply; nil from a 3.1.1 client.
    package var correlationData: [UInt8]?
    /// Remaining message expiry in seconds when the broker sent it; nil for none.
    package var expirySeconds: UInt32?

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

/// The limits that a broker reported when it accepted a connection (CONNACK, MQTT 5.0, 3.2.2.3).
///
/// Values that it did not report mean no limit; a 3.1.1 broker reports none. libmosquitto applies
/// the keep-alive and the longest packet itself.
package struct BrokerLimits: Equatable, Sendable {
    /// Maximum number of unacknowledged messages, from 1.
    package var receiveMaximum = UInt16.max
    /// The highest supported quality of service, 0 to 2.
    package var maximumQoS: UInt8 = 2
    /// Whether it supports retained messages. If not, it rejects a connection that wants to publish
    /// one (3.2.2.3.5), so none is sent.
    package var supportsRetained = true
    /// Bytes of the longest accepted packet; nil for no limit.
    package var maximumPacketBytes: UInt32?
    /// Keep-alive in seconds that replaces ours; nil for ours.
    package var keepAliveSeconds: UInt16?
    /// Session expiry in seconds that replaces ours; nil for ours.
    package var sessionExpirySeconds: UInt32?
    /// From the connection's encryption, not from the CONNACK.
    package var certificates = CertificateExpiry()

    package init() {}

    /// From the properties of the CONNACK.
    init(_ properties: OpaquePointer?) {
        var short = UInt16.max
        var (long, byte): (UInt32, UInt8) = (0, 0)
        func has(_ identifier: mqtt5_property, short value: inout UInt16) -> Bool {
            mosquitto_property_read_int16(
                properties, Int32(identifier.rawValue), &value, false) != nil
        }
        func has(_ identifier: mqtt5_property, long value: inout UInt32) -> Bool {
            mosquitto_property_read_int32(
                properties, Int32(identifier.rawValue), &value, false) != nil
        }
        func has(_ identifier: mqtt5_property, byte value: inout UInt8) -> Bool {
            mosquitto_property_read_byte(
                properties, Int32(identifier.rawValue), &value, false) != nil
        }
        if has(MQTT_PROP_RECEIVE_MAXIMUM, short: &short) { receiveMaximum = max(1, short) }
        if has(MQTT_PROP_MAXIMUM_QOS, byte: &byte) { maximumQoS = byte }
        if has(MQTT_PROP_RETAIN_AVAILABLE, byte: &byte) { supportsRetained = byte != 0 }
        if has(MQTT_PROP_MAXIMUM_PACKET_SIZE, long: &long) { maximumPacketBytes = long }
        if has(MQTT_PROP_SERVER_KEEP_ALIVE, short: &short) { keepAliveSeconds = short }
        if has(MQTT_PROP_SESSION_EXPIRY_INTERVAL, long: &long) { sessionExpirySeconds = long }
    }
}

extension BrokerLimits: ByteCodable {
    package static var blank: Self { Self() }

    package mutating func code(with coder: inout ByteCoder) {
        receiveMaximum.code(with: &coder)
        maximumQoS.code(with: &coder)
        supportsRetained.code(with: &coder)
        maximumPacketBytes.code(with: &coder)
        keepAliveSeconds.code(with: &coder)
        sessionExpirySeconds.code(with: &coder)
        certificates.code(with: &coder)
    }
}
