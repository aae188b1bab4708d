import Contract
import MQTTClient
import Timeline

/// Sends QoS 1 messages and handles their acknowledgements: `queue`, `retained`, `logCalls`,
/// `latencies`, `answers`, as far as `budget` and `parked` allow.
extension Publisher {
    // MARK: Pending messages

    /// Sends what may be sent, reads more when the queue is empty, and reports what is settled.
    func pump() {
        guard life.phase == .online else { return }
        takeBack()
        followCalls()
        pumpRetained()
        while mayPublishRecord, let transmission = queue.next(at: now()) { publish(transmission) }
        readOn()
        reportAcknowledged()
        pumpReplays()
        budget.recordsWait = queue.hasMore
        if parked.isCareful, answers.isEmpty, !queue.hasMore { parked.nothingWaits() }
        if let due { pumpTimer?.fire(after: now().duration(to: due)) } else { pumpTimer?.stop() }
    }

    /// When to look again without an acknowledgement; nil if nothing is pending.
    private var due: BootInstant? {
        var record = isHeldUp ? nil : [queue.nextDue, replays.nextDue].compactMap(\.self).min()
        // What waits although the budget allows it waits for an acknowledgement, or is parked.
        if let allowed = budget.recordDue, allowed > now(), queue.hasMore || record != nil {
            record = max(record ?? allowed, allowed)
        }
        let message = retained.isDue ? budget.due.flatMap { $0 > now() ? $0 : nil } : nil
        return [record, message, restraints.due, parked.due].compactMap(\.self).min()
    }

    /// Whether only one message at a time is sent, because one of them may make the broker end the
    /// connection.
    private var isHeldUp: Bool { parked.isCareful && !answers.isEmpty }

    /// Whether the next record may be sent, apart from the rules of its own queue.
    var mayPublishRecord: Bool { !isHeldUp && budget.allowsRecord(at: now()) }

    private func pumpRetained() {
        while !isHeldUp, budget.allows(at: now()),
            let (topic, payload) = retained.next(leavingOut: { parked.isParked(.retained($0)) })
        {
            send(payload, to: topic)
        }
    }

    // MARK: Durable records

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

    /// Informs the log which records it may drop.
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
        parked.answered(subject.published)
        if reason >= 0x80 { warn(of: subject, refusedFor: reason) }
        if case .record(_, let sent) = subject { latencies.add(sent.duration(to: now())) }
        settle(subject, reason: reason)
    }

    /// Handles a message that cannot be sent.
    func rejected(_ message: Int32, _ failure: BrokerFailure) {
        guard let subject = answers.take(message) else { return }
        parked.answered(subject.published)
        if failure.kind == .tooLong, passOver(subject, failure) { return afterAnswer() }
        // The senders of requests choose the topics of the replies.
        if case .reply = subject {
            log.debug(failure.words)
        } else {
            life.couldNotSend(failure)
            log.warning(failure.words)
        }
        settle(subject, reason: PublishReason.unspecified)
    }

    /// A record that is longer than the broker accepts stays in the ring; an event informs
    /// subscribers once.
    private func passOver(
        _ subject: AwaitedAnswers.Subject, _ failure: BrokerFailure
    ) -> Bool {
        switch subject {
        case .record(let record, _):
            queue.passOver(record)
            if restraints.tooLongLine.call(at: now()) != nil {
                log.warning("\(failure.words); it stays in the ring log", event: .brokerRefuses)
            }
            Task { await source.tooLong(record) }
            return true
        case .replay(let record):
            replays.passOver(record)
            return true
        case .birth, .retained, .reply: return false
        }
    }

    private func settle(_ subject: AwaitedAnswers.Subject, reason: UInt8) {
        switch subject {
        case .birth: wentOnline()
        case .retained, .reply: break
        case .record(let record, _): queue.settle(record, reason: reason, at: now())
        case .replay(let record): replays.settle(record, reason: reason)
        }
        afterAnswer()
    }

    private func afterAnswer() {
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
        // The senders of requests choose the topics: they must not be able to flood the log.
        case .reply(let topic): return log.debug("the broker refuses a reply to \(topic)")
        }
        let text = BrokerFailure.refusal(
            "publish to \(topic)", broker: life.broker.address, reason: Int32(reason))
        if answers.isFirstRefusal(on: topic) {
            log.warning(text.words, event: .brokerRefuses)
        } else {
            log.debug(text.words)
        }
    }

    // MARK: Retained state

    func send(_ payload: [UInt8], to topic: RetainedTopic) {
        send(payload, of: topic, awaiting: topic == .birth ? .birth : .retained(topic))
    }

    /// The same, for a message whose acknowledgement has another meaning.
    func send(
        _ payload: [UInt8], of topic: RetainedTopic, awaiting subject: AwaitedAnswers.Subject
    ) {
        var properties = MessageProperties(isJSON: topic.isJSON && !payload.isEmpty)
        properties.expirySeconds = payload.isEmpty ? nil : topic.expirySeconds
        send(
            payload, to: topics.topic(of: topic), retain: true, properties: properties,
            awaiting: subject)
    }

    /// Publishes with QoS 1; a message that cannot be sent without a connection is dropped with it.
    func send(
        _ payload: [UInt8], to topic: String, retain: Bool, properties: MessageProperties,
        awaiting subject: AwaitedAnswers.Subject
    ) {
        guard let connection else { return }
        if case .stream = subject.published {
            budget.spend(at: now(), isRecord: true)
        } else {
            budget.spend(at: now())
        }
        let message = connection.publish(
            payload, to: topic, qos: 1, retain: retain, properties: properties)
        answers.add(subject, as: message)
    }
}
