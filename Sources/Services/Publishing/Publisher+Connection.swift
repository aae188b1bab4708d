import Contract
import MQTTClient

/// From one connection to the next.
extension Publisher {
    func connect() {
        generation += 1
        let generation = generation
        enter(.connecting)
        let will = LastWill(
            topic: topics.topic(of: .availability), payload: Availability.offline.payload,
            delaySeconds: configuration.willDelaySeconds)
        do throws(BrokerFailure) {
            let connection = try connector(configuration, will, reporter(of: generation))
            self.connection = connection
            connection.start()
            timer?.fire(after: Self.connectDeadline)
        } catch {
            failed(error)
        }
    }

    /// Brings a connection's events from its thread to the publisher's queue.
    private nonisolated func reporter(of generation: Int) -> @Sendable (MQTTEvent) -> Void {
        { [weak self] event in
            guard let self else { return }
            if case .received(let message) = event {
                incomingMailbox.send(
                    Incoming(generation: generation, message: message, receivedAt: now()))
            } else {
                executor.async { self.assumeIsolated { $0.handle(event, of: generation) } }
            }
        }
    }

    func timerFired() {
        switch phase {
        case .waiting: connect()
        case .connecting, .announcing:
            connection?.abandon()
            failed(
                BrokerFailure(
                    operation: "connect", broker: configuration.address, cause: "it did not answer",
                    remedy: "check broker.host and broker.port"))
        case .stopping: resumeStop()
        case .idle, .online: break
        }
    }

    private func handle(_ event: MQTTEvent, of generation: Int) {
        guard generation == self.generation else { return }
        switch event {
        case .connected(let receiveMaximum): announce(receiveMaximum: Int(receiveMaximum))
        case .acknowledged(let message, let reason): acknowledged(message, reason: reason)
        case .subscriptionRefused(let message, let reason):
            log.warning(
                "the broker refuses a subscription; commands on it will not arrive",
                [("topic", subscribing[message] ?? ""), ("reason", String(reason))])
        case .oversized(let bytes):
            oversizedMessages += 1
            log.warning("a message of \(bytes) bytes was not looked at")
        case .subscribed: break
        case .received: break  // goes through its mailbox
        case .ended(let failure):
            if phase == .stopping { resumeStop() } else if let failure { failed(failure) }
        }
    }

    /// Asks for the birth and publishes it; the rest follows its acknowledgement.
    private func announce(receiveMaximum: Int) {
        guard phase == .connecting else { return }
        enter(.announcing)
        let generation = generation
        Task {
            let notice = await source.birth()
            guard generation == self.generation, phase == .announcing else { return }
            announcement = (notice, min(configuration.inFlightWindow, receiveMaximum))
            send(Availability.online.payload, to: .availability)
            if !send(notice.payload, to: .birth) { wentOnline() }
        }
    }

    /// The birth is with the broker, or refused: either way nothing is gained by waiting longer.
    func wentOnline() {
        guard phase == .announcing, let (notice, window) = announcement else { return }
        timer?.stop()
        connects += 1
        onlineSince = now()
        lastFailure = nil
        refusedTopics = []
        enter(.online)
        log.notice("connected to MQTT broker \(configuration.address)")
        publishRetained()
        subscribing = [:]
        for filter in topics.subscriptions {
            let message = connection?.subscribe(filter, subscriptionOptions(for: filter))
            if let message { subscribing[message] = filter }
        }
        queue.connected(window: window, nextSequences: notice.nextSequences, at: now())
        replays.connected(window: window)
        pump()
    }

    private func subscriptionOptions(for filter: String) -> SubscriptionOptions {
        switch filter {
        // What Home Assistant said long ago tells that there is one.
        case TopicMap.homeAssistantStatus: []
        // A session that outlived its connection has had what came since our birth: once is enough.
        case topics.topic(of: .availability): [.retainAsPublished, .retainedWhenNew]
        // A command that is to be retained is refused at once, not when we come back.
        default: .retainAsPublished
        }
    }

    /// What the birth says holds no longer: connects anew, with another.
    package nonisolated func announceAgain() {
        executor.async { [weak self] in
            self?.assumeIsolated { publisher in
                // In any other phase the birth is still to be asked for.
                guard publisher.phase == .online || publisher.phase == .announcing else { return }
                publisher.connection?.abandon()
                publisher.forgetConnection()
                publisher.onlineSince = nil
                publisher.connect()
            }
        }
    }

    private func forgetConnection() {
        connection = nil
        generation += 1
        pending = [:]
        announcement = nil
        queue.disconnected()
        replays.disconnected()
    }

    private func failed(_ failure: BrokerFailure) {
        var failure = failure
        forgetConnection()
        if let stood = onlineSince?.duration(to: now()) {
            backoff.stood(for: stood)
            // Not every broker says so when a second client of the same name pushes the first out.
            if stood < Self.pushedOut, failure.remedy == nil {
                failure.remedy = "if this repeats, another client uses the same broker.client_id"
            }
        }
        onlineSince = nil
        let delay = backoff.next(chance: Int(runtime.random() % 1024))
        // Once per change of reason: a broker that is down for a night is one line, not thousands.
        if failure != lastFailure {
            log.warning("\(failure)", event: .brokerUnreachable)
        } else {
            log.debug("\(failure)")
        }
        lastFailure = failure
        enter(.waiting)
        timer?.fire(after: delay)
    }

    /// Ends the connection once nothing is in flight any more.
    func finishWhenFlushed() {
        guard phase == .stopping, pending.isEmpty else { return }
        connection?.close()
    }

    func resumeStop() {
        stopWaiter?.resume()
        stopWaiter = nil
    }
}
