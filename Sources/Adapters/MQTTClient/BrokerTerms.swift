import Bytes
import CMosquitto

/// What a broker said of itself when it took a connection (CONNACK, MQTT 5.0, 3.2.2.3).
///
/// What it did not say has the value that stands for no limit; a 3.1.1 broker says nothing of the kind.
/// libmosquitto keeps to the keep-alive and to the longest packet by itself.
package struct BrokerTerms: Equatable, Sendable {
    /// How many answers it is willing to owe, from 1.
    package var receiveMaximum = UInt16.max
    /// The highest quality of service that it takes, 0 to 2.
    package var maximumQoS: UInt8 = 2
    /// Whether it keeps messages for whoever subscribes later. It refuses a connection that wants to
    /// publish such a message (3.2.2.3.5), so none is.
    package var keepsRetained = true
    /// Bytes of the longest packet that it takes; nil for any.
    package var maximumPacketBytes: UInt32?
    /// Seconds between signs of life in place of ours; nil for ours.
    package var keepAliveSeconds: UInt16?
    /// Seconds that it keeps the session in place of what we asked for; nil for that.
    package var sessionExpirySeconds: UInt32?
    /// Of the connection's encryption, not of the CONNACK.
    package var certificates = CertificateEnds()

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
        if has(MQTT_PROP_RETAIN_AVAILABLE, byte: &byte) { keepsRetained = byte != 0 }
        if has(MQTT_PROP_MAXIMUM_PACKET_SIZE, long: &long) { maximumPacketBytes = long }
        if has(MQTT_PROP_SERVER_KEEP_ALIVE, short: &short) { keepAliveSeconds = short }
        if has(MQTT_PROP_SESSION_EXPIRY_INTERVAL, long: &long) { sessionExpirySeconds = long }
    }
}

extension BrokerTerms: ByteCodable {
    package static var blank: Self { Self() }

    package mutating func code(with coder: inout ByteCoder) {
        receiveMaximum.code(with: &coder)
        maximumQoS.code(with: &coder)
        keepsRetained.code(with: &coder)
        maximumPacketBytes.code(with: &coder)
        keepAliveSeconds.code(with: &coder)
        sessionExpirySeconds.code(with: &coder)
        certificates.code(with: &coder)
    }
}
