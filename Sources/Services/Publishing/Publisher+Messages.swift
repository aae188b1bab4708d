import Contract
import MQTTClient

/// Messages that nobody keeps: live samples out (`live`), commands in, and the replies to them.
extension Publisher {
    func publish(live batch: [LiveSample]) {
        guard life.phase == .online, let connection else { return }
        let properties = MessageProperties(isJSON: true, expirySeconds: 5)
        for sample in batch {
            let payload = live.encode(
                sample.sample, of: sample.station, gateway: topics.gateway, clock: sample.clock)
            // A sample that cannot be sent is worth nothing later: the next one is on its way.
            _ = connection.publish(
                payload, to: topics.live(sample.station), qos: 0, retain: false,
                properties: properties)
        }
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
            case nil: break
            }
        }
    }

    /// Somebody else wrote on our availability, or an old will came late: set it right.
    private func assertAvailability(_ message: IncomingMessage) {
        guard message.payload != Availability.online.payload else { return }
        log.notice("availability was overwritten from outside; publishing online again")
        send(Availability.online.payload, to: .availability)
    }

    /// Answers a command: to the topic that its sender named, or to `rsp/{verb}`.
    ///
    /// - Parameter verb: as it may stand in a topic.
    package func reply(
        to command: IncomingCommand, from station: StationID?, verb: String, _ payload: [UInt8]
    ) {
        let named = command.message.responseTopic.flatMap { topics.mayAnswer(on: $0) ? $0 : nil }
        let topic = named ?? topics.response(from: station, verb: verb)
        var properties = MessageProperties(isJSON: true)
        properties.correlationData = command.message.correlationData
        send(
            payload, to: topic, retain: false, properties: properties,
            awaiting: .reply(topic: topic))
    }
}
