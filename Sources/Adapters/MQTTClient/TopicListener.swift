import Synchronization

/// One connection that subscribes, and may send requests: for programs that observe gateways.
///
/// The broker stores nothing for it. Messages sent while there is no connection are lost to it.
package final class TopicListener: Sendable {
    /// An event of a listener.
    package enum Event: Sendable {
        /// The subscription is active: from here on no message is missed.
        case listening
        /// The broker denies the subscription or the request; the connection stays.
        case denied(BrokerFailure)
        case received(IncomingMessage)
        /// A message that was too long was dropped.
        case oversized(bytes: Int)
        /// The last event; nil if we ended it.
        case ended(BrokerFailure?)
    }

    private let connection = Mutex<(any BrokerConnection)?>(nil)

    /// Starts connecting, and returns at once.
    ///
    /// - Parameters:
    ///   - filter: the topics to subscribe to.
    ///   - report: called on a thread of the connection; it delays the next message, and nothing is
    ///     queued.
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

    /// Publishes a request with QoS 1.
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
