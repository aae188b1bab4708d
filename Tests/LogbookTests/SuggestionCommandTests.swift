import Foundation
import HostRuntime
import LogbookStores
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// MQTT commands that answer suggestions: the replies and the stored answers.
@Suite struct SuggestionCommandTests {
    private typealias Object = [String: Any]

    /// Collects replies and callbacks.
    private final class Replies: Sendable {
        private let all = Mutex<[[UInt8]]>([])
        let accepted = Mutex<[String]>([])
        let answered = Mutex<[String]>([])
        func add(_ reply: [UInt8]) { all.withLock { $0.append(reply) } }
        var list: [[UInt8]] { all.withLock { $0 } }
    }

    private let fixture: InterfaceFixture
    private let replies = Replies()
    private let commands: SuggestionCommandHandler
    private static let topics = LogbookTopicMap(logbook: LogbookID("club")!, below: .standard)

    /// Anna has five sessions, followed by a break of three weeks.
    init() throws {
        fixture = try InterfaceFixture()
        try fixture.saveSessionsBeforeBreak(of: "anna")
        commands = Self.commands(fixture, fixture.writer, replies)
    }

    private static func commands(
        _ fixture: InterfaceFixture, _ writer: StoreQueue, _ replies: Replies,
        isResponsible: @escaping @Sendable () -> Bool = { true }
    ) -> SuggestionCommandHandler {
        let commands = SuggestionCommandHandler(
            topics, room: fixture.room, writer: writer,
            suggestionService: SuggestionService(history: AthleteHistory(in: .utc)),
            log: SystemLog(subsystem: "test", threshold: .critical), isResponsible: isResponsible,
            onAccepted: { [replies] athlete in replies.accepted.withLock { $0.append(athlete) } },
            onAnswered: { [replies] athlete in replies.answered.withLock { $0.append(athlete) } })
        commands.start { [weak commands, replies] reply in
            replies.add(reply)
            commands?.replyEnded()
        }
        return commands
    }

    private func openSuggestionID() async throws -> String {
        let response = try await fixture.object("/athletes/anna/suggestions")
        return try #require((response["open"] as? [Object])?.first?["id"] as? String)
    }

    private static func request(_ id: String, _ suggestion: String, _ more: String) -> String {
        #"{"request_id":"\#(id)","athlete_id":"anna","suggestion_id":"\#(suggestion)",\#(more)}"#
    }

    private func send(
        _ payload: String, _ commands: SuggestionCommandHandler? = nil, retained: Bool = false
    ) {
        let message = IncomingMessage(
            topic: Self.topics.suggestionCommands, payload: Array(payload.utf8),
            isRetained: retained)
        (commands ?? self.commands).handle(message)
    }

    /// Sends a request and returns the next reply.
    private func reply(
        to payload: String, _ commands: SuggestionCommandHandler? = nil, retained: Bool = false
    ) async throws -> Object {
        let before = replies.list.count
        send(payload, commands, retained: retained)
        try #require(await eventually { replies.list.count == before + 1 }, "\(payload)")
        return try object(Data(replies.list[before]))
    }

    private func object(_ data: Data) throws -> Object {
        try #require(try JSONSerialization.jsonObject(with: data) as? Object)
    }

    private func code(_ reply: Object) -> String { reply["code"] as? String ?? "" }

    @Test func storesAnswerAndReplies() async throws {
        let id = try await openSuggestionID()
        let until = Int64(Date().timeIntervalSince1970 * 1000) + 86_400_000
        for (number, answer) in [
            (#""say":"accept""#, "accepted"), (#""say":"snooze","until_ms":\#(until)"#, "snoozed"),
            (#""say":"dismiss","why":"ill""#, "dismissed"),
        ].enumerated() {
            let reply = try await reply(to: Self.request("r-\(number)", id, answer.0))
            #expect(reply["status"] as? String == "ok" && code(reply) == "done")
            #expect(reply["request_id"] as? String == "r-\(number)")
            #expect(reply["state"] as? String == answer.1)
            let stored = try fixture.store.suggestions(of: "anna")
            #expect(stored.map(\.answer) == [answer.1] && stored.map(\.by) == ["mqtt"])
        }
        #expect(try fixture.store.suggestions(of: "anna").map(\.why) == ["ill"])
        #expect(await eventually { replies.answered.withLock { $0.count } == 3 })
        #expect(replies.accepted.withLock { $0 } == ["anna"])
        #expect(commands.refused == [:])
    }

    @Test func repeatedRequestChangesNothing() async throws {
        let id = try await openSuggestionID()
        let yes = Self.request("r-1", id, #""say":"accept""#)
        let first = try await reply(to: yes)
        let stored = try fixture.store.suggestions(of: "anna")
        for _ in 0..<2 { _ = try await reply(to: yes) }
        #expect(Set(replies.list).count == 1 && first["state"] as? String == "accepted")
        #expect(try fixture.store.suggestions(of: "anna") == stored)
        #expect(await eventually { replies.answered.withLock { $0.count } == 1 })
        _ = try await reply(to: Self.request("r-2", id, #""say":"dismiss","why":"ill""#))
        #expect(try await reply(to: yes)["state"] as? String == "accepted")
        #expect(try fixture.store.suggestions(of: "anna").map(\.answer) == ["dismissed"])
        let other = try await reply(to: Self.request("r-1", id, #""say":"dismiss","why":"ill""#))
        #expect(code(other) == "request_id_reused")
        #expect(commands.refused == [.requestIDReused: 1])
    }

    @Test func repeatedRequestAfterRestartChangesNothing() async throws {
        let id = try await openSuggestionID()
        let no = Self.request("r-1", id, #""say":"dismiss","why":"ill""#)
        _ = try await reply(to: no)
        let stored = try fixture.store.suggestions(of: "anna")
        let restarted = Self.commands(fixture, fixture.writer, replies)
        #expect(try await reply(to: no, restarted)["state"] as? String == "dismissed")
        let why = Self.request("r-2", id, #""say":"dismiss","why":"tired""#)
        #expect(code(try await reply(to: why, restarted)) == "suggestion_over")
        #expect(try fixture.store.suggestions(of: "anna") == stored)
    }

    @Test func errorsAreReportedAndCounted() async throws {
        let id = try await openSuggestionID()
        let rest = #""athlete_id":"anna","suggestion_id":"\#(id)","say":"accept""#
        let mistakes = [
            ("x", "not_json", "JSON"), ("[]", "not_json", "JSON object"),
            (#"{\#(rest)}"#, "missing_field", "request_id"),
            (#"{"request_id":"a b",\#(rest)}"#, "bad_value", "visible ASCII"),
            (#"{"request_id":"r-1"}"#, "missing_field", "athlete_id"),
            (#"{"request_id":"r-1","athlete_id":"A B"}"#, "bad_value", "athlete_id"),
            (#"{"request_id":"r-1","athlete_id":"anna"}"#, "missing_field", "suggestion_id"),
            (#"{"request_id":"r-1","whi":"x",\#(rest)}"#, "unknown_field", "whi"),
            (Self.request("r-1", id, #""say":"yes""#), "bad_value", "accept, dismiss"),
            (Self.request("r-1", id, #""say":"accept","say":"accept""#), "bad_value", "twice"),
            (Self.request("r-1", id, #""say":"snooze","until_ms":5"#), "bad_value", "90 days"),
            (Self.request("r-1", id, #""say":"dismiss","why":""#), "not_json", "JSON"),
            (String(repeating: " ", count: 4097), "too_large", "4096"),
        ]
        for (payload, status, text) in mistakes {
            let reply = try await reply(to: payload)
            #expect(code(reply) == status && reply["status"] as? String == "error", "\(payload)")
            let message = reply["message"] as? String ?? ""
            #expect(message.contains(text), "\(payload): \(message)")
        }
        #expect(commands.refused.values.reduce(0, +) == UInt64(mistakes.count))
        #expect(commands.refused[.badValue] == 5)
        let yes = Self.request("r-1", id, #""say":"accept""#)
        #expect(code(try await reply(to: yes, retained: true)) == "retained")
        for (payload, expected) in [
            (Self.request("r-2", "more_power-1", #""say":"accept""#), "unknown_suggestion"),
            (yes.replacingOccurrences(of: "anna", with: "unknown"), "unknown_athlete"),
        ] {
            #expect(code(try await reply(to: payload)) == expected)
        }
        #expect(try fixture.store.suggestions(of: nil) == [])
        // An empty message clears the topic and gets no reply. Other topics are not routed here.
        let before = replies.list.count
        send("")
        MessageRouter(room: fixture.room, commands: fixture.commands, suggestionCommands: commands)
            .route(IncomingMessage(topic: "rowgate/v1/a/event", payload: [0x7B]))
        #expect(replies.list.count == before)
    }

    @Test func failedRequestCanBeRepeated() async throws {
        let id = try await openSuggestionID()
        let isThere = Mutex(false)
        let path = fixture.folder.path("logbook.db")
        let failing = StoreQueue(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical)
        ) { () throws(StoreFailure) in
            let path = isThere.withLock { $0 } ? path : "/nowhere/at/all.db"
            return try SQLiteStore(path, for: .editing)
        }
        let commands = Self.commands(fixture, failing, replies)
        let yes = Self.request("r-1", id, #""say":"accept""#)
        let failed = try await reply(to: yes, commands)
        #expect(code(failed) == "failed" && failed["state"] == nil)
        #expect((failed["message"] as? String)?.hasSuffix("send it again") == true)
        isThere.withLock { $0 = true }
        #expect(try await reply(to: yes, commands)["state"] as? String == "accepted")
        failing.stop()
    }

    @Test func limitsWaitingRequestsAndReplies() async throws {
        // The store is blocked while requests arrive. Then the broker acknowledges no replies.
        let id = try await openSuggestionID()
        let gate = DispatchSemaphore(value: 0)
        let isQueued = fixture.writer.perform { _ in
            gate.wait()
        } failed: { _ in
        }
        #expect(isQueued)
        func yes(_ number: Int) -> String { Self.request("r-\(number)", id, #""say":"accept""#) }
        for number in 1..<StoreQueue.maximumWaiting { send(yes(number)) }
        #expect(code(try await reply(to: yes(1))) == "in_progress")
        #expect(code(try await reply(to: yes(99))) == "busy")
        gate.signal()
        #expect(await eventually { replies.list.count == StoreQueue.maximumWaiting + 1 })
        #expect(try await reply(to: yes(99))["state"] as? String == "accepted")
        #expect(await eventually { replies.answered.withLock { $0.count } == StoreQueue.maximumWaiting })

        let sent = Replies()
        commands.start(sent.add)
        for _ in 0...SuggestionCommandHandler.maximumPendingReplies { send("x") }
        #expect(sent.list.count == SuggestionCommandHandler.maximumPendingReplies)
        commands.replyEnded()
        send("x")
        #expect(sent.list.count == SuggestionCommandHandler.maximumPendingReplies + 1)
    }

    @Test func onlyResponsibleLogbookAnswers() async throws {
        let id = try await openSuggestionID()
        let isFirst = Mutex(false)
        let silent = Replies()
        let second = Self.commands(fixture, fixture.writer, silent) { isFirst.withLock { $0 } }
        let yes = Self.request("r-1", id, #""say":"accept""#)
        send(yes, second)
        _ = try await reply(to: yes)
        isFirst.withLock { $0 = true }
        send(yes, second)
        #expect(await eventually { silent.list.count == 1 })
        #expect(try object(Data(silent.list[0]))["state"] as? String == "accepted")
    }

    @Test func requestsAndRepliesMatchSchemas() async throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../config/schema/logbook/v1")
        let id = try await openSuggestionID()
        let until = Int64(Date().timeIntervalSince1970 * 1000) + 86_400_000
        let requests = [
            #""say":"accept""#, #""say":"snooze","until_ms":\#(until)"#,
            #""say":"dismiss","why":"ill""#,
        ].enumerated().map { Self.request("r-\($0.offset)", id, $0.element) }
        for payload in requests + ["x"] { _ = try await reply(to: payload) }
        for (name, payloads) in [
            ("cmd_suggestion", requests.map { Data($0.utf8) }),
            ("rsp", replies.list.map { Data($0) }),
        ] {
            let schema = try object(Data(contentsOf: folder.appendingPathComponent("\(name).json")))
            let properties = try #require(schema["properties"] as? Object)
            var seen: Set<String> = []
            for payload in payloads {
                let message = try object(payload)
                seen.formUnion(message.keys)
                #expect(Set(schema["required"] as? [String] ?? []).isSubset(of: message.keys))
                for (field, value) in message {
                    let allowed = try #require(properties[field] as? Object, "\(field)")
                    if let words = allowed["enum"] as? [String] {
                        #expect(words.contains(value as? String ?? ""), "\(field)")
                    }
                }
            }
            #expect(seen == Set(properties.keys), "\(name)")
        }
        let schema = try object(Data(contentsOf: folder.appendingPathComponent("rsp.json")))
        let codes = ((schema["properties"] as? Object)?["code"] as? Object)?["enum"] as? [String]
        for fault in [SuggestionFault.unknown(""), .notOpen(""), .unknownAthlete("")] {
            #expect(codes?.contains(fault.code) == true)
        }
    }
}
