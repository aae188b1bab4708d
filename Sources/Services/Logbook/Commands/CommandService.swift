import Bytes
import Contract
import HostRuntime
import Synchronization
import Timeline
import WebServer

/// Accepts commands from the pages, sends them to the gateways, and streams their outcomes to the readers.
///
/// Requests arrive on the web server's thread and answers on the broker connection's thread. A lock protects
/// the shared state.
final class CommandService: LiveEventSource {
    /// A command for one erg or gateway, ready to publish.
    struct Message: Sendable {
        let id: String
        let place: LiveBoard.Place
        let topic: String
        let payload: [UInt8]
    }

    /// Publishes messages. Calls `fail` for a message that could not be delivered.
    typealias Sender = @Sendable ([Message]) -> Void

    private struct State {
        var history: SentCommands
        /// The rate limits by the name of a token.
        var limiters: [String: RateLimiter] = [:]
        var send: Sender?
        /// Called when one of the logbook's own commands has ended.
        var ownCommandEnded: OwnCommandHandler = { _, _ in }
    }

    /// Handles the end of one of the logbook's own commands.
    typealias OwnCommandHandler = @Sendable (_ id: String, _ isDone: Bool) -> Void

    private let room: LiveRoom
    private let runtime: any Runtime
    private let log: SystemLog
    private let state: Mutex<State>

    init(room: LiveRoom, runtime: any Runtime, log: SystemLog) {
        self.room = room
        self.runtime = runtime
        self.log = log
        state = Mutex(State(history: SentCommands(below: room.topicPrefix)))
    }

    /// Sets the function that publishes commands.
    func start(_ send: @escaping Sender) { state.withLock { $0.send = send } }

    // MARK: From the logbook itself

    /// Sets the handler for the end of the logbook's own commands.
    func onOwnCommandEnded(_ handler: @escaping OwnCommandHandler) {
        state.withLock { $0.ownCommandEnded = handler }
    }

    /// Sends one of the logbook's own commands to an erg, if the erg can be reached now.
    ///
    /// - Parameter willSend: Called with the command's id before the command is sent.
    func sendOwn(
        _ verb: CommandVerb, _ fields: [UInt8], at place: LiveBoard.Place, by sender: String,
        willSend: (String) -> Void
    ) {
        guard room.isBrokerConnected, room.contains(place), !room.isOffline(place.gateway) else { return }
        let id = "\(runtime.makeULID())"
        let content = SentCommand.Content(
            verb: verb, fields: fields, places: [place], sender: sender, isFromLogbook: true)
        willSend(id)
        _ = enqueue(id, content, at: runtime.now())
    }

    // MARK: From a page

    /// Handles a page's request to send a command and returns the answer.
    func submit(_ body: [UInt8], from sender: String) -> WebAnswer {
        do throws(CommandFault) {
            return try send(try RequestedCommand(body, workouts: room.workouts), from: sender)
        } catch { return Self.refusal(error.code.rawValue, error.message) }
    }

    private func send(
        _ request: RequestedCommand, from sender: String
    ) throws(CommandFault) -> WebAnswer {
        let content = SentCommand.Content(
            verb: request.verb, fields: request.fields, places: request.places, sender: sender)
        return try send(content, as: request.requestID)
    }

    /// Sends a command to ergs or gateways.
    ///
    /// - Parameter id: the id that a page chose; nil for a new one.
    func send(_ content: SentCommand.Content, as id: String? = nil) throws(CommandFault) -> WebAnswer {
        let (now, sender) = (runtime.now(), content.sender)
        if let wait = wait(for: sender, at: now) { return Self.tooMany(wait) }
        guard room.isBrokerConnected else {
            return .failure(
                status: 503, code: "broker_away",
                message: "the broker is not connected, so no gateway can be reached; try again later")
        }
        for place in content.places where !room.contains(place) {
            throw CommandFault(.unknownErg, "\(place.displayName) has sent no message yet")
        }
        return enqueue(id ?? "\(runtime.makeULID())", content, at: now)
    }

    private func enqueue(
        _ id: String, _ content: SentCommand.Content, at now: BootInstant
    ) -> WebAnswer {
        let offline = Set(content.places.map(\.gateway).filter(room.isOffline))
        let (answer, messages, send) = state.withLock { state -> (WebAnswer, [Message], Sender?) in
            if let earlier = state.history.command(id) {
                // A page repeats a request if it did not receive the answer.
                guard earlier.content == content else {
                    return (
                        Self.refusal(
                            CommandCode.requestIDReused.rawValue,
                            "request_id was used for another command within the hour"), [], nil
                    )
                }
                return (Self.accepted(earlier, at: now), [], nil)
            }
            guard state.history.add(id, content, at: now) else {
                return (Self.tooMany(.seconds(5)), [], nil)
            }
            for place in content.places where offline.contains(place.gateway) {
                state.history.fail(id, at: place, .gatewayAway)
            }
            guard let command = state.history.command(id) else { return (.notFound, [], nil) }
            let messages = content.places.filter { !offline.contains($0.gateway) }
                .map { Message(command, to: $0, below: room.topicPrefix) }
            return (Self.accepted(command, at: now), messages, state.send)
        }
        guard !messages.isEmpty else { return answer }
        send?(messages)
        let places = content.places.map(\.displayName).joined(separator: ", ")
        log.notice("\(content.sender) sends \(content.verb.rawValue) to \(places)")
        return answer
    }

    private func wait(for sender: String, at now: BootInstant) -> Duration? {
        state.withLock { state in
            let usual = RateLimiter(burst: 30, pause: .seconds(1))
            if let delay = state.limiters[sender, default: usual].retryDelay(at: now) { return delay }
            state.limiters = state.limiters.filter { !$0.value.isFull(at: now) }
            state.limiters[sender, default: usual].consume(at: now)
            return nil
        }
    }

    private static func accepted(_ command: SentCommand, at now: BootInstant) -> WebAnswer {
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

    /// Handles a gateway's reply.
    ///
    /// - Parameter payload: The reply as published.
    func handle(reply: JSONObject, _ payload: [UInt8], verb: String, from place: LiveBoard.Place) {
        updateHistory { $0.apply(reply, payload, verb: verb, from: place) }
    }

    /// Marks a message as not delivered.
    func fail(_ message: Message, _ failure: SentCommands.Failure) {
        updateHistory { $0.fail(message.id, at: message.place, failure) }
    }

    /// Changes the history and reports the logbook's own commands that have ended.
    private func updateHistory(_ change: (inout SentCommands) -> Void) {
        let (ended, handler) = state.withLock { state in
            let seen = state.history.version
            change(&state.history)
            let ended = state.history.commands.filter {
                $0.changed > seen && $0.content.isFromLogbook && !$0.isOpen
            }
            return (ended, state.ownCommandEnded)
        }
        for command in ended {
            handler(command.id, command.outcomes.allSatisfy { $0.status == .ok })
        }
    }

    // MARK: To the readers

    /// Returns the events after version `seen` and sets `seen` to the current version. A new reader passes 0.
    func events(since seen: inout UInt64) -> [UInt8] {
        let now = runtime.now()
        return state.withLock { state in
            state.history.advance(to: now)
            guard state.history.version > seen else { return [] }
            defer { seen = state.history.version }
            return state.history.events(since: seen, at: now)
        }
    }
}

extension CommandService.Message {
    fileprivate init(
        _ command: SentCommand, to place: LiveBoard.Place, below prefix: TopicPrefix
    ) {
        id = command.id
        self.place = place
        let target = place.erg.map { CommandTarget.station($0) } ?? .gateway
        topic = TopicMap(gateway: place.gateway, below: prefix)
            .topic(of: GatewayTopic.command(target, verb: command.content.verb.rawValue))
        payload = command.payload
    }
}
