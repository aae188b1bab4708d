import Contract
import MQTTClient

/// Messages that nobody keeps: live samples out (`live`, `lastLive`), commands in, and the replies to
/// them, as far as `restraints`, `budget` and `parked` allow.
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
        // What cannot be sent is worth nothing later: the next one is on its way.
        _ = connection.publish(
            payload, to: topics.topic(of: topic), qos: 0, retain: false,
            properties: MessageProperties(isJSON: true, expirySeconds: 5))
    }

    private var mayPublishLive: Bool {
        life.phase == .online && !parked.isCareful && !parked.isParked(.live)
    }

    func receive(_ batch: [Incoming]) {
        for incoming in batch where incoming.generation == life.generation {
            // A session that outlived its connection delivers ahead of our birth.
            guard life.phase == .online || life.phase == .announcing else { return }
            let message = incoming.message
            switch topics.incoming(message.topic) {
            case .availability: assertAvailability(message)
            case .homeAssistantStatus: onHomeAssistant?(message)
            case .command(let target, let verb):
                onCommand?(
                    IncomingCommand(
                        target: target, verb: verb, message: message,
                        receivedAt: incoming.receivedAt))
            // Handled where it came in.
            case .retained, .homeAssistantDevice, nil: break
            }
        }
    }

    /// Somebody else wrote on our availability, or an old will came late: set it right.
    private func assertAvailability(_ message: IncomingMessage) {
        guard message.payload != Availability.online.payload else { return }
        let now = now()
        if let count = restraints.overwrittenLine.call(at: now) {
            log.notice(
                "somebody else said that this gateway is offline\(Self.times(count)); it says again "
                    + "that it is online; two gateways must not have the same gateway.id")
        }
        if restraints.availability.call(at: now) != nil {
            send(Availability.online.payload, to: .availability)
        } else {
            pump()
        }
    }

    /// Does what others called for and was put off.
    func followCalls() {
        if restraints.availability.isDue(at: now()) {
            send(Availability.online.payload, to: .availability)
        }
        if restraints.retained.isDue(at: now()) { retained.repeatAll() }
    }

    /// A message was too long to look at.
    func noteOversized(_ bytes: Int) {
        countDropped()
        guard let count = restraints.oversizedLine.call(at: now()) else { return }
        log.warning("a command of \(bytes) bytes was too long to be looked at\(Self.times(count))")
    }

    private static func times(_ count: Int) -> String {
        count > 1 ? " (\(count) times since this was last said)" : ""
    }

    /// Replies that the broker may owe an acknowledgement for; no more are given meanwhile.
    static let replyLimit = 256

    /// Answers a command: to the topic that its sender named, or to `rsp/{verb}`.
    ///
    /// - Parameter verb: as it may stand in a topic.
    package func reply(
        to command: IncomingCommand, from station: StationID?, verb: String, _ payload: [UInt8]
    ) {
        guard !parked.isParked(.replies) else { return countDropped() }
        guard answers.replies < Self.replyLimit else {
            countDropped()
            guard let count = restraints.droppedReplyLine.call(at: now()) else { return }
            return log.warning(
                "\(Self.replyLimit) replies wait for the broker to take them; a command is not "
                    + "answered\(Self.times(count))")
        }
        let named = command.message.responseTopic.flatMap { topics.mayAnswer(on: $0) ? $0 : nil }
        let topic = named ?? topics.response(from: station, verb: verb)
        var properties = MessageProperties(isJSON: true)
        properties.correlationData = command.message.correlationData
        send(
            payload, to: topic, retain: false, properties: properties,
            awaiting: .reply(topic: topic))
    }
}
