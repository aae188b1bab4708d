import Contract
import HostRuntime
import MQTTClient

/// From one connection to the next: what `life` says is done with `connection`. Ends `answers`;
/// `restraints` hold for its lines.
extension Publisher {
    func connect() {
        life.connecting()
        let will = LastWill(
            topic: topics.topic(of: .availability), payload: Availability.offline.payload,
            delaySeconds: life.broker.willDelaySeconds, isRetained: life.keepsRetained)
        do throws(BrokerFailure) {
            let connection = try connector(
                life.broker, will, reporter(of: life.generation, formerErgs))
            self.connection = connection
            connection.start()
            connectionTimer?.fire(after: Self.connectDeadline)
        } catch {
            failed(error)
        }
    }

    /// An attempt that got no answer by then is given up.
    private static let connectDeadline = Duration.seconds(30)

    /// Brings a connection's events from its thread to the publisher's queue.
    private nonisolated func reporter(
        of generation: Int, _ formerErgs: FormerErgSearch?
    ) -> @Sendable (MQTTEvent) -> Void {
        { [weak self] event in
            guard let self else { return }
            if case .received(let message) = event {
                // There are as many of these as the broker keeps: the mailbox has no room for them.
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

    /// Clears what the broker keeps of an erg that is not configured.
    private nonisolated func clear(_ former: [RetainedTopic]) {
        guard let first = former.first else { return }
        log.notice(
            "\(topics.topic(of: first)): this erg is not configured; its retained messages are "
                + "cleared")
        for topic in former { setRetained(topic, []) }
    }

    func timerFired() {
        switch life.phase {
        case .waiting: connect()
        case .connecting, .announcing:
            connection?.abandon()
            failed(
                BrokerFailure(
                    operation: "connect", broker: life.broker.address, cause: "it did not answer",
                    remedy: "check broker.host and broker.port"))
        case .stopping: resumeStop()
        case .idle, .online: break
        }
    }

    private func handle(_ event: MQTTEvent, of generation: Int) {
        guard generation == life.generation else { return }
        switch event {
        case .connected(let terms): announce(terms)
        case .acknowledged(let message, let reason): acknowledged(message, reason: reason)
        case .rejected(let message, let failure): rejected(message, failure)
        case .subscriptionRefused(let message, let reason):
            // An answer to what nobody asked says nothing.
            guard let filter = answers.takeSubscription(message) else { return }
            guard !isOfSearch(filter) else {
                formerErgs?.answered(filter, isRefusal: true)
                return log.notice(
                    "the broker refuses a subscription to \(filter); messages of ergs that are not "
                        + "configured any more may stay there")
            }
            let refusal = BrokerFailure.refusal(
                "subscribe to \(filter)", broker: life.broker.address, reason: Int32(reason))
            log.warning(
                "\(refusal.words); what is sent there will not arrive", event: .brokerRefuses)
        case .oversized(let bytes): noteOversized(bytes)
        case .subscribed(let message):
            if let filter = answers.takeSubscription(message) { formerErgs?.answered(filter) }
        case .received: break  // goes through its mailbox
        case .ended(let failure):
            if life.phase == .stopping { resumeStop() } else if let failure { ended(failure) }
        }
    }

    /// Asks for the birth and publishes it; the rest follows its acknowledgement.
    private func announce(_ terms: BrokerTerms) {
        guard life.accepted(terms) else { return }
        guard terms.maximumQoS > 0 else {
            connection?.abandon()
            return failed(.takesNoQoS1(life.broker.address))
        }
        let generation = life.generation
        let window = min(life.broker.inFlightWindow, Int(terms.receiveMaximum))
        Task {
            let notice = await source.birth()
            guard life.announce(.init(notice: notice, window: window), in: generation) else {
                return
            }
            send(Availability.online.payload, to: .availability)
            send(notice.payload, to: .birth)
        }
    }

    /// The birth is with the broker, or refused: either way nothing is gained by waiting longer.
    func wentOnline() {
        guard let announcement = life.wentOnline(at: now()) else { return }
        connectionTimer?.stop()
        if restraints.connectedLine.call(at: now()) != nil {
            log.notice("connected to \(life.broker.address)")
        }
        retained.repeatAll()
        for filter in topics.subscriptions {
            let options = subscriptionOptions(for: filter).union(.atMostOnce)
            let message = connection?.subscribe(filter, options)
            if let message { answers.addSubscription(to: filter, as: message) }
        }
        for filter in formerErgs?.filters ?? [] {
            let message = connection?.subscribe(filter, .atMostOnce)
            if let message { answers.addSubscription(to: filter, as: message) }
        }
        queue.connected(
            window: announcement.window, nextSequences: announcement.notice.nextSequences,
            at: now())
        replays.connected(window: announcement.window)
        pump()
    }

    /// Whether a subscription is that of `formerErgs`.
    private func isOfSearch(_ filter: String) -> Bool {
        filter == TopicMap.homeAssistantFilter || topics.ergFilters.contains(filter)
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
        later { publisher in
            guard publisher.life.replace() else { return }
            publisher.connection?.abandon()
            publisher.forgetConnection()
            publisher.connect()
        }
    }

    func forgetConnection() {
        if answers.filtersAwaited.contains(where: isOfSearch) { formerErgs?.interrupted() }
        connection = nil
        life.forget()
        answers = AwaitedAnswers()
        queue.disconnected()
        replays.disconnected()
    }

    /// The connection has ended from outside.
    private func ended(_ failure: BrokerFailure) {
        // One that ends without a word may be the network's, which ends it wherever it happens to be.
        if failure.kind == .thrownOut, let stood = life.stood(at: now()),
            let subject = parked.connectionEnded(
                unanswered: answers.unanswered, lastLive: lastLive, stood: stood, at: now())
        {
            leaveOut(subject)
        }
        failed(failure)
    }

    /// Twice the connection ended over it.
    private func leaveOut(_ subject: PublishSubject) {
        if case .stream(let stream) = subject {
            if let record = answers.firstRecord(of: stream) {
                queue.park(record, at: now())
            } else {
                replays.refuse(stream)
            }
        }
        let pause = parked.until(subject).map { now().duration(to: $0).components.seconds } ?? 0
        log.warning(
            "\(life.broker.address) ends the connection when something is published on "
                + "\(name(of: subject)); that is left out for \(pause) s; let the gateway's user write "
                + "to \(TopicMap.filter(of: topics.gateway))", event: .brokerRefuses)
    }

    /// Tries what was left out once more, where its time has come.
    func takeBack() {
        while let subject = parked.next(at: now()) {
            switch subject {
            case .stream(let stream): queue.unpark(stream, at: now())
            case .retained(let topic): retained.repeatOne(topic)
            case .live, .replies: break
            }
        }
    }

    private func failed(_ failure: BrokerFailure) {
        forgetConnection()
        let retry = life.failed(failure, at: now(), chance: Int(runtime.random() % 1024))
        if retry.isNews, restraints.failureLine.call(at: now()) != nil {
            log.warning(retry.failure.words, event: .brokerUnreachable)
        } else {
            log.debug(retry.failure.words)
        }
        connectionTimer?.fire(after: retry.delay)
    }
}
