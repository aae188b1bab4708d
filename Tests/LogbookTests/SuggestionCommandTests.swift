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

/// What people say of suggestions over MQTT, by what is replied and what the store has afterwards.
@Suite struct SuggestionCommandTests {
    private typealias Object = [String: Any]

    /// What was replied, as it went out.
    private final class Replies: Sendable {
        private let all = Mutex<[[UInt8]]>([])
        let accepted = Mutex<[String]>([])
        let answered = Mutex<[String]>([])
        func add(_ reply: [UInt8]) { all.withLock { $0.append(reply) } }
        var list: [[UInt8]] { all.withLock { $0 } }
    }

    private let room: InterfaceRoom
    private let replies = Replies()
    private let commands: SuggestionCommands
    private static let topics = LogbookTopicMap(logbook: LogbookID("club")!)

    /// Somebody rowed five times, and then not for three weeks.
    init() throws {
        room = try InterfaceRoom()
        try room.keepBreak(of: "anna")
        commands = Self.commands(room, room.writer, replies)
    }

    private static func commands(
        _ room: InterfaceRoom, _ writer: StoreQueue, _ replies: Replies,
        isOurs: @escaping @Sendable () -> Bool = { true }
    ) -> SuggestionCommands {
        let commands = SuggestionCommands(
            topics, room: room.room, writer: writer, desk: SuggestionDesk(book: AthleteBook(in: .utc)),
            log: SystemLog(subsystem: "test", threshold: .critical), isOurs: isOurs,
            accepted: { [replies] athlete in replies.accepted.withLock { $0.append(athlete) } },
            answered: { [replies] athlete in replies.answered.withLock { $0.append(athlete) } })
        commands.begin { [weak commands, replies] reply in
            replies.add(reply)
            commands?.replied()
        }
        return commands
    }

    private func offered() async throws -> String {
        let told = try await room.object("/athletes/anna/suggestions")
        return try #require((told["open"] as? [Object])?.first?["id"] as? String)
    }

    private static func request(_ id: String, _ suggestion: String, _ more: String) -> String {
        #"{"request_id":"\#(id)","athlete_id":"anna","suggestion_id":"\#(suggestion)",\#(more)}"#
    }

    private func hear(
        _ payload: String, _ commands: SuggestionCommands? = nil, retained: Bool = false
    ) {
        let message = IncomingMessage(
            topic: Self.topics.suggestionCommands, payload: Array(payload.utf8),
            isRetained: retained)
        #expect((commands ?? self.commands).hear(message))
    }

    /// The reply to a request, which is the next one.
    private func reply(
        to payload: String, _ commands: SuggestionCommands? = nil, retained: Bool = false
    ) async throws -> Object {
        let before = replies.list.count
        hear(payload, commands, retained: retained)
        try #require(await eventually { replies.list.count == before + 1 }, "\(payload)")
        return try object(Data(replies.list[before]))
    }

    private func object(_ data: Data) throws -> Object {
        try #require(try JSONSerialization.jsonObject(with: data) as? Object)
    }

    private func code(_ reply: Object) -> String { reply["code"] as? String ?? "" }

    @Test func whatIsSaidIsKeptAndReplied() async throws {
        // Goal: yes, not now and no, as over HTTP. Method: each of them; the replies, what the store has,
        // and who was told of it.
        let id = try await offered()
        let until = Int64(Date().timeIntervalSince1970 * 1000) + 86_400_000
        for (number, said) in [
            (#""say":"accept""#, "accepted"), (#""say":"snooze","until_ms":\#(until)"#, "snoozed"),
            (#""say":"dismiss","why":"ill""#, "dismissed"),
        ].enumerated() {
            let reply = try await reply(to: Self.request("r-\(number)", id, said.0))
            #expect(reply["status"] as? String == "ok" && code(reply) == "done")
            #expect(reply["request_id"] as? String == "r-\(number)")
            #expect(reply["state"] as? String == said.1)
            let kept = try room.store.suggestions(of: "anna")
            #expect(kept.map(\.said) == [said.1] && kept.map(\.by) == ["mqtt"])
        }
        #expect(try room.store.suggestions(of: "anna").map(\.why) == ["ill"])
        #expect(await eventually { replies.answered.withLock { $0.count } == 3 })
        #expect(replies.accepted.withLock { $0 } == ["anna"])
        #expect(commands.refused == [:])
    }

    @Test func theSameAgainChangesNothing() async throws {
        // Goal: a delivery that is repeated is answered the same, and acted on once. Method: the same
        // bytes three times, then beside another word meanwhile; the same id with other bytes.
        let id = try await offered()
        let yes = Self.request("r-1", id, #""say":"accept""#)
        let first = try await reply(to: yes)
        let kept = try room.store.suggestions(of: "anna")
        for _ in 0..<2 { _ = try await reply(to: yes) }
        #expect(Set(replies.list).count == 1 && first["state"] as? String == "accepted")
        #expect(try room.store.suggestions(of: "anna") == kept)
        #expect(replies.answered.withLock { $0.count } == 1)
        _ = try await reply(to: Self.request("r-2", id, #""say":"dismiss","why":"ill""#))
        #expect(try await reply(to: yes)["state"] as? String == "accepted")
        #expect(try room.store.suggestions(of: "anna").map(\.said) == ["dismissed"])
        let other = try await reply(to: Self.request("r-1", id, #""say":"dismiss","why":"ill""#))
        #expect(code(other) == "request_id_reused")
        #expect(commands.refused == [.requestIDReused: 1])
    }

    @Test func afterARestartNothingIsSaidAnew() async throws {
        // Goal: whoever repeats a request to a logbook that was started again does no harm. Method: a no,
        // heard by another one; then another reason.
        let id = try await offered()
        let no = Self.request("r-1", id, #""say":"dismiss","why":"ill""#)
        _ = try await reply(to: no)
        let kept = try room.store.suggestions(of: "anna")
        let restarted = Self.commands(room, room.writer, replies)
        #expect(try await reply(to: no, restarted)["state"] as? String == "dismissed")
        let why = Self.request("r-2", id, #""say":"dismiss","why":"tired""#)
        #expect(code(try await reply(to: why, restarted)) == "suggestion_over")
        #expect(try room.store.suggestions(of: "anna") == kept)
    }

    @Test func whatIsWrongIsNamedAndCounted() async throws {
        // Goal: a program's author is told what is wrong where, and nothing is kept of it. Method: each
        // mistake, with the words that say what helps.
        let id = try await offered()
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
        for (payload, told, words) in mistakes {
            let reply = try await reply(to: payload)
            #expect(code(reply) == told && reply["status"] as? String == "error", "\(payload)")
            let message = reply["message"] as? String ?? ""
            #expect(message.contains(words), "\(payload): \(message)")
        }
        #expect(commands.refused.values.reduce(0, +) == UInt64(mistakes.count))
        #expect(commands.refused[.badValue] == 5)
        let yes = Self.request("r-1", id, #""say":"accept""#)
        #expect(code(try await reply(to: yes, retained: true)) == "retained")
        for (payload, told) in [
            (Self.request("r-2", "more_power-1", #""say":"accept""#), "unknown_suggestion"),
            (yes.replacingOccurrences(of: "anna", with: "nobody"), "unknown_athlete"),
        ] {
            #expect(code(try await reply(to: payload)) == told)
        }
        #expect(try room.store.suggestions(of: nil) == [])
        // Whoever clears a topic asks for nothing; and other topics are others'.
        let before = replies.list.count
        hear("")
        #expect(!commands.hear(IncomingMessage(topic: "rowgate/v1/a/event", payload: [0x7B])))
        #expect(replies.list.count == before)
    }

    @Test func aStoreThatFailsLosesNothing() async throws {
        // Goal: the sender learns of it, and the same request succeeds when the store is back. Method: one
        // that cannot be opened at first.
        let id = try await offered()
        let isThere = Mutex(false)
        let path = room.folder.path("logbook.db")
        let failing = StoreQueue(
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical)
        ) { () throws(StoreFailure) in
            let path = isThere.withLock { $0 } ? path : "/nowhere/at/all.db"
            return try SQLiteStore(path, for: .changing)
        }
        let commands = Self.commands(room, failing, replies)
        let yes = Self.request("r-1", id, #""say":"accept""#)
        let failed = try await reply(to: yes, commands)
        #expect(code(failed) == "failed" && failed["state"] == nil)
        #expect((failed["message"] as? String)?.hasSuffix("send it again") == true)
        isThere.withLock { $0 = true }
        #expect(try await reply(to: yes, commands)["state"] as? String == "accepted")
        failing.stop()
    }

    @Test func whatComesTogetherIsLimited() async throws {
        // Goal: whoever floods the topic costs a bounded amount, and who is turned away may come again.
        // Method: a store that stands still, as many requests as may wait, the first again, one more; then
        // a broker that takes no reply.
        let id = try await offered()
        let gate = DispatchSemaphore(value: 0)
        let isTaken = room.writer.carryOut { _ in
            gate.wait()
        } failed: { _ in
        }
        #expect(isTaken)
        func yes(_ number: Int) -> String { Self.request("r-\(number)", id, #""say":"accept""#) }
        for number in 1..<StoreQueue.maximumWaiting { hear(yes(number)) }
        #expect(code(try await reply(to: yes(1))) == "in_progress")
        #expect(code(try await reply(to: yes(99))) == "busy")
        gate.signal()
        #expect(await eventually { replies.list.count == StoreQueue.maximumWaiting + 1 })
        #expect(try await reply(to: yes(99))["state"] as? String == "accepted")
        #expect(replies.answered.withLock { $0.count } == StoreQueue.maximumWaiting)

        let sent = Replies()
        commands.begin(sent.add)
        for _ in 0...SuggestionCommands.mostReplies { hear("x") }
        #expect(sent.list.count == SuggestionCommands.mostReplies)
        commands.replied()
        hear("x")
        #expect(sent.list.count == SuggestionCommands.mostReplies + 1)
    }

    @Test func oneOfSeveralLogbooksAnswers() async throws {
        // Goal: of those that share a store one replies. Method: two, of which one is not the first; then
        // it becomes that.
        let id = try await offered()
        let isFirst = Mutex(false)
        let silent = Replies()
        let second = Self.commands(room, room.writer, silent) { isFirst.withLock { $0 } }
        let yes = Self.request("r-1", id, #""say":"accept""#)
        hear(yes, second)
        _ = try await reply(to: yes)
        isFirst.withLock { $0 = true }
        hear(yes, second)
        #expect(await eventually { silent.list.count == 1 })
        #expect(try object(Data(silent.list[0]))["state"] as? String == "accepted")
    }

    @Test func repliesAndRequestsAreDescribed() async throws {
        // Goal: the schemas are true, both ways. Method: what is heard and replied here, each member of it
        // in its schema, and each member of a schema in one of them.
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../config/schema/logbook/v1")
        let id = try await offered()
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
        for fault in [SuggestionFault.unknown(""), .over(""), .unknownAthlete("")] {
            #expect(codes?.contains(fault.code) == true)
        }
    }
}
