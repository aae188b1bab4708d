import Synchronization

/// One connection that listens, and may ask: for whoever looks at gateways from outside.
///
/// The broker keeps nothing of it. What was sent while there was no connection is lost to it, as to
/// any subscriber of that kind.
package final class TopicListener: Sendable {
    /// What a listener is told.
    package enum Event: Sendable {
        /// From here on nothing is missed.
        case listening
        /// The broker does not let us listen, or ask; the connection stands.
        case denied(BrokerFailure)
        case received(IncomingMessage)
        /// A message that was too long to look at.
        case oversized(bytes: Int)
        /// The last event; nil when we ended it.
        case ended(BrokerFailure?)
    }

    private let connection = Mutex<(any BrokerConnection)?>(nil)

    /// Begins to connect, and returns at once.
    ///
    /// - Parameters:
    ///   - filter: the topics to hear.
    ///   - report: called on a thread of the connection's own; what it does holds the next message
    ///     up, and nothing is queued.
    package init(
        _ configuration: BrokerConfiguration, over connector: BrokerConnector, filter: String,
        report: @escaping @Sendable (Event) -> Void
    ) throws(BrokerFailure) {
        let connection = try connector(configuration, nil) { [weak self] event in
            switch event {
            case .connected: self?.subscribe(to: filter)
            case .subscribed: report(.listening)
            case .subscriptionRefused(_, let reason):
                report(
                    .denied(
                        .refusal(
                            "subscribe to \(filter)", broker: configuration.address,
                            reason: Int32(reason))))
            case .rejected(_, let failure): report(.denied(failure))
            case .received(let message): report(.received(message))
            case .oversized(let bytes): report(.oversized(bytes: bytes))
            case .ended(let failure): report(.ended(failure))
            case .acknowledged: break
            }
        }
        self.connection.withLock { $0 = connection }
        connection.start()
    }

    deinit { connection.withLock { $0?.abandon() } }

    private func subscribe(to filter: String) {
        _ = connection.withLock { $0?.subscribe(filter, []) }
    }

    /// Sends a request with QoS 1.
    package func publish(_ payload: [UInt8], to topic: String) {
        _ = connection.withLock {
            $0?.publish(
                payload, to: topic, qos: 1, retain: false,
                properties: MessageProperties(isJSON: true))
        }
    }

    /// Ends the connection; the last event follows.
    package func close() { connection.withLock { $0?.close() } }
}
