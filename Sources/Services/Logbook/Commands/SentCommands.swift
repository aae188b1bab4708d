import Bytes
import Contract
import Timeline

/// The commands that the logbook sent in the last hour, and their outcomes. It has no clock: times are parameters.
struct SentCommands: Sendable {
    /// Why a command got no answer.
    enum Failure: String, Sendable {
        case noReply = "no_reply"
        case gatewayAway = "gateway_away"
        case notPermitted = "not_permitted"
        case notSent = "not_sent"

        /// - Parameter prefix: that of the topics to allow.
        func message(below prefix: TopicPrefix) -> String {
            switch self {
            case .noReply:
                "no answer in time: check that the gateway is online, then send the command again"
            case .gatewayAway: "the gateway is offline: check that it is running, then send the command again"
            case .notPermitted:
                "the broker refused the command: allow the logbook's user to write "
                    + "\(prefix.ergCommandFilter) and \(prefix.commandFilter)"
            case .notSent: "the broker connection was lost before the command was sent: send it again"
            }
        }
    }

    /// The time limit for an answer. Reading a workout back three times takes half of it.
    static let replyTimeout = Duration.seconds(60)
    /// The time limit for commands for which a gateway reads its ring log: `replay` and `forget`.
    static let longReplyTimeout = Duration.seconds(600)
    /// The maximum size of an answer that is shown on the pages as a whole, in bytes.
    static let maximumReplyBytes = 8 * 1024
    /// The maximum number of commands in the history, and the time for which they stay.
    static let capacity = 32
    static let lifetime = Duration.seconds(3600)

    private static func replyTimeout(_ verb: CommandVerb) -> Duration {
        verb == .replay || verb == .forget ? longReplyTimeout : replyTimeout
    }

    private let topicPrefix: TopicPrefix
    private(set) var commands: [SentCommand] = []
    /// The number of changes so far. A reader remembers the last version that it received.
    private(set) var version: UInt64 = 1

    init(below topicPrefix: TopicPrefix = .standard) { self.topicPrefix = topicPrefix }

    func command(_ id: String) -> SentCommand? { commands.first { $0.id == id } }

    /// Adds a command before it is sent. Returns false if too many commands still wait for answers.
    mutating func add(_ id: String, _ content: SentCommand.Content, at now: BootInstant) -> Bool {
        if commands.count >= Self.capacity {
            guard let index = commands.firstIndex(where: { !$0.isOpen }) else { return false }
            commands.remove(at: index)
        }
        version += 1
        commands.append(
            SentCommand(
                id: id, content: content, sent: now,
                outcomes: content.places.map { _ in .init() }, changed: version))
        return true
    }

    /// Applies a gateway's answer. Any publisher on the broker can forge one; the erg's `state` shows the
    /// real effect.
    ///
    /// - Parameter payload: The answer as published, at most `ReceivedMessage.maximumBytes`.
    mutating func apply(
        _ reply: JSONObject, _ payload: [UInt8], verb: String, from place: LiveBoard.Place
    ) {
        guard let id = reply.text("request_id"), let code = reply.text("code"),
            let status = reply.text("status").flatMap(SentCommand.Outcome.Status.init),
            status != .sent
        else { return }
        let message = reply.text("message").map { String($0.prefix(300)) }
        let isShown =
            place.erg == nil && payload.count <= Self.maximumReplyBytes
            && SingleLineJSON.isSingleLine(payload)
        setOutcome(
            id, at: place,
            .init(
                status: status, code: String(code.prefix(64)), message: message,
                reply: isShown ? payload : nil)
        ) { command, before in
            command.content.verb.rawValue == verb && before.status != .ok
        }
    }

    /// Marks a command as failed at one place, unless an answer has arrived.
    mutating func fail(_ id: String, at place: LiveBoard.Place, _ failure: Failure) {
        setOutcome(
            id, at: place,
            .init(
                status: .error, code: failure.rawValue, message: failure.message(below: topicPrefix))
        ) { _, before in before.status == .sent }
    }

    private mutating func setOutcome(
        _ id: String, at place: LiveBoard.Place, _ outcome: SentCommand.Outcome,
        if isAllowed: (SentCommand, SentCommand.Outcome) -> Bool
    ) {
        guard let index = commands.firstIndex(where: { $0.id == id }),
            let part = commands[index].content.places.firstIndex(of: place),
            isAllowed(commands[index], commands[index].outcomes[part]),
            commands[index].outcomes[part] != outcome
        else { return }
        version += 1
        commands[index].outcomes[part] = outcome
        commands[index].changed = version
    }

    /// Removes old commands and fails commands whose time limit has passed.
    mutating func advance(to now: BootInstant) {
        commands.removeAll { $0.sent.duration(to: now) >= Self.lifetime }
        for command in commands where command.isOpen {
            guard command.sent.duration(to: now) >= Self.replyTimeout(command.content.verb) else {
                continue
            }
            for (place, outcome) in zip(command.content.places, command.outcomes)
            where outcome.status == .sent || outcome.status == .accepted {
                let failed = SentCommand.Outcome(
                    status: .error, code: Failure.noReply.rawValue,
                    message: Failure.noReply.message(below: topicPrefix))
                setOutcome(command.id, at: place, failed) { _, _ in true }
            }
        }
    }

    /// Returns the events after version `seen`.
    func events(since seen: UInt64, at now: BootInstant) -> [UInt8] {
        commands.filter { $0.changed > seen }.flatMap { command in
            var writer = JSONWriter()
            command.write(to: &writer, at: now)
            return Array("event: command\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
        }
    }
}
