import Bytes
import Contract
import MQTTClient

/// The content of a gateway's message: one case per kind of message that the logbook uses.
enum GatewayMessage: Sendable {
    /// A message of a numbered stream.
    case record(StreamID, Content<JSONObject>)
    /// The availability of an erg, or of the gateway for nil.
    case availability(StationID?, Content<Availability>)
    /// Another retained message.
    case retained(RetainedTopic, Content<JSONObject>)
    /// Samples of an erg or of a crew.
    case live(Content<JSONObject>)
    /// The answer to a command.
    case reply(from: StationID?, verb: String, Content<JSONObject>)

    /// A decoded payload.
    enum Content<Value: Sendable>: Sendable {
        case value(Value)
        /// No payload, which clears a retained message.
        case empty
        /// The payload is too long, or not of the expected form.
        case malformed

        /// The value; nil if there is no valid one.
        var value: Value? { if case .value(let value) = self { value } else { nil } }
    }
}

/// A gateway's message, decoded once for all its handlers.
struct ReceivedMessage: Sendable {
    /// The maximum size of a JSON payload in bytes. No handler accepts a longer one.
    static let maximumBytes = 32 * 1024

    let gateway: GatewayID
    /// The topic below the gateway's prefix.
    let topic: GatewayTopic
    let content: GatewayMessage
    /// The topic as published, for the log.
    let topicName: String
    /// The payload as published.
    let payload: [UInt8]
    /// Whether the broker delivered it as a retained message.
    let isRetained: Bool

    /// Decodes a message; nil for a topic that no handler uses.
    init?(_ message: IncomingMessage, below prefix: TopicPrefix = .standard) {
        // The only place in the logbook that parses a gateway's topic.
        guard let (gateway, topic) = prefix.parse(message.topic) else { return nil }
        let payload = message.payload
        switch topic {
        case .record(let stream): content = .record(stream, Self.object(payload))
        case .retained(.availability): content = .availability(nil, Self.availability(payload))
        case .retained(.stationAvailability(let station)):
            content = .availability(station, Self.availability(payload))
        case .retained(let topic): content = .retained(topic, Self.object(payload))
        case .live, .crewLive: content = .live(Self.object(payload))
        case .reply(let station, let verb):
            content = .reply(from: station, verb: verb, Self.object(payload))
        case .roomLive, .command: return nil
        }
        (self.gateway, self.topic, self.payload) = (gateway, topic, payload)
        (topicName, isRetained) = (message.topic, message.isRetained)
    }

    private static func object(_ payload: [UInt8]) -> GatewayMessage.Content<JSONObject> {
        if payload.isEmpty { return .empty }
        guard payload.count <= maximumBytes else { return .malformed }
        do { return try JSONObject(parsing: payload).map { .value($0) } ?? .malformed } catch {
            return .malformed
        }
    }

    private static func availability(_ payload: [UInt8]) -> GatewayMessage.Content<Availability> {
        if payload.isEmpty { return .empty }
        for availability in [Availability.online, .offline] where payload == availability.payload {
            return .value(availability)
        }
        return .malformed
    }
}
