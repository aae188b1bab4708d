import HostRuntime
import MQTTClient
import Timeline

/// A broker in memory, in stepped time: accepts, acknowledges, refuses, disconnects, restarts.
///
/// `onMessage` receives every message that a subscriber would get.
package final class SteppedBroker: @unchecked Sendable {  // of the loop's thread alone
    private let machine: SteppedRuntime
    private let queue: SerialQueueExecutor
    private var connection: Connection?
    package private(set) var retained: [String: [UInt8]] = [:]
    package private(set) var messages = 0
    package private(set) var connects = 0
    /// The broker does not answer.
    package private(set) var isAway = false
    /// The limits in its CONNACK.
    package var terms = BrokerLimits()
    /// Topics for which it ends the connection with a reason instead of refusing a message. It drops
    /// earlier unanswered messages.
    package var endsConnection: (_ topic: String) -> Bool = { _ in false }
    /// Connections are not accepted.
    package var isRefusing = false
    package var onMessage: (_ topic: String, _ payload: [UInt8]) -> Void = { _, _ in }

    package init(on machine: SteppedRuntime) {
        self.machine = machine
        queue = machine.makeQueue(label: "broker")
    }

    /// The connector for a gateway.
    package var connector: BrokerConnector {
        { [self] configuration, will, report throws(BrokerFailure) in
            Connection(to: self, configuration.address, will, report)
        }
    }

    /// Ends the connection; messages in transit, in either direction, are lost.
    package func drop(cause: String = "the connection was lost") {
        guard let lost = connection else { return }
        connection = nil
        lost.isUp = false
        if let will = lost.will { retain(will.payload, on: will.topic) }
        lost.report(.ended(failure(lost, cause)))
    }

    package func goAway() {
        drop(cause: "the broker went away")
        isAway = true
    }

    package func comeBack() { isAway = false }

    /// Restarts without stored messages and sessions.
    package func forget() {
        drop(cause: "the broker restarts")
        retained = [:]
    }

    /// Publishes a message from another client. Returns whether a connection is subscribed to it.
    package func send(_ payload: [UInt8], to topic: String) -> Bool {
        guard let connection, connection.isSubscribed else { return false }
        after(.milliseconds(2)) {
            guard connection.isUp else { return }
            connection.report(.received(IncomingMessage(topic: topic, payload: payload)))
        }
        return true
    }

    /// Stores a retained message of another client.
    package func retain(_ text: String, on topic: String) { retain(Array(text.utf8), on: topic) }

    private func retain(_ payload: [UInt8], on topic: String) {
        retained[topic] = payload.isEmpty ? nil : payload
    }

    private func failure(_ connection: Connection, _ cause: String) -> BrokerFailure {
        BrokerFailure(operation: "connect", broker: connection.address, cause: cause)
    }

    private func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) {
        machine.makeTimer(on: queue, handler: work).schedule(after: delay, every: nil)
    }

    fileprivate func accept(_ new: Connection) {
        after(.milliseconds(20)) { [self] in
            guard !isAway, !new.isClosed else { return }  // no answer
            guard !isRefusing else { return new.report(.ended(failure(new, "not authorized"))) }
            drop(cause: "another client has the same name")
            connection = new
            connects += 1
            new.isUp = true
            new.report(.connected(terms))
        }
    }

    fileprivate func accept(
        _ payload: [UInt8], on topic: String, isRetained: Bool, _ message: Int32?,
        from sender: Connection
    ) {
        after(.milliseconds(2)) { [self] in
            guard sender.isUp else { return }
            if endsConnection(topic) { return disconnect(sender) }
            messages += 1
            if isRetained { retain(payload, on: topic) }
            onMessage(topic, payload)
            guard let message else { return }
            after(.milliseconds(2)) {
                if sender.isUp { sender.report(.acknowledged(message: message, reason: 0)) }
            }
        }
    }

    /// Serves a subscription: retained messages of its topics follow at once.
    fileprivate func serve(_ filter: String, _ message: Int32, to client: Connection) {
        after(.milliseconds(2)) { [self] in
            guard client.isUp else { return }
            if endsConnection(filter) { return disconnect(client) }
            client.report(.subscribed(message: message))
            for (topic, payload) in retained.sorted(by: { $0.key < $1.key })
            where Self.matches(filter, topic) {
                client.report(
                    .received(IncomingMessage(topic: topic, payload: payload, isRetained: true)))
            }
        }
    }

    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let (levels, own) = (topic.split(separator: "/"), filter.split(separator: "/"))
        return levels.count == own.count
            && zip(levels, own).allSatisfy { $0 == $1 || $1 == "+" }
    }

    private func disconnect(_ client: Connection) {
        client.isUp = false
        if connection === client { connection = nil }
        if let will = client.will { retain(will.payload, on: will.topic) }
        var reason = failure(client, "not authorized")
        (reason.operation, reason.kind) = ("stay connected", .disconnectedForMessage)
        client.report(.ended(reason))
    }

    fileprivate func close(_ leaving: Connection) {
        leaving.isClosed = true
        after(.milliseconds(4)) { [self] in
            leaving.isUp = false
            if connection === leaving { connection = nil }
            leaving.report(.ended(nil))
        }
    }

    fileprivate func abandon(_ leaving: Connection) {
        leaving.isClosed = true
        leaving.isUp = false
        guard connection === leaving else { return }
        connection = nil
        if let will = leaving.will { retain(will.payload, on: will.topic) }
    }
}

/// One client of the broker in memory.
private final class Connection: BrokerConnection, @unchecked Sendable {
    // Of the loop's thread alone.
    let broker: SteppedBroker
    let address: String
    let will: LastWill?
    let report: @Sendable (MQTTEvent) -> Void
    var isUp = false
    var isClosed = false
    private(set) var isSubscribed = false
    private var lastMessage: Int32 = 0

    init(
        to broker: SteppedBroker, _ address: String, _ will: LastWill?,
        _ report: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        self.broker = broker
        self.address = address
        self.will = will
        self.report = report
    }

    func start() { broker.accept(self) }

    func publish(
        _ payload: [UInt8], to topic: String, qos: Int32, retain: Bool,
        properties: MessageProperties
    ) -> Int32 {
        lastMessage += 1
        broker.accept(
            payload, on: topic, isRetained: retain, qos == 0 ? nil : lastMessage, from: self)
        return lastMessage
    }

    func subscribe(_ filter: String, _ options: SubscriptionOptions) -> Int32 {
        isSubscribed = true
        lastMessage += 1
        broker.serve(filter, lastMessage, to: self)
        return lastMessage
    }

    func close() { broker.close(self) }

    func abandon() { broker.abandon(self) }
}
