import CMosquitto

/// One connection to a broker, from the first packet to the last: what a publisher asks of it.
///
/// It is made with a `report`, which gets its events, `.ended` last; nothing happens before
/// `start`. It never reconnects.
package protocol BrokerConnection: AnyObject, Sendable {
    /// Connects, and stays until `close`, `abandon` or a failure.
    func start()

    /// Takes a message; returns its number, which its acknowledgement (QoS 1) or its rejection will
    /// carry. Numbers count from 1, subscriptions included.
    func publish(
        _ payload: [UInt8], to topic: String, qos: Int32, retain: Bool,
        properties: MessageProperties
    ) -> Int32

    /// Subscribes, with QoS 1 unless the options say otherwise, to what others publish (MQTT 5); returns
    /// the message's number.
    func subscribe(_ filter: String, _ options: SubscriptionOptions) -> Int32

    /// Says goodbye to the broker, which then publishes no will. `.ended` follows.
    func close()

    /// Lets go without a word.
    func abandon()
}

/// Makes a connection that is not started yet; a test puts a broker in memory here.
///
/// The closure that it is given may be called on any thread.
package typealias BrokerConnector =
    @Sendable (BrokerConfiguration, LastWill?, @escaping @Sendable (MQTTEvent) -> Void)
    throws(BrokerFailure) -> any BrokerConnection

/// What a connection reports.
package enum MQTTEvent: Sendable {
    /// The broker said yes, and how far it goes.
    case connected(BrokerTerms)
    case acknowledged(message: Int32, reason: UInt8)
    /// The message cannot be sent: a bad topic, or more bytes than the broker takes.
    case rejected(message: Int32, BrokerFailure)
    case received(IncomingMessage)
    case subscribed(message: Int32)
    /// The broker did not grant a subscription.
    case subscriptionRefused(message: Int32, reason: UInt8)
    /// A message that was too long to look at.
    case oversized(bytes: Int)
    /// The last event of a connection; nil when we ended it.
    case ended(BrokerFailure?)
}

/// A message that the broker publishes for us when we vanish.
package struct LastWill: Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var delaySeconds: UInt32
    /// Whether the broker keeps it for whoever subscribes later; some keep nothing.
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

/// How messages come; of all this MQTT 3.1.1 knows `atMostOnce` alone.
package struct SubscriptionOptions: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A message that its sender wants retained says so, and not only one kept from earlier.
    package static let retainAsPublished = Self(
        rawValue: MQTT_SUB_OPT_RETAIN_AS_PUBLISHED.rawValue)
    /// What was kept comes unless the session had this subscription already.
    package static let retainedWhenNew = Self(rawValue: MQTT_SUB_OPT_SEND_RETAIN_NEW.rawValue)
    /// With QoS 0, which takes no place in flight, and of which the broker keeps nothing while we are
    /// away. mosquitto 2.0 never gives back the place of a message that is longer than we allow: twenty
    /// of them and QoS 1 brings nothing any more. Not one of the broker's own options.
    package static let atMostOnce = Self(rawValue: 1 << 16)
}

/// The MQTT 5 properties of a message that we send; a 3.1.1 broker gets none of them.
package struct MessageProperties: Equatable, Sendable {
    /// Content type `application/json` and payload format 1 (UTF-8).
    package var isJSON = false
    /// Seconds after which the broker drops a message that it could not deliver.
    package var expirySeconds: UInt32?
    /// User properties, in this order.
    package var user: [(name: String, value: String)] = []
    /// What a requester wants back with its reply.
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

/// A message that came in on one of our subscriptions.
package struct IncomingMessage: Equatable, Sendable {
    /// As the sender published it: no wildcard in it.
    package var topic: String
    /// Not checked for anything.
    package var payload: [UInt8]
    /// The broker kept it from earlier: it was not sent just now.
    package var isRetained = false
    /// Where the sender wants the reply (MQTT 5); nil from a 3.1.1 client.
    package var responseTopic: String?
    /// What the sender wants back with the reply; nil from a 3.1.1 client.
    package var correlationData: [UInt8]?
    /// Seconds that the message was still worth when the broker passed it on; nil for ever.
    package var expirySeconds: UInt32?

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
