import Bytes
import Contract
import MQTTClient
import Rowing
import Timeline

/// Messages that are not stored: live samples (`live`, `lastLive`), commands and replies, as far as
/// `rateLimits`, `budget` and `parked` allow.
extension Publisher {
    func publish(live batch: [LiveSample]) {
        guard mayPublishLive else { return }
        for sample in batch {
            let payload = live.encode(
                sample.sample, of: sample.station, gateway: topics.gateway, clock: sample.clock)
            publish(live: payload, on: .live(sample.station))
        }
    }

    func publish(live payload: [UInt8], on topic: GatewayTopic) {
        guard mayPublishLive, budget.allows(at: now()), let connection else { return }
        budget.spend(at: now())
        lastLive = now()
        // An unsent live message is dropped; the next one follows.
        _ = connection.publish(
            payload, to: topics.topic(of: topic), qos: 0, retain: false,
            properties: MessageProperties(isJSON: true, expirySeconds: 5))
    }

    private var mayPublishLive: Bool {
        state.phase == .online && !parked.isCareful && !parked.isParked(.live)
    }

    func receive(_ batch: [Incoming]) {
        for incoming in batch where incoming.generation == state.generation {
            // A resumed session can deliver messages before the birth.
            guard state.phase == .online || state.phase == .announcing else { return }
            let message = incoming.message
            switch topics.incoming(message.topic) {
            case .availability: assertAvailability(message)
            case .homeAssistantStatus: onHomeAssistant?(message)
            case .command(let target, let verb):
                onCommand?(
                    IncomingCommand(
                        target: target, verb: verb, message: message,
                        receivedAt: incoming.receivedAt))
            // Handled on the connection's thread.
            case .retained, .homeAssistantDevice, nil: break
            }
        }
    }

    /// Restores our availability after another client or a late will has overwritten it.
    private func assertAvailability(_ message: IncomingMessage) {
        guard message.payload != Availability.online.payload else { return }
        let now = now()
        if let count = rateLimits.overwrittenLine.trigger(at: now) {
            log.notice(
                "another client published that this gateway is offline\(Self.times(count)); publishing "
                    + "online again; two gateways must not have the same gateway.id")
        }
        if rateLimits.availability.trigger(at: now) != nil {
            send(Availability.online.payload, to: .availability)
        } else {
            pump()
        }
    }

    /// Performs rate-limited actions that are due.
    func performDueActions() {
        if rateLimits.availability.isDue(at: now()) {
            send(Availability.online.payload, to: .availability)
        }
        if rateLimits.retained.isDue(at: now()) { retained.repeatAll() }
    }

    /// Notes an oversized message.
    func noteOversized(_ bytes: Int) {
        countDropped()
        guard let count = rateLimits.oversizedLine.trigger(at: now()) else { return }
        log.warning("a command of \(bytes) bytes was too long and ignored\(Self.times(count))")
    }

    private static func times(_ count: Int) -> String {
        count > 1 ? " (\(count) times since the last such line)" : ""
    }

    /// Maximum number of unacknowledged replies; further commands get no reply.
    static let mostPendingReplies = 256

    /// Replies to a command on the topic that its sender named, or on `rsp/{verb}`.
    ///
    /// - Parameter verb: valid as a topic level.
    package func reply(
        to command: IncomingCommand, from station: StationID?, verb: String, _ payload: [UInt8]
    ) {
        guard !parked.isParked(.replies) else { return countDropped() }
        guard pendingAcks.replies < Self.mostPendingReplies else {
            countDropped()
            guard let count = rateLimits.droppedReplyLine.trigger(at: now()) else { return }
            return log.warning(
                "\(Self.mostPendingReplies) replies wait for acknowledgement; a command gets no "
                    + "reply\(Self.times(count))")
        }
        let named = command.message.responseTopic.flatMap { topics.mayReply(on: $0) ? $0 : nil }
        let topic = named ?? topics.response(from: station, verb: verb)
        var properties = MessageProperties(isJSON: true)
        properties.correlationData = command.message.correlationData
        send(
            payload, to: topic, retain: false, properties: properties,
            awaiting: .reply(topic: topic))
    }
}

/// Encodes live samples, numbered per erg, into one buffer that is reused.
struct LiveEncoder {
    private var sequences: [StationID: UInt64] = [:]
    private var json = JSONWriter()

    mutating func encode(
        _ sample: MetricsSample, of station: StationID, gateway: GatewayID, clock: WallClock
    ) -> [UInt8] {
        sequences[station, default: 0] += 1
        sample.encode(
            of: station, gateway: gateway, number: sequences[station, default: 0], clock: clock,
            into: &json)
        return json.bytes
    }
}

/// A command as it arrived; only its topic is checked.
package struct IncomingCommand: Equatable, Sendable {
    /// The addressee, from its topic.
    package var target: CommandTarget
    /// From its topic, known or not.
    package var verb: String
    /// The payload and the topic for the reply.
    package var message: IncomingMessage
    /// When it was received.
    package var receivedAt: BootInstant
}
