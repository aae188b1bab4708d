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
        if let due = [queue.nextDue, replays.nextDue].compactMap({ $0 }).min() {
            pumpTimer?.fire(after: now().duration(to: due))
        } else {
            pumpTimer?.stop()
        }
    }

    private func publish(_ transmission: PublishQueue.Transmission) {
        let record = transmission.record
        let sent = send(
            record, historical: transmission.isHistorical, awaiting: .record(record, sent: now()))
        if !sent { queue.settle(record, reason: PublishReason.unspecified, at: now()) }
    }

    /// Publishes a record as it is stored; false when no broker could take such a message.
    func send(
        _ record: OutgoingRecord, historical: Bool, awaiting: AwaitedAnswers.Subject
    ) -> Bool {
        var properties = MessageProperties(isJSON: true)
        properties.user = [
            ("epoch", record.epoch), ("kind", record.stream.kind.topicName),
            ("seq", String(record.sequence)), ("historical", historical ? "true" : "false"),
        ]
        return send(
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
        switch subject {
        case .birth:
            warnIfRefused(topics.topic(of: .birth), reason)
            wentOnline()
        case .retained(let topic): warnIfRefused(topics.topic(of: topic), reason)
        case .reply(let topic):
            // The requests' senders choose the topics: a line for each would be theirs to write.
            if reason >= 0x80 { log.debug("the broker refuses a reply to \(topic)") }
        case .record(let record, let sent):
            warnIfRefused(topics.topic(of: record.stream), reason)
            let now = now()
            latencies.add(sent.duration(to: now))
            queue.settle(record, reason: reason, at: now)
        case .replay(let record):
            warnIfRefused(topics.topic(of: record.stream), reason)
            replays.settle(record, reason: reason)
        }
        if life.phase == .stopping {
            reportAcknowledged()
            finishWhenFlushed()
        } else {
            pump()
        }
    }

    private func warnIfRefused(_ topic: String, _ reason: UInt8) {
        guard reason >= 0x80 else { return }
        let text = BrokerFailure.refusal(
            "publish to \(topic)", broker: configuration.address, reason: Int32(reason))
        if answers.isFirstRefusal(on: topic) {
            log.warning("\(text)", event: .brokerRefuses)
        } else {
            log.debug("\(text)")
        }
    }

    // MARK: Retained state

    @discardableResult
    func send(_ payload: [UInt8], to topic: RetainedTopic) -> Bool {
        var properties = MessageProperties(isJSON: topic.isJSON && !payload.isEmpty)
        properties.expirySeconds = payload.isEmpty ? nil : topic.expirySeconds
        return send(
            payload, to: topics.topic(of: topic), retain: true, properties: properties,
            awaiting: topic == .birth ? .birth : .retained(topic))
    }

    /// Publishes with QoS 1; false when no broker could take such a message.
    @discardableResult
    func send(
        _ payload: [UInt8], to topic: String, retain: Bool, properties: MessageProperties,
        awaiting subject: AwaitedAnswers.Subject
    ) -> Bool {
        guard let connection else { return false }
        do throws(BrokerFailure) {
            let message = try connection.publish(
                payload, to: topic, qos: 1, retain: retain, properties: properties)
            answers.add(subject, as: message)
            return true
        } catch {
            life.couldNotSend(error)
            log.warning("\(error)")
            return false
        }
    }
}
