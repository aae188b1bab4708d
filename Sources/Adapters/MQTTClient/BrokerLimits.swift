import Bytes
import CMosquitto

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
