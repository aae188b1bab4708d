import Contract
import MQTTClient

/// What goes out, and what comes back for it.
extension Publisher {
    // MARK: Durable records

    /// Sends what may be sent, reads on when the line is empty, and passes on what is settled.
    func pump() {
        guard phase == .online else { return }
        while let transmission = queue.next(at: now()) { publish(transmission) }
        readOn()
        reportAcknowledged()
        if let due = queue.nextDue {
            retryTimer?.fire(after: now().duration(to: due))
        } else {
            retryTimer?.stop()
        }
        pumpReplays()
    }

    private func publish(_ transmission: PublishQueue.Transmission) {
        let record = transmission.record
        let sent = send(
            record, historical: transmission.isHistorical, awaiting: .record(record, sent: now()))
        if !sent { queue.settle(record, reason: PublishReason.unspecified, at: now()) }
    }

    /// Publishes a record as it is stored; false when no broker could take such a message.
    func send(_ record: OutgoingRecord, historical: Bool, awaiting: Pending) -> Bool {
        var properties = MessageProperties(isJSON: true)
        properties.user = [
            ("epoch", RecordHead.epoch(of: record.payload)), ("kind", record.stream.kind.topicName),
            ("seq", String(record.sequence)), ("historical", historical ? "true" : "false"),
        ]
        return send(
            RecordEncoder.published(record.payload, historical: historical),
            to: topics.topic(of: record.stream), retain: false, properties: properties,
            awaiting: awaiting)
    }

    private func readOn() {
        guard queue.wantsRecords, !isReading else { return }
        isReading = true
        grewWhileReading = false
        let position = queue.readPosition
        Task {
            let batch = await source.records(after: position, limit: Self.batchLimit)
            isReading = false
            queue.supply(batch, after: position)
            if grewWhileReading { queue.recordsAppended() }
            pump()
        }
    }

    /// Tells the log what it may let go of, one call at a time so that none overtakes another.
    private func reportAcknowledged() {
        guard !isReporting, let cursor = queue.acknowledged, cursor != reportedCursor else {
            return
        }
        isReporting = true
        reportedCursor = cursor
        Task {
            await source.acknowledged(through: cursor)
            isReporting = false
            reportAcknowledged()
        }
    }

    func acknowledged(_ message: Int32, reason: UInt8) {
        guard let pending = pending.removeValue(forKey: message) else { return }
        let now = now()
        switch pending {
        case .birth:
            warnIfRefused(topics.topic(of: .birth), reason)
            wentOnline()
        case .retained(let topic): warnIfRefused(topics.topic(of: topic), reason)
        case .reply(let topic):
            // The requests' senders choose the topics: a line for each would be theirs to write.
            if reason >= 0x80 { log.debug("the broker refuses a reply to \(topic)") }
        case .record(let record, let sent):
            latencies.add(sent.duration(to: now))
            warnIfRefused(topics.topic(of: record.stream), reason)
            queue.settle(record, reason: reason, at: now)
        case .replay(let record):
            warnIfRefused(topics.topic(of: record.stream), reason)
            replays.settle(record, reason: reason)
        }
        if phase == .stopping {
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
        if refusedTopics.insert(topic).inserted {
            log.warning("\(text)", event: .brokerRefuses)
        } else {
            log.debug("\(text)")
        }
    }

    // MARK: Retained state

    func want(_ payload: [UInt8], on topic: RetainedTopic) {
        let old = retained.updateValue(payload, forKey: topic)
        if old == nil { retainedOrder.append(topic) }
        if phase == .online, old != payload, mayPublish(topic) { send(payload, to: topic) }
    }

    func publishRetained() {
        for topic in retainedOrder where mayPublish(topic) {
            if let payload = retained[topic] { send(payload, to: topic) }
        }
    }

    private func mayPublish(_ topic: RetainedTopic) -> Bool {
        guard topic.isForHomeAssistant else { return true }
        return knowsHomeAssistant && configuration.homeAssistantDiscovery != .never
    }

    /// It forgets what it had read when it restarts, and says then that it is there; a retained
    /// message is old news, but tells that there is a Home Assistant at all.
    private func homeAssistantSpoke(_ message: IncomingMessage) {
        let isNew = !knowsHomeAssistant
        knowsHomeAssistant = true
        let hasStarted = !message.isRetained && message.payload == Availability.online.payload
        if isNew || hasStarted { publishRetained() }
    }

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
    private func send(
        _ payload: [UInt8], to topic: String, retain: Bool, properties: MessageProperties,
        awaiting: Pending
    ) -> Bool {
        guard let connection else { return false }
        do throws(BrokerFailure) {
            let message = try connection.publish(
                payload, to: topic, qos: 1, retain: retain, properties: properties)
            pending[message] = awaiting
            return true
        } catch {
            lastFailure = error
            log.warning("\(error)")
            return false
        }
    }

    // MARK: Live

    func publish(live batch: [LiveSample]) {
        guard phase == .online, let connection else { return }
        let properties = MessageProperties(isJSON: true, expirySeconds: 5)
        for live in batch {
            let sequence = liveSequences[live.station, default: 0] + 1
            liveSequences[live.station] = sequence
            LivePayload(
                gateway: topics.gateway, station: live.station, sequence: sequence,
                sample: live.sample, clock: live.clock
            ).encode(into: &liveWriter)
            // A sample that cannot be sent is worth nothing later: the next one is on its way.
            _ = try? connection.publish(
                liveWriter.bytes, to: topics.live(live.station), qos: 0, retain: false,
                properties: properties)
        }
    }

    // MARK: Incoming

    func receive(_ batch: [Incoming]) {
        for incoming in batch where incoming.generation == generation {
            // A session that outlived its connection delivers ahead of our birth.
            guard phase == .online || phase == .announcing else { return }
            let message = incoming.message
            switch topics.incoming(message.topic) {
            case .availability: assertAvailability(message)
            case .homeAssistantStatus: homeAssistantSpoke(message)
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
