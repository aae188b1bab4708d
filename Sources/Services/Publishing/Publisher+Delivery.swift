import Contract
import MQTTClient

/// What goes out with QoS 1, and what comes back: `queue`, `logCalls`, `latencies`, `answers`.
extension Publisher {
    // MARK: Durable records

    /// Sends what may be sent, reads on when the line is empty, and passes on what is settled.
    func pump() {
        guard life.phase == .online else { return }
        while let transmission = queue.next(at: now()) { publish(transmission) }
        readOn()
        reportAcknowledged()
        pumpReplays()
        followCalls()
        if let due = [queue.nextDue, replays.nextDue, restraints.due].compactMap(\.self).min() {
            pumpTimer?.fire(after: now().duration(to: due))
        } else {
            pumpTimer?.stop()
        }
    }

    private func publish(_ transmission: PublishQueue.Transmission) {
        let record = transmission.record
        send(
            record, historical: transmission.isHistorical, awaiting: .record(record, sent: now()))
    }

    /// Publishes a record as it is stored.
    func send(
        _ record: OutgoingRecord, historical: Bool, awaiting: AwaitedAnswers.Subject
    ) {
        var properties = MessageProperties(isJSON: true)
        properties.user = [
            ("epoch", record.epoch), ("kind", record.stream.kind.topicName),
            ("seq", String(record.sequence)), ("historical", historical ? "true" : "false"),
        ]
        send(
            RecordEncoder.published(record.payload, historical: historical),
            to: topics.topic(of: record.stream), retain: false, properties: properties,
            awaiting: awaiting)
    }

    private func readOn() {
        guard queue.wantsRecords, logCalls.begin(.read) else { return }
        let (position, growth) = (queue.readPosition, queue.growth)
        Task {
            let batch = await source.records(after: position, limit: Self.batchLimit)
            logCalls.end(.read)
            queue.supply(batch, after: position, growth: growth)
            pump()
        }
    }

    /// Tells the log what it may let go of.
    private func reportAcknowledged() {
        guard let cursor = queue.acknowledged, logCalls.beginReport(of: cursor) else { return }
        Task {
            await source.acknowledged(through: cursor)
            logCalls.end(.report)
            reportAcknowledged()
        }
    }

    func acknowledged(_ message: Int32, reason: UInt8) {
        guard let subject = answers.take(message) else { return }
        if reason >= 0x80 { warn(of: subject, refusedFor: reason) }
        if case .record(_, let sent) = subject { latencies.add(sent.duration(to: now())) }
        settle(subject, reason: reason)
    }

    /// No broker could take such a message.
    func rejected(_ message: Int32, _ failure: BrokerFailure) {
        guard let subject = answers.take(message) else { return }
        // Who sends requests chooses the topics of the replies.
        if case .reply = subject {
            log.debug(failure.words)
        } else {
            life.couldNotSend(failure)
            log.warning(failure.words)
        }
        settle(subject, reason: PublishReason.unspecified)
    }

    private func settle(_ subject: AwaitedAnswers.Subject, reason: UInt8) {
        switch subject {
        case .birth: wentOnline()
        case .retained, .reply: break
        case .record(let record, _): queue.settle(record, reason: reason, at: now())
        case .replay(let record): replays.settle(record, reason: reason)
        }
        if life.phase == .stopping {
            reportAcknowledged()
            finishWhenFlushed()
        } else {
            pump()
        }
    }

    private func warn(of subject: AwaitedAnswers.Subject, refusedFor reason: UInt8) {
        let topic: String
        switch subject {
        case .birth: topic = topics.topic(of: .birth)
        case .retained(let retained): topic = topics.topic(of: retained)
        case .record(let record, _), .replay(let record): topic = topics.topic(of: record.stream)
        // The requests' senders choose the topics: a line for each would be theirs to write.
        case .reply(let topic): return log.debug("the broker refuses a reply to \(topic)")
        }
        let text = BrokerFailure.refusal(
            "publish to \(topic)", broker: configuration.address, reason: Int32(reason))
        if answers.isFirstRefusal(on: topic) {
            log.warning(text.words, event: .brokerRefuses)
        } else {
            log.debug(text.words)
        }
    }

    // MARK: Retained state

    func send(_ payload: [UInt8], to topic: RetainedTopic) {
        var properties = MessageProperties(isJSON: topic.isJSON && !payload.isEmpty)
        properties.expirySeconds = payload.isEmpty ? nil : topic.expirySeconds
        send(
            payload, to: topics.topic(of: topic), retain: true, properties: properties,
            awaiting: topic == .birth ? .birth : .retained(topic))
    }

    /// Publishes with QoS 1; what is not sent for want of a connection goes with it.
    func send(
        _ payload: [UInt8], to topic: String, retain: Bool, properties: MessageProperties,
        awaiting subject: AwaitedAnswers.Subject
    ) {
        guard let connection else { return }
        let message = connection.publish(
            payload, to: topic, qos: 1, retain: retain, properties: properties)
        answers.add(subject, as: message)
    }
}
