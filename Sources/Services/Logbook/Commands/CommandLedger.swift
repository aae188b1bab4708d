import Bytes
import Contract
import Timeline

/// The commands of the last hour, and what became of them. A value: moments are handed in.
struct CommandLedger: Sendable {
    /// Why there is no answer.
    enum Loss: String, Sendable {
        case noReply = "no_reply"
        case gatewayAway = "gateway_away"
        case notPermitted = "not_permitted"
        case notSent = "not_sent"

        var message: String {
            switch self {
            case .noReply:
                "no answer in time: look whether the gateway is there, then send it again"
            case .gatewayAway: "the gateway is away: look whether it runs, then send it again"
            case .notPermitted:
                "the broker refused the command: allow the logbook's user to write "
                    + "rowgate/v1/+/erg/+/cmd/# and rowgate/v1/+/cmd/#"
            case .notSent: "the broker went away before it was sent: send it again"
            }
        }
    }

    /// How long an answer may take: reading a workout back, three times over, takes half of it.
    static let patience = Duration.seconds(60)
    /// Of what may take a gateway longer: it reads its ring, all of it to forget somebody.
    static let longPatience = Duration.seconds(600)
    /// Of an answer whose members are told to the pages, bytes.
    static let replyBytes = 8 * 1024
    /// Commands that are remembered, and for how long.
    static let capacity = 32
    static let lifetime = Duration.seconds(3600)

    private static func patience(_ verb: CommandVerb) -> Duration {
        verb == .replay || verb == .forget ? longPatience : patience
    }

    private(set) var commands: [RoomCommand] = []
    /// Counts changes; a reader remembers the number that it has seen.
    private(set) var version: UInt64 = 1

    func command(_ id: String) -> RoomCommand? { commands.first { $0.id == id } }

    /// Notes a command that is about to be sent; false when too many still wait for their answers.
    mutating func open(_ id: String, _ content: RoomCommand.Content, at now: BootInstant) -> Bool {
        if commands.count >= Self.capacity {
            guard let index = commands.firstIndex(where: { !$0.isOpen }) else { return false }
            commands.remove(at: index)
        }
        version += 1
        commands.append(
            RoomCommand(
                id: id, content: content, sent: now,
                outcomes: content.places.map { _ in .init() }, changed: version))
        return true
    }

    /// A gateway has answered. Whoever may publish on the broker can say so too: what was done is
    /// seen in the erg's `state`.
    mutating func hear(_ payload: [UInt8], verb: String, from place: LiveBoard.Place) {
        guard payload.count <= 32 * 1024, let reply = try? JSONObject(parsing: payload),
            let id = reply.text("request_id"), let code = reply.text("code"),
            let status = reply.text("status").flatMap(RoomCommand.Outcome.Status.init),
            status != .sent
        else { return }
        let message = reply.text("message").map { String($0.prefix(300)) }
        let isTold =
            place.erg == nil && payload.count <= Self.replyBytes
            && EventLine.fits(payload)
        settle(
            id, at: place,
            .init(
                status: status, code: String(code.prefix(64)), message: message,
                reply: isTold ? payload : nil)
        ) { command, before in
            command.content.verb.rawValue == verb && before.status != .ok
        }
    }

    /// The broker, or nobody, took the command.
    mutating func lose(_ id: String, at place: LiveBoard.Place, _ loss: Loss) {
        settle(
            id, at: place, .init(status: .error, code: loss.rawValue, message: loss.message)
        ) { _, before in before.status == .sent }
    }

    private mutating func settle(
        _ id: String, at place: LiveBoard.Place, _ outcome: RoomCommand.Outcome,
        if isNews: (RoomCommand, RoomCommand.Outcome) -> Bool
    ) {
        guard let index = commands.firstIndex(where: { $0.id == id }),
            let part = commands[index].content.places.firstIndex(of: place),
            isNews(commands[index], commands[index].outcomes[part]),
            commands[index].outcomes[part] != outcome
        else { return }
        version += 1
        commands[index].outcomes[part] = outcome
        commands[index].changed = version
    }

    /// Time passes: who has not answered until now will not.
    mutating func advance(to now: BootInstant) {
        commands.removeAll { $0.sent.duration(to: now) >= Self.lifetime }
        for command in commands where command.isOpen {
            guard command.sent.duration(to: now) >= Self.patience(command.content.verb) else {
                continue
            }
            for (place, outcome) in zip(command.content.places, command.outcomes)
            where outcome.status == .sent || outcome.status == .accepted {
                let lost = RoomCommand.Outcome(
                    status: .error, code: Loss.noReply.rawValue, message: Loss.noReply.message)
                settle(command.id, at: place, lost) { _, _ in true }
            }
        }
    }

    /// Events for a reader that has seen the ledger at `seen`.
    func events(since seen: UInt64, at now: BootInstant) -> [UInt8] {
        commands.filter { $0.changed > seen }.flatMap { command in
            var writer = JSONWriter()
            command.write(to: &writer, at: now)
            return Array("event: command\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8)
        }
    }
}
