import Bytes
import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import Suggestions
import Synchronization
import Timeline

/// What people say of suggestions over MQTT: read, taken on the queue that writes, and replied to.
///
/// A request that comes again, as QoS 1 may have it, gets the reply that it got, and changes nothing.
final class SuggestionCommands: Sendable {
    /// Bytes of a request: an id, names and a reason.
    static let largest = 4096
    /// Replies that the broker has not confirmed; more of them are not sent, and their senders ask again.
    static let mostReplies = 64
    /// Who said it, where no token says a name.
    static let sender = "mqtt"

    private struct State {
        var memory = RequestMemory()
        var refused: [CommandCode: UInt64] = [:]
        var repliesUnderWay = 0
        var publish: @Sendable ([UInt8]) -> Void = { _ in }
    }

    /// What a request asks for.
    private struct Request {
        let id: String
        let payload: [UInt8]
        let athlete: String
        let suggestion: String
        let answer: SuggestionAnswer
    }

    let topics: LogbookTopicMap
    private let room: LiveRoom
    private let writer: StoreQueue
    private let desk: SuggestionDesk
    private let log: SystemLog
    private let isOurs: @Sendable () -> Bool
    private let accepted: @Sendable (String) -> Void
    private let answered: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isOurs: whether it is this logbook that answers, of those that share a store.
    ///   - accepted: is told of an athlete who has accepted something.
    ///   - answered: is told of an athlete of whose suggestions something was said.
    init(
        _ topics: LogbookTopicMap, room: LiveRoom, writer: StoreQueue, desk: SuggestionDesk,
        log: SystemLog, isOurs: @escaping @Sendable () -> Bool = { true },
        accepted: @escaping @Sendable (String) -> Void = { _ in },
        answered: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.topics, self.room, self.writer, self.desk) = (topics, room, writer, desk)
        (self.log, self.isOurs) = (log, isOurs)
        (self.accepted, self.answered) = (accepted, answered)
    }

    /// - Parameter publish: sends replies, to `topics.suggestionReplies`; each is followed by `replied`.
    func begin(_ publish: @escaping @Sendable ([UInt8]) -> Void) {
        state.withLock { $0.publish = publish }
    }

    /// The broker has a reply, or will not get it.
    func replied() { state.withLock { $0.repliesUnderWay -= 1 } }

    /// Requests that could not be read, by what was wrong with them.
    var refused: [CommandCode: UInt64] { state.withLock(\.refused) }

    /// Whether a message was for this. What clears a retained one is no request.
    func hear(_ message: IncomingMessage) -> Bool {
        guard message.topic == topics.suggestionCommands else { return false }
        guard !message.payload.isEmpty, isOurs() else { return true }
        var id: String?
        do throws(CommandFault) {
            var fields = try Self.fields(message)
            id = try fields.requestID()
            guard let id else { throw fields.missing("request_id") }
            switch state.withLock({ $0.memory.finding(id, message.payload) }) {
            case .new: try carryOut(read(&fields, id, message.payload))
            case .answered(let reply): send(reply)
            case .underWay:
                send(reply(to: id, .inProgress, "the first of this id is being carried out"))
            case .anotherContent:
                throw CommandFault(
                    .requestIDReused,
                    "request_id was used for another content; give each request its own")
            }
        } catch { refuse(id, error) }
        return true
    }

    private static func fields(_ message: IncomingMessage) throws(CommandFault) -> CommandFields {
        guard message.payload.count <= largest else {
            throw CommandFault(
                .tooLarge, "\(message.payload.count) bytes; a request has \(largest) at most")
        }
        if message.isRetained {
            throw CommandFault(
                .retained, "a command must not be retained; clear the topic with an empty message")
        }
        return CommandFields(try CommandFields.object(message.payload))
    }

    private func read(
        _ fields: inout CommandFields, _ id: String, _ payload: [UInt8]
    ) throws(CommandFault) -> Request {
        guard let athlete = try fields.name("athlete_id") else {
            throw fields.missing("athlete_id")
        }
        guard AthleteID.isValid(athlete) else {
            throw fields.wrong("athlete_id", "must be \(AthleteID.rule)")
        }
        guard let suggestion = try fields.text("suggestion_id") else {
            throw fields.missing("suggestion_id")
        }
        let answer = try SuggestionAnswer(&fields, at: present)
        try fields.finish()
        return Request(
            id: id, payload: payload, athlete: athlete, suggestion: suggestion, answer: answer)
    }

    private func carryOut(_ request: Request) throws(CommandFault) {
        state.withLock { $0.memory.begin(request.id, request.payload) }
        let isTaken = writer.carryOut { [self] store in
            do {
                let after = try desk.take(
                    request.answer, of: request.suggestion, to: request.athlete, by: Self.sender,
                    in: store, at: present, machine: room.machine(at:_:))
                took(request, after)
            } catch let fault as SuggestionFault {
                settle(request, reply(to: request.id, "\(fault)", fault.code))
            }
        } failed: { [self] error in
            state.withLock { $0.memory.forget(request.id) }
            send(reply(to: request.id, .failed, "\(error); send it again"))
        }
        guard isTaken else {
            state.withLock { $0.memory.forget(request.id) }
            throw CommandFault(.busy, "too many questions wait for the store; send it again later")
        }
    }

    private func took(_ request: Request, _ after: AthleteSuggestions) {
        let state = after.known(request.suggestion)?.state
        let words = "\(request.athlete)'s suggestion is \(state?.rawValue ?? "answered")"
        settle(request, reply(to: request.id, .done, words, state))
        if request.answer == .accept { accepted(request.athlete) }
        answered(request.athlete)
    }

    // MARK: Replies

    private func settle(_ request: Request, _ reply: [UInt8]) {
        state.withLock { $0.memory.settle(request.id, reply) }
        send(reply)
    }

    private func refuse(_ id: String?, _ fault: CommandFault) {
        let isFirst = state.withLock { state in
            state.refused[fault.code, default: 0] += 1
            return state.refused[fault.code] == 1
        }
        if isFirst {
            log.warning(
                "a message on \(topics.suggestionCommands) is refused, because \(fault.message); "
                    + "others like it are only counted")
        }
        send(reply(to: id, fault.code, fault.message))
    }

    private func send(_ reply: [UInt8]) {
        let publish = state.withLock { state -> (@Sendable ([UInt8]) -> Void)? in
            guard state.repliesUnderWay < Self.mostReplies else { return nil }
            state.repliesUnderWay += 1
            return state.publish
        }
        publish?(reply)
    }

    private func reply(
        to id: String?, _ code: CommandCode, _ message: String,
        _ state: AthleteSuggestions.State? = nil
    ) -> [UInt8] {
        reply(to: id, message, code.rawValue, status: code.status, state)
    }

    private func reply(
        to id: String?, _ message: String, _ code: String, status: String = "error",
        _ state: AthleteSuggestions.State? = nil
    ) -> [UInt8] {
        let now = present
        return JSONWriter.object { json in
            json.field("v", 1)
            json.field("kind", "rsp")
            json.field("logbook", topics.logbook.slug)
            json.field("ts_ms", now)
            json.field("time", CivilTime(unixMilliseconds: now).rfc3339)
            json.field("verb", "suggestion")
            json.field("request_id", id)
            json.field("status", status)
            json.field("code", code)
            json.field("message", message)
            json.field("state", state?.rawValue)
        }
    }

    /// Unix milliseconds.
    private var present: Int64 {
        let (now, clock) = room.present
        return clock.unixMilliseconds(at: now)
    }
}
