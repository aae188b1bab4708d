import Contract
import MQTTClient
import Timeline

/// Sends QoS 1 messages and handles their acknowledgements: `queue`, `retained`, `logCalls`,
/// `latencies`, `pendingAcks`, as far as `budget` and `parked` allow.
extension Publisher {
    // MARK: Pending messages

    /// Sends due messages, reads records when the queue is empty, and reports settled records.
    func pump() {
        guard state.phase == .online else { return }
        retryParkedSubjects()
        performDueActions()
        pumpRetained()
        while mayPublishRecord, let transmission = queue.next(at: now()) { publish(transmission) }
        readMoreRecords()
        reportAcknowledged()
        pumpReplays()
        budget.hasWaitingRecords = queue.hasMore
        if parked.isCareful, pendingAcks.isEmpty, !queue.hasMore { parked.allAcknowledged() }
        if let due { pumpTimer?.fire(after: now().duration(to: due)) } else { pumpTimer?.stop() }
    }

    /// When to look again without an acknowledgement; nil if nothing is pending.
    private var due: BootInstant? {
        var record =
            mustAwaitAcknowledgement
            ? nil : [queue.nextDue, replays.nextDue].compactMap(\.self).min()
        // A record within the budget waits for an acknowledgement or is parked.
        if let allowed = budget.recordDue, allowed > now(), queue.hasMore || record != nil {
            record = max(record ?? allowed, allowed)
        }
        let message = retained.isDue ? budget.due.flatMap { $0 > now() ? $0 : nil } : nil
        return [record, message, rateLimits.due, parked.due].compactMap(\.self).min()
    }

    /// Whether only one message at a time is sent, because one of them may make the broker end the
    /// connection.
    private var mustAwaitAcknowledgement: Bool { parked.isCareful && !pendingAcks.isEmpty }

    /// Whether the next record may be sent, apart from the rules of `queue`.
    var mayPublishRecord: Bool { !mustAwaitAcknowledgement && budget.allowsRecord(at: now()) }

    private func pumpRetained() {
        while !mustAwaitAcknowledgement, budget.allows(at: now()),
            let (topic, payload) = retained.next(excluding: { parked.isParked(.retained($0)) })
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
        _ record: OutgoingRecord, historical: Bool, awaiting: PendingAcknowledgements.Subject
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

    private func readMoreRecords() {
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
        guard let subject = pendingAcks.remove(message) else { return }
        parked.answered(subject.published)
        if reason >= 0x80 { warn(of: subject, refusedFor: reason) }
        if case .record(_, let sent) = subject { latencies.add(sent.duration(to: now())) }
        settle(subject, reason: reason)
    }

    /// Handles a message that cannot be sent.
    func rejected(_ message: Int32, _ failure: BrokerFailure) {
        guard let subject = pendingAcks.remove(message) else { return }
        parked.answered(subject.published)
        if failure.kind == .tooLong, skip(subject, failure) { return afterAnswer() }
        // The senders of requests choose the topics of the replies.
        if case .reply = subject {
            log.debug(failure.message)
        } else {
            state.couldNotSend(failure)
            log.warning(failure.message)
        }
        settle(subject, reason: PublishReason.unspecified)
    }

    /// A record that is longer than the broker accepts stays in the ring; an event informs
    /// subscribers once.
    private func skip(
        _ subject: PendingAcknowledgements.Subject, _ failure: BrokerFailure
    ) -> Bool {
        switch subject {
        case .record(let record, _):
            queue.skip(record)
            if rateLimits.tooLongLine.trigger(at: now()) != nil {
                log.warning("\(failure.message); the record stays in the ring log", event: .brokerRefuses)
            }
            Task { await source.tooLong(record) }
            return true
        case .replay(let record):
            replays.skip(record)
            return true
        case .birth, .retained, .reply: return false
        }
    }

    private func settle(_ subject: PendingAcknowledgements.Subject, reason: UInt8) {
        switch subject {
        case .birth: wentOnline()
        case .retained, .reply: break
        case .record(let record, _): queue.settle(record, reason: reason, at: now())
        case .replay(let record): replays.settle(record, reason: reason)
        }
        afterAnswer()
    }

    private func afterAnswer() {
        if state.phase == .stopping {
            reportAcknowledged()
            finishWhenFlushed()
        } else {
            pump()
        }
    }

    private func warn(of subject: PendingAcknowledgements.Subject, refusedFor reason: UInt8) {
        let topic: String
        switch subject {
        case .birth: topic = topics.topic(of: .birth)
        case .retained(let retained): topic = topics.topic(of: retained)
        case .record(let record, _), .replay(let record): topic = topics.topic(of: record.stream)
        // The senders of requests choose the topics: they must not be able to flood the log.
        case .reply(let topic): return log.debug("the broker refuses a reply to \(topic)")
        }
        let text = BrokerFailure.refusal(
            "publish to \(topic)", broker: state.broker.address, reason: Int32(reason))
        if pendingAcks.isFirstRefusal(on: topic) {
            log.warning(text.message, event: .brokerRefuses)
        } else {
            log.debug(text.message)
        }
    }

    // MARK: Retained state

    func send(_ payload: [UInt8], to topic: RetainedTopic) {
        send(payload, of: topic, awaiting: topic == .birth ? .birth : .retained(topic))
    }

    /// The same, for a message whose acknowledgement has another meaning.
    func send(
        _ payload: [UInt8], of topic: RetainedTopic, awaiting subject: PendingAcknowledgements.Subject
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
        awaiting subject: PendingAcknowledgements.Subject
    ) {
        guard let connection else { return }
        if case .stream = subject.published {
            budget.spend(at: now(), isRecord: true)
        } else {
            budget.spend(at: now())
        }
        let message = connection.publish(
            payload, to: topic, qos: 1, retain: retain, properties: properties)
        pendingAcks.add(subject, as: message)
    }
}
