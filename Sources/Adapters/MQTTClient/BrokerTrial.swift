import Contract
import Timeline

/// Tries one connection to a broker with one message, or one subscription, to see whether both are
/// allowed.
package struct BrokerTrial: Sendable {
    /// The result of the trial.
    package enum Outcome: Equatable, Sendable {
        case failed(BrokerFailure)
        /// Milliseconds from the first packet to the answer.
        case accepted(milliseconds: Int, BrokerLimits)
        /// Connected, but not allowed to publish or to subscribe.
        case publishDenied(milliseconds: Int, BrokerFailure)
        /// Connected with MQTT 3.1.1, which acknowledges a denied message too.
        case publishUncertain(milliseconds: Int)
    }

    /// The verb of the reply topic that the message uses.
    private static let verb = "doctor"

    /// How long a broker has for its answer.
    package static let defaultTimeLimit = Duration.seconds(10)

    private let configuration: BrokerConfiguration
    /// The topic of the message: that of a reply without a request.
    package let topic: String
    private let payload: [UInt8]
    /// The topics to subscribe to, instead of the message.
    private let filter: String?

    package init(
        _ configuration: BrokerConfiguration, _ topics: TopicMap, at now: BootInstant,
        clock: WallClock
    ) {
        self.configuration = configuration
        filter = nil
        topic = topics.response(from: nil, verb: Self.verb)
        let reply = CommandReply(
            to: nil, verb: Self.verb, from: nil, .done, "a trial of the connection")
        payload = reply.payload(gateway: topics.gateway, at: now, clock: clock)
    }

    /// A trial of a subscription, for a program that only subscribes.
    package init(subscribingTo filter: String, _ configuration: BrokerConfiguration) {
        (self.configuration, self.filter) = (configuration, filter)
        (topic, payload) = ("", [])
    }

    /// Connects, publishes one message or subscribes, and disconnects.
    package func run(
        over connector: BrokerConnector, timeLimit: Duration = defaultTimeLimit
    ) async -> Outcome {
        let (events, report) = AsyncStream.makeStream(of: MQTTEvent.self)
        let begin = ContinuousClock.now
        do throws(BrokerFailure) {
            let connection = try connector(configuration, nil) { report.yield($0) }
            connection.start()
            let clock = Task {
                try await Task.sleep(for: timeLimit)
                report.yield(.ended(timeout))
            }
            defer {
                clock.cancel()
                connection.close()
            }
            return try await follow(events, of: connection, since: begin)
        } catch {
            return .failed(error)
        }
    }

    private func follow(
        _ events: AsyncStream<MQTTEvent>, of connection: any BrokerConnection,
        since begin: ContinuousClock.Instant
    ) async throws(BrokerFailure) -> Outcome {
        var terms = BrokerLimits()
        for await event in events {
            switch event {
            case .connected(let reported):
                terms = reported
                if let filter {
                    _ = connection.subscribe(filter, .atMostOnce)
                    continue
                }
                _ = connection.publish(
                    payload, to: topic, qos: 1, retain: false,
                    properties: MessageProperties(isJSON: true))
            case .acknowledged(_, let reason):
                let time = Int(clamping: (ContinuousClock.now - begin).wholeMilliseconds)
                guard reason < 0x80 else {
                    let failure = BrokerFailure.refusal(
                        "publish to \(topic)", broker: configuration.address,
                        reason: Int32(reason))
                    return .publishDenied(milliseconds: time, failure)
                }
                return configuration.protocolVersion == .v5
                    ? .accepted(milliseconds: time, terms) : .publishUncertain(milliseconds: time)
            case .subscribed:
                let time = Int(clamping: (ContinuousClock.now - begin).wholeMilliseconds)
                return .accepted(milliseconds: time, terms)
            case .subscriptionRefused(_, let reason):
                let time = Int(clamping: (ContinuousClock.now - begin).wholeMilliseconds)
                let failure = BrokerFailure.refusal(
                    "subscribe to \(filter ?? "")", broker: configuration.address,
                    reason: Int32(reason))
                return .publishDenied(milliseconds: time, failure)
            case .rejected(_, let failure): throw failure
            case .ended(let failure): throw failure ?? timeout
            default: break
            }
        }
        throw timeout
    }

    private var timeout: BrokerFailure {
        BrokerFailure(
            operation: "connect", broker: configuration.address, cause: "it does not answer",
            remedy: "check broker.host, broker.port, and firewalls between here and there")
    }
}
