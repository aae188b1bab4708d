import CMosquitto
import Glibc

/// A property list of libmosquitto, freed at the end of its scope.
///
/// Adding copies the value; it fails only when memory does or for text that is no UTF-8, which a
/// Swift string always is.
struct PropertyList: ~Copyable {
    private(set) var head: OpaquePointer?

    deinit {
        var head = head
        mosquitto_property_free_all(&head)
    }

    mutating func add(_ identifier: mqtt5_property, byte: UInt8) {
        check(mosquitto_property_add_byte(&head, Int32(identifier.rawValue), byte))
    }

    mutating func add(_ identifier: mqtt5_property, number: UInt32) {
        check(mosquitto_property_add_int32(&head, Int32(identifier.rawValue), number))
    }

    mutating func add(_ identifier: mqtt5_property, text: String) {
        check(mosquitto_property_add_string(&head, Int32(identifier.rawValue), text))
    }

    mutating func add(_ identifier: mqtt5_property, bytes: [UInt8]) {
        check(
            mosquitto_property_add_binary(
                &head, Int32(identifier.rawValue), bytes, UInt16(clamping: bytes.count)))
    }

    mutating func add(user name: String, _ value: String) {
        check(
            mosquitto_property_add_string_pair(
                &head, Int32(MQTT_PROP_USER_PROPERTY.rawValue), name, value))
    }

    mutating func add(_ properties: MessageProperties) {
        if properties.isJSON {
            add(MQTT_PROP_PAYLOAD_FORMAT_INDICATOR, byte: 1)
            add(MQTT_PROP_CONTENT_TYPE, text: "application/json")
        }
        if let seconds = properties.expirySeconds {
            add(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL, number: seconds)
        }
        if let bytes = properties.correlationData { add(MQTT_PROP_CORRELATION_DATA, bytes: bytes) }
        for pair in properties.user { add(user: pair.name, pair.value) }
    }

    /// Returns the list for a call that frees it.
    consuming func release() -> OpaquePointer? {
        let list = head
        head = nil
        return list
    }

    private func check(_ code: Int32) {
        precondition(
            code == 0, "a property that cannot fail: \(String(cString: mosquitto_strerror(code)))")
    }
}

extension IncomingMessage {
    /// Copies libmosquitto's properties; must be called inside the message callback.
    init(_ message: UnsafePointer<mosquitto_message>, properties: OpaquePointer?) {
        let payload = UnsafeRawBufferPointer(
            start: message.pointee.payload, count: Int(message.pointee.payloadlen))
        self.init(
            topic: String(cString: message.pointee.topic), payload: Array(payload),
            isRetained: message.pointee.retain)
        responseTopic = Self.responseTopic(properties)
        correlationData = Self.correlationData(properties)
        var seconds: UInt32 = 0
        let expiry = Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue)
        if mosquitto_property_read_int32(properties, expiry, &seconds, false) != nil {
            expirySeconds = seconds
        }
    }

    private static func responseTopic(_ properties: OpaquePointer?) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let identifier = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
        guard mosquitto_property_read_string(properties, identifier, &text, false) != nil,
            let text
        else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func correlationData(_ properties: OpaquePointer?) -> [UInt8]? {
        var bytes: UnsafeMutableRawPointer?
        var count: UInt16 = 0
        let identifier = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
        guard mosquitto_property_read_binary(properties, identifier, &bytes, &count, false) != nil,
            let bytes
        else { return nil }
        defer { free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
}

/// Numbers messages from 1 in the order of the calls, and maps libmosquitto's identifiers of
/// unanswered ones to them.
struct MessageNumbers {
    private var last: Int32 = 0
    private var unanswered: [Int32: Int32] = [:]

    static func next(_ number: Int32) -> Int32 { number == .max ? 1 : number + 1 }

    /// - Parameter identifier: nil for a message without an answer.
    mutating func add(_ identifier: Int32?) -> Int32 {
        last = Self.next(last)
        if let identifier { unanswered[identifier] = last }
        return last
    }

    mutating func remove(_ identifier: Int32) -> Int32? {
        unanswered.removeValue(forKey: identifier)
    }
}
