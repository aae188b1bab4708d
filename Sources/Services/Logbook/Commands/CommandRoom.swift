import Bytes
import Contract
import HostRuntime
import Synchronization
import Timeline
import WebServer

/// Takes commands from the pages, sends them to the gateways, and tells what became of each.
///
/// Pages ask on the web server's thread, answers come on the broker connection's: a lock stands
/// between them.
final class CommandRoom: LiveSource {
    /// A command for one erg, to be published.
    struct Message: Sendable {
        let id: String
        let place: LiveBoard.Place
        let topic: String
        let payload: [UInt8]
    }

    /// Publishes, and reports what was lost with `lose`.
    typealias Sender = @Sendable ([Message]) -> Void

    private struct State {
        var ledger = CommandLedger()
        /// By the name of a token.
        var senders: [String: Allowance] = [:]
        var send: Sender?
        /// Is told what became of the logbook's own commands.
        var settled: Settled = { _, _ in }
    }

    /// A command of the logbook's own is over: its id, and whether it was done.
    typealias Settled = @Sendable (_ id: String, _ isDone: Bool) -> Void

    private let room: LiveRoom
    private let runtime: any Runtime
    private let log: SystemLog
    private let state = Mutex(State())

    init(room: LiveRoom, runtime: any Runtime, log: SystemLog) {
        self.room = room
        self.runtime = runtime
        self.log = log
    }

    /// From here on commands are sent by `send`.
    func begin(_ send: @escaping Sender) { state.withLock { $0.send = send } }

    // MARK: From the logbook itself

    /// From here on `settled` is told what becomes of commands that are ordered.
    func report(_ settled: @escaping Settled) { state.withLock { $0.settled = settled } }

    /// Sends a command to one erg, if it can be reached now.
    ///
    /// - Parameter noting: is told its id before anything can become of it.
    func order(
        _ verb: CommandVerb, _ fields: [UInt8], at place: LiveBoard.Place, by sender: String,
        noting: (String) -> Void
    ) {
        guard room.hearsBroker, room.knows(place), !room.isAway(place.gateway) else { return }
        let id = "\(runtime.makeULID())"
        let content = RoomCommand.Content(
            verb: verb, fields: fields, places: [place], sender: sender, isOwn: true)
        noting(id)
        _ = open(id, content, at: runtime.now())
    }

    // MARK: From a page

    /// What is answered to a page that wants to send a command.
    func take(_ body: [UInt8], from sender: String) -> WebAnswer {
        do throws(CommandFault) {
            return try send(try CommandIntake(body, workouts: room.workouts), from: sender)
        } catch { return Self.refusal(error.code.rawValue, error.message) }
    }

    private func send(
        _ intake: CommandIntake, from sender: String
    ) throws(CommandFault) -> WebAnswer {
        let now = runtime.now()
        if let wait = wait(for: sender, at: now) { return Self.tooMany(wait) }
        guard room.hearsBroker else {
            return .failure(
                status: 503, code: "broker_away",
                message: "the broker is away, so no gateway can be reached; try again when it is "
                    + "back")
        }
        for place in intake.places where !room.knows(place) {
            throw CommandFault(.unknownErg, "no \(place.words) has been heard of")
        }
        let content = RoomCommand.Content(
            verb: intake.verb, fields: intake.fields, places: intake.places, sender: sender)
        return open(intake.requestID ?? "\(runtime.makeULID())", content, at: now)
    }

    private func open(
        _ id: String, _ content: RoomCommand.Content, at now: BootInstant
    ) -> WebAnswer {
        let away = Set(content.places.map(\.gateway).filter(room.isAway))
        let (answer, messages, send) = state.withLock { state -> (WebAnswer, [Message], Sender?) in
            if let earlier = state.ledger.command(id) {
                // A page that did not hear the answer asks again.
                guard earlier.content == content else {
                    return (
                        Self.refusal(
                            CommandCode.requestIDReused.rawValue,
                            "request_id was used for another command within the hour"), [], nil
                    )
                }
                return (Self.accepted(earlier, at: now), [], nil)
            }
            guard state.ledger.open(id, content, at: now) else {
                return (Self.tooMany(.seconds(5)), [], nil)
            }
            for place in content.places where away.contains(place.gateway) {
                state.ledger.lose(id, at: place, .gatewayAway)
            }
            guard let command = state.ledger.command(id) else { return (.notFound, [], nil) }
            let messages = content.places.filter { !away.contains($0.gateway) }
                .map { Message(command, to: $0) }
            return (Self.accepted(command, at: now), messages, state.send)
        }
        guard !messages.isEmpty else { return answer }
        send?(messages)
        let places = content.places.map(\.words).joined(separator: ", ")
        log.notice("\(content.sender) sends \(content.verb.rawValue) to \(places)")
        return answer
    }

    private func wait(for sender: String, at now: BootInstant) -> Duration? {
        state.withLock { state in
            let usual = Allowance(burst: 30, pause: .seconds(1))
            if let wait = state.senders[sender, default: usual].wait(at: now) { return wait }
            state.senders = state.senders.filter { !$0.value.isWhole(at: now) }
            state.senders[sender, default: usual].take(at: now)
            return nil
        }
    }

    private static func accepted(_ command: RoomCommand, at now: BootInstant) -> WebAnswer {
        var writer = JSONWriter()
        command.write(to: &writer, at: now)
        return .json(status: 202, writer.bytes)
    }

    static func refusal(_ code: String, _ message: String) -> WebAnswer {
        let status: UInt32 =
            switch code {
            case CommandCode.unknownErg.rawValue: 404
            case CommandCode.requestIDReused.rawValue: 409
            default: 400
            }
        return .failure(status: status, code: code, message: message)
    }

    private static func tooMany(_ wait: Duration) -> WebAnswer {
        let seconds = wait.components.seconds + 1
        return .failure(
            status: 429, code: "too_many_commands",
            message: "too many commands at once; try again in \(seconds) s",
            headers: [WebAnswer.retryAfter(seconds)])
    }

    // MARK: From the broker

    /// A reply of a gateway; anything else is none of ours.
    func hear(_ topic: String, _ payload: [UInt8]) {
        guard let (gateway, topic) = TopicMap.read(topic),
            case .reply(let station, let verb) = topic
        else { return }
        let place = LiveBoard.Place(gateway: gateway, erg: station)
        follow { $0.hear(payload, verb: verb, from: place) }
    }

    func lose(_ message: Message, _ loss: CommandLedger.Loss) {
        follow { $0.lose(message.id, at: message.place, loss) }
    }

    /// Changes the ledger, and tells what became of commands of the logbook's own by that.
    private func follow(_ change: (inout CommandLedger) -> Void) {
        let (over, settled) = state.withLock { state in
            let seen = state.ledger.version
            change(&state.ledger)
            let over = state.ledger.commands.filter {
                $0.changed > seen && $0.content.isOwn && !$0.isOpen
            }
            return (over, state.settled)
        }
        for command in over {
            settled(command.id, command.outcomes.allSatisfy { $0.status == .ok })
        }
    }

    // MARK: To the readers

    /// What a reader is told that has seen the ledger at `seen`, 0 for one that has seen nothing.
    func events(since seen: inout UInt64) -> [UInt8] {
        let now = runtime.now()
        return state.withLock { state in
            state.ledger.advance(to: now)
            guard state.ledger.version > seen else { return [] }
            defer { seen = state.ledger.version }
            return state.ledger.events(since: seen, at: now)
        }
    }
}

extension CommandRoom.Message {
    fileprivate init(_ command: RoomCommand, to place: LiveBoard.Place) {
        id = command.id
        self.place = place
        let target = place.erg.map { CommandTarget.station($0) } ?? .gateway
        topic = TopicMap(gateway: place.gateway)
            .topic(of: GatewayTopic.command(target, verb: command.content.verb.rawValue))
        payload = command.payload
    }
}
