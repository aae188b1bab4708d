import Contract
import LogbookStores
import MQTTClient

/// Publishes the logbook's messages, and reports to their senders whether the broker has accepted them.
struct BrokerSender {
    /// The time after which the broker discards an undelivered request.
    private static let requestExpirySeconds: UInt32 = 60
    /// The time after which the broker discards an undelivered command, so that a gateway that reconnects
    /// later does not execute it.
    private static let commandExpirySeconds: UInt32 = 20

    private let commands: CommandService
    private let ingester: RecordIngester?
    private let suggestionCommands: SuggestionCommandHandler?
    /// The connection; nil until the broker has confirmed its subscriptions.
    private var connection: (any BrokerConnection)?
    /// The commands that the broker has not acknowledged yet, by message number.
    private var unacknowledgedCommands: [Int32: CommandService.Message] = [:]
    /// The sequence numbers of unacknowledged notices, by message number.
    private var unacknowledgedNotices: [Int32: UInt64] = [:]
    /// The message numbers of unacknowledged replies.
    private var unacknowledgedReplies: Set<Int32> = []

    init(
        commands: CommandService, ingester: RecordIngester?, suggestionCommands: SuggestionCommandHandler?
    ) {
        (self.commands, self.ingester) = (commands, ingester)
        self.suggestionCommands = suggestionCommands
    }

    // MARK: The connection

    /// Sends over this connection until `disconnected`.
    mutating func connected(over connection: (any BrokerConnection)?) { self.connection = connection }

    /// Fails all unacknowledged messages. A notice is published again later.
    mutating func disconnected() {
        connection = nil
        for message in unacknowledgedCommands.values { commands.fail(message, .notSent) }
        for _ in unacknowledgedReplies { suggestionCommands?.replyEnded() }
        (unacknowledgedCommands, unacknowledgedNotices, unacknowledgedReplies) = ([:], [:], [])
    }

    // MARK: Sending

    /// Sends a request to a gateway. Drops it if it cannot be sent now.
    func send(_ request: OutgoingCommand) {
        _ = publish(request.payload, to: request.topic, for: Self.requestExpirySeconds)
    }

    /// Sends commands. A command that cannot be sent now fails.
    mutating func send(_ messages: [CommandService.Message]) {
        for message in messages {
            if let number = publish(message.payload, to: message.topic, for: Self.commandExpirySeconds) {
                unacknowledgedCommands[number] = message
            } else {
                commands.fail(message, .notSent)
            }
        }
    }

    /// Publishes a notice. The ingester is informed of the broker's acknowledgement.
    mutating func publish(_ notice: StoredNotice, as topics: LogbookTopicMap, epoch: String) {
        let payload = NoticePayload.published(
            notice.members, of: notice.kind, logbook: topics.logbook, epoch: epoch,
            sequence: notice.sequence, at: notice.madeAt)
        guard let number = publish(payload, to: topics.topic(of: notice.kind), for: nil) else { return }
        unacknowledgedNotices[number] = notice.sequence
    }

    /// Publishes the reply to a suggestion command.
    mutating func send(reply: [UInt8]) {
        guard let suggestionCommands else { return }
        let topic = suggestionCommands.topics.suggestionReplies
        if let number = publish(reply, to: topic, for: Self.requestExpirySeconds) {
            unacknowledgedReplies.insert(number)
        } else {
            suggestionCommands.replyEnded()
        }
    }

    /// Publishes a message and returns its number; nil while not connected.
    private func publish(_ payload: [UInt8], to topic: String, for seconds: UInt32?) -> Int32? {
        connection?.publish(
            payload, to: topic, qos: 1, retain: false,
            properties: MessageProperties(isJSON: true, expirySeconds: seconds))
    }

    // MARK: The broker's answers

    mutating func acknowledged(_ number: Int32) {
        unacknowledgedCommands[number] = nil
        if unacknowledgedReplies.remove(number) != nil { suggestionCommands?.replyEnded() }
        if let sequence = unacknowledgedNotices.removeValue(forKey: number) {
            ingester?.acknowledged(notice: sequence)
        }
    }

    /// Handles the broker's refusal of a message. Returns whether it was a reply to a suggestion command.
    mutating func refused(_ number: Int32) -> Bool {
        if let sequence = unacknowledgedNotices.removeValue(forKey: number) {
            ingester?.refused(notice: sequence)
        }
        if let message = unacknowledgedCommands.removeValue(forKey: number) {
            commands.fail(message, .notPermitted)
        }
        guard unacknowledgedReplies.remove(number) != nil else { return false }
        suggestionCommands?.replyEnded()
        return true
    }
}
