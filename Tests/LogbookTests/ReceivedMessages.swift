import Contract
import MQTTClient
import Timeline

@testable import Logbook

/// Tests pass messages as the broker delivers them. Each handler gets the decoded form; messages on topics
/// that the logbook does not use are ignored, as `MessageRouter` does.
extension LiveRoom {
    func handle(_ message: IncomingMessage) {
        if let received = ReceivedMessage(message) { handle(received) }
    }
}

extension LiveBoard {
    mutating func apply(
        _ payload: [UInt8], topic: String, isRetained: Bool, at now: BootInstant, clock: WallClock
    ) -> Outcome {
        let message = IncomingMessage(topic: topic, payload: payload, isRetained: isRetained)
        return ReceivedMessage(message).map { apply($0, at: now, clock: clock) } ?? .ignored
    }
}

extension RecordIngester {
    func handle(_ message: IncomingMessage) {
        if let received = ReceivedMessage(message) { handle(received) }
    }
}

extension IngestQueue {
    mutating func handle(_ topic: String, _ payload: [UInt8], at now: BootInstant) -> Refusal? {
        ReceivedMessage(IncomingMessage(topic: topic, payload: payload)).flatMap { handle($0, at: now) }
    }
}

extension SentCommands {
    /// Applies a reply as the router passes it.
    mutating func applyReply(_ payload: [UInt8], verb: String, from place: LiveBoard.Place) {
        let topic = TopicMap(gateway: place.gateway, below: .standard)
            .topic(of: .reply(from: place.erg, verb: verb))
        guard let message = ReceivedMessage(IncomingMessage(topic: topic, payload: payload)),
            case .reply(_, let verb, .value(let reply)) = message.content
        else { return }
        apply(reply, payload, verb: verb, from: place)
    }
}

extension CommandService {
    /// Handles a reply as the router passes it.
    func handle(_ topic: String, _ payload: [UInt8]) {
        guard let message = ReceivedMessage(IncomingMessage(topic: topic, payload: payload)),
            case .reply(let station, let verb, .value(let reply)) = message.content
        else { return }
        handle(
            reply: reply, payload, verb: verb, from: .init(gateway: message.gateway, erg: station))
    }
}

extension SuggestedWorkoutSender {
    /// Handles the state of an erg as the router passes it.
    func handle(_ message: IncomingMessage) {
        guard let message = ReceivedMessage(message),
            case .retained(.state(let station), let content) = message.content
        else { return }
        handleState(content.value, of: station, at: message.gateway)
    }
}
