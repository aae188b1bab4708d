import Bytes
import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import Suggestions
import Synchronization
import Timeline

/// Handles MQTT commands that answer suggestions: parses them, stores the answers and sends replies.
///
/// A repeated request, which QoS 1 allows, gets the same reply and changes nothing.
final class SuggestionCommandHandler: Sendable {
    /// The largest size of a request in bytes.
    static let maximumBytes = 4096
    /// The largest number of unacknowledged replies. Further replies are dropped; the senders retry.
    static let maximumPendingReplies = 64
    /// The stored sender of an answer over MQTT, which has no token.
    static let sender = "mqtt"

    private struct State {
        var requests = RequestDeduplicator()
        var refused: [CommandCode: UInt64] = [:]
        var pendingReplies = 0
        var publish: @Sendable ([UInt8]) -> Void = { _ in }
    }

    /// A parsed request.
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
    private let suggestionService: SuggestionService
    private let log: SystemLog
    private let isResponsible: @Sendable () -> Bool
    private let onAccepted: @Sendable (String) -> Void
    private let onAnswered: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - isResponsible: whether this logbook answers, if several share the store.
    ///   - onAccepted: called with the athlete who accepted a suggestion.
    ///   - onAnswered: called with the athlete whose suggestion was answered.
    init(
        _ topics: LogbookTopicMap, room: LiveRoom, writer: StoreQueue,
        suggestionService: SuggestionService,
        log: SystemLog, isResponsible: @escaping @Sendable () -> Bool = { true },
        onAccepted: @escaping @Sendable (String) -> Void = { _ in },
        onAnswered: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.topics, self.room, self.writer, self.suggestionService) = (
            topics, room, writer, suggestionService
        )
        (self.log, self.isResponsible) = (log, isResponsible)
        (self.onAccepted, self.onAnswered) = (onAccepted, onAnswered)
    }

    /// - Parameter publish: sends a reply to `topics.suggestionReplies`, and then calls `replyEnded`.
    func start(_ publish: @escaping @Sendable ([UInt8]) -> Void) {
        state.withLock { $0.publish = publish }
    }

    /// Handles the acknowledgement or the loss of a reply.
    func replyEnded() { state.withLock { $0.pendingReplies -= 1 } }

    /// The number of rejected requests by code.
    var refused: [CommandCode: UInt64] { state.withLock(\.refused) }

    /// Handles a message on `topics.suggestionCommands`. Ignores empty messages, which clear a retained
    /// message.
    func handle(_ message: IncomingMessage) {
        guard !message.payload.isEmpty, isResponsible() else { return }
        var id: String?
        do throws(CommandFault) {
            var fields = try Self.fields(message)
            id = try fields.requestID()
            guard let id else { throw fields.missing("request_id") }
            switch state.withLock({ $0.requests.status(of: id, message.payload) }) {
            case .new: try execute(read(&fields, id, message.payload))
            case .completed(let reply): send(reply)
            case .inProgress:
                send(reply(to: id, .inProgress, "a request with this id is in progress"))
            case .differentPayload:
                throw CommandFault(
                    .requestIDReused,
                    "request_id was already used with a different payload; use a new id for each request"
                )
            }
        } catch { reject(id, error) }
    }

    private static func fields(_ message: IncomingMessage) throws(CommandFault) -> CommandFields {
        guard message.payload.count <= maximumBytes else {
            throw CommandFault(
                .tooLarge, "\(message.payload.count) bytes; the maximum is \(maximumBytes)")
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
        let answer = try SuggestionAnswer(&fields, at: nowMilliseconds)
        try fields.finish()
        return Request(
            id: id, payload: payload, athlete: athlete, suggestion: suggestion, answer: answer)
    }

    private func execute(_ request: Request) throws(CommandFault) {
        state.withLock { $0.requests.begin(request.id, request.payload) }
        let isQueued = writer.perform { [self] store in
            do {
                let after = try suggestionService.apply(
                    request.answer, to: request.suggestion, of: request.athlete, by: Self.sender,
                    in: store, at: nowMilliseconds, machine: room.machine(at:_:))
                completeApplied(request, after)
            } catch let fault as SuggestionFault {
                complete(request, reply(to: request.id, "\(fault)", fault.code))
            }
        } failed: { [self] error in
            state.withLock { $0.requests.remove(request.id) }
            send(reply(to: request.id, .failed, "\(error); send it again"))
        }
        guard isQueued else {
            state.withLock { $0.requests.remove(request.id) }
            throw CommandFault(
                .busy, "too many requests are waiting for the store; send it again later")
        }
    }

    private func completeApplied(_ request: Request, _ after: AthleteSuggestions) {
        let state = after.suggestion(request.suggestion)?.state
        let message = "\(request.athlete)'s suggestion is \(state?.rawValue ?? "answered")"
        complete(request, reply(to: request.id, .done, message, state))
        if request.answer == .accept { onAccepted(request.athlete) }
        onAnswered(request.athlete)
    }

    // MARK: Replies

    private func complete(_ request: Request, _ reply: [UInt8]) {
        state.withLock { $0.requests.complete(request.id, reply) }
        send(reply)
    }

    private func reject(_ id: String?, _ fault: CommandFault) {
        let isFirst = state.withLock { state in
            state.refused[fault.code, default: 0] += 1
            return state.refused[fault.code] == 1
        }
        if isFirst {
            log.warning(
                "rejected a message on \(topics.suggestionCommands): \(fault.message); "
                    + "further ones with the same error are only counted")
        }
        send(reply(to: id, fault.code, fault.message))
    }

    private func send(_ reply: [UInt8]) {
        let publish = state.withLock { state -> (@Sendable ([UInt8]) -> Void)? in
            guard state.pendingReplies < Self.maximumPendingReplies else { return nil }
            state.pendingReplies += 1
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
        let now = nowMilliseconds
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
    private var nowMilliseconds: Int64 {
        let (now, clock) = room.currentTime
        return clock.unixMilliseconds(at: now)
    }
}
