import Contract
import HostRuntime
import MQTTClient

/// Connects and reconnects as `state` requires. Changes `state`, `connection` and `pendingAcks`; `rateLimits`
/// limit the log lines.
extension Publisher {
    func connect() {
        state.connecting()
        let will = LastWill(
            topic: topics.topic(of: .availability), payload: Availability.offline.payload,
            delaySeconds: state.broker.willDelaySeconds, isRetained: state.supportsRetained)
        do throws(BrokerFailure) {
            let connection = try connector(
                state.broker, will, reporter(of: state.generation, formerErgs))
            self.connection = connection
            connection.start()
            connectionTimer?.fire(after: Self.connectDeadline)
        } catch {
            failed(error)
        }
    }

    /// Time limit of a connection attempt.
    private static let connectDeadline = Duration.seconds(30)

    /// Returns a handler that forwards a connection's events from its thread to the publisher's queue.
    private nonisolated func reporter(
        of generation: Int, _ formerErgs: FormerErgSearch?
    ) -> @Sendable (MQTTEvent) -> Void {
        { [weak self] event in
            guard let self else { return }
            if case .received(let message) = event {
                // Handled here because the mailbox could not hold all retained messages of a broker.
                switch topics.incoming(message.topic) {
                case .retained(let station)?:
                    clear(formerErgs?.topics(toClearAfter: message, of: station) ?? [])
                case .homeAssistantDevice?:
                    clear(formerErgs?.topics(toClearAfterDevice: message) ?? [])
                case .command?, .availability?, .homeAssistantStatus?, nil:
                    incomingMailbox.send(
                        Incoming(generation: generation, message: message, receivedAt: now()))
                }
            } else {
                FollowUp.run { later { $0.handle(event, of: generation) } }
            }
        }
    }

    /// Clears the retained messages of an erg that is not configured.
    private nonisolated func clear(_ former: [RetainedTopic]) {
        guard let first = former.first else { return }
        log.notice(
            "\(topics.topic(of: first)): this erg is not configured; clearing its retained "
                + "messages")
        for topic in former { setRetained(topic, []) }
    }

    func timerFired() {
        switch state.phase {
        case .waiting: connect()
        case .connecting, .announcing:
            connection?.abandon()
            failed(
                BrokerFailure(
                    operation: "connect", broker: state.broker.address, cause: "timed out",
                    remedy: "check broker.host and broker.port"))
        case .stopping: resumeStop()
        case .idle, .online: break
        }
    }

    private func handle(_ event: MQTTEvent, of generation: Int) {
        guard generation == state.generation else { return }
        switch event {
        case .connected(let limits): announce(limits)
        case .acknowledged(let message, let reason): acknowledged(message, reason: reason)
        case .rejected(let message, let failure): rejected(message, failure)
        case .subscriptionRefused(let message, let reason):
            // Ignores answers to unknown subscriptions.
            guard let filter = pendingAcks.removeSubscription(message) else { return }
            guard !isOfSearch(filter) else {
                formerErgs?.answered(filter, isRefusal: true)
                return log.notice(
                    "the broker refuses a subscription to \(filter); retained messages of former "
                        + "ergs may stay there")
            }
            let refusal = BrokerFailure.refusal(
                "subscribe to \(filter)", broker: state.broker.address, reason: Int32(reason))
            log.warning(
                "\(refusal.message); messages to this topic will not be received", event: .brokerRefuses)
        case .oversized(let bytes): noteOversized(bytes)
        case .subscribed(let message):
            if let filter = pendingAcks.removeSubscription(message) { formerErgs?.answered(filter) }
        case .received: break  // delivered by its mailbox
        case .ended(let failure):
            if state.phase == .stopping { resumeStop() } else if let failure { ended(failure) }
        }
    }

    /// Requests the birth and publishes it. Other messages follow its acknowledgement.
    private func announce(_ limits: BrokerLimits) {
        guard state.accepted(limits) else { return }
        guard limits.maximumQoS > 0 else {
            connection?.abandon()
            return failed(.noQoS1(state.broker.address))
        }
        let generation = state.generation
        let window = min(state.broker.inFlightWindow, Int(limits.receiveMaximum))
        Task {
            let notice = await source.birth()
            guard state.announce(.init(notice: notice, window: window), in: generation) else {
                return
            }
            send(Availability.online.payload, to: .availability)
            send(notice.payload, to: .birth)
        }
    }

    /// Called when the broker has acknowledged or refused the birth.
    func wentOnline() {
        guard let announcement = state.wentOnline(at: now()) else { return }
        connectionTimer?.stop()
        if rateLimits.connectedLine.trigger(at: now()) != nil {
            log.notice("connected to \(state.broker.address)")
        }
        retained.repeatAll()
        for filter in topics.subscriptions {
            let options = subscriptionOptions(for: filter).union(.atMostOnce)
            let message = connection?.subscribe(filter, options)
            if let message { pendingAcks.addSubscription(to: filter, as: message) }
        }
        for filter in formerErgs?.filters ?? [] {
            let message = connection?.subscribe(filter, .atMostOnce)
            if let message { pendingAcks.addSubscription(to: filter, as: message) }
        }
        queue.connected(
            window: announcement.window, nextSequences: announcement.notice.nextSequences,
            at: now())
        replays.connected(window: announcement.window)
        pump()
    }

    /// Whether a subscription belongs to `formerErgs`.
    private func isOfSearch(_ filter: String) -> Bool {
        filter == TopicMap.homeAssistantFilter || topics.ergFilters.contains(filter)
    }

    private func subscriptionOptions(for filter: String) -> SubscriptionOptions {
        switch filter {
        // A retained status message of Home Assistant is wanted too: it shows that Home Assistant is used here.
        case TopicMap.homeAssistantStatus: []
        // A resumed session has already received the retained message.
        case topics.topic(of: .availability): [.retainAsPublished, .retainedWhenNew]
        // Retained commands are refused when they are sent, not after a reconnect.
        default: .retainAsPublished
        }
    }

    /// Reconnects with a new birth, because the current one is outdated.
    package nonisolated func renewBirth() {
        later { publisher in
            guard publisher.state.replace() else { return }
            publisher.connection?.abandon()
            publisher.dropConnection()
            publisher.connect()
        }
    }

    func dropConnection() {
        if pendingAcks.pendingFilters.contains(where: isOfSearch) { formerErgs?.interrupted() }
        connection = nil
        state.invalidate()
        pendingAcks = PendingAcknowledgements()
        queue.disconnected()
        replays.disconnected()
    }

    /// Handles the end of the connection by the broker or the network.
    private func ended(_ failure: BrokerFailure) {
        // Without a reason from the broker, the network may have ended the connection at any message.
        if failure.kind == .disconnectedForMessage, let lasted = state.lasted(at: now()),
            let subject = parked.connectionEnded(
                unacknowledged: pendingAcks.unacknowledged, lastLive: lastLive, lasted: lasted, at: now())
        {
            park(subject)
        }
        failed(failure)
    }

    /// Parks a subject over which the connection ended twice.
    private func park(_ subject: PublishSubject) {
        if case .stream(let stream) = subject {
            if let record = pendingAcks.firstRecord(of: stream) {
                queue.park(record, at: now())
            } else {
                replays.refuse(stream)
            }
        }
        let pause = parked.until(subject).map { now().duration(to: $0).components.seconds } ?? 0
        log.warning(
            "\(state.broker.address) ends the connection when something is published on "
                + "\(name(of: subject)); retrying in \(pause) s; let the gateway's user write "
                + "to \(topics.filter)", event: .brokerRefuses)
    }

    /// Retries parked subjects that are due.
    func retryParkedSubjects() {
        while let subject = parked.next(at: now()) {
            switch subject {
            case .stream(let stream): queue.unpark(stream, at: now())
            case .retained(let topic): retained.repeatOne(topic)
            case .live, .replies: break
            }
        }
    }

    private func failed(_ failure: BrokerFailure) {
        dropConnection()
        let retry = state.failed(failure, at: now(), chance: Int(runtime.random() % 1024))
        if retry.isNewReason, rateLimits.failureLine.trigger(at: now()) != nil {
            log.warning(retry.failure.message, event: .brokerUnreachable)
        } else {
            log.debug(retry.failure.message)
        }
        connectionTimer?.fire(after: retry.delay)
    }
}
