import Bytes
import Foundation
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import WebServer

/// Notices are found, stored, published once and withdrawn.
@Suite struct NoticeTests {
    private struct Outcome: Sendable {
        var summaries: [String] = []
        var payloads: [[UInt8]] = []
        var topics: Set<String> = []
        var lines: [String] = []
        var wall: [String] = []
    }

    private func outcome(
        suggesting: Bool = false, training: Bool = false,
        _ body:
            @escaping @Sendable (NoticeFixture, SteppedRuntime, inout Outcome) async throws -> Void
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 5) { machine in
            let fixture = NoticeFixture(on: machine, folder: folder.path)
            var outcome = Outcome()
            (fixture.addsSuggestions, fixture.addsTraining) = (suggesting, training)
            try fixture.start()
            fixture.connect()
            // Longer than a piece.
            await machine.sleep(for: .seconds(200))
            try await body(fixture, machine, &outcome)
            await fixture.stop()
            outcome.summaries = fixture.summaries
            outcome.payloads = fixture.published.map(\.payload)
            outcome.topics = Set(fixture.published.map(\.topic))
            outcome.lines = fixture.lines
            return outcome
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func checksWhoseMetricsAreStored() async throws {
        // After an update, no session has metrics of its version.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.maximumMissing = 1
            await fixture.stop()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(200))
            try await fixture.row(1, in: 100)
            try await fixture.row(2, in: 95)
            try await fixture.row(3, in: 120, by: "ben")
            await machine.sleep(for: .seconds(100))
            outcome.wall = fixture.checks.keys.sorted() + fixture.summaries
            try fixture.storeMetrics()
            await machine.sleep(for: .seconds(100))
        }
        // The first session of each is checked at once.
        #expect(outcome.wall == ["anna", "ben"])
        #expect(outcome.summaries == ["1 ranked 500m all_time"])
    }

    @Test(.timeLimit(.minutes(30)))
    func publishesBestOnce() async throws {
        let outcome = try await outcome { fixture, machine, _ in
            try await fixture.row(1, in: 100)
            try await fixture.row(2, in: 95)
            try await fixture.row(3, in: 97)
            await fixture.stop()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(90))
            try await fixture.row(4, in: 94)
        }
        #expect(outcome.summaries == ["1 ranked 500m all_time", "2 ranked 500m all_time"])
        #expect(outcome.topics == ["rowgate-logbook/v1/club/best"])
    }

    @Test(.timeLimit(.minutes(30)))
    func publishesAllBestsAfterReconnect() async throws {
        // The connection ends before two bests, returns and ends without an acknowledgement, and returns
        // again.
        let outcome = try await outcome { fixture, machine, outcome in
            try await fixture.row(1, in: 100)
            fixture.disconnect()
            try await fixture.row(2, in: 95)
            try await fixture.row(3, in: 94)
            fixture.acknowledges = false
            fixture.connect()
            await machine.sleep(for: .seconds(20))
            fixture.disconnect()
            fixture.acknowledges = true
            await fixture.stop()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.summaries.map { $0.prefix(1) } == ["1", "1", "2"])
        #expect(outcome.payloads[0] == outcome.payloads[1])
    }

    @Test(.timeLimit(.minutes(30)))
    func doesNotPublishOldSessions() async throws {
        // Sessions of a month ago and of an hour before the first start, then a new one. Each is faster.
        let outcome = try await outcome { fixture, machine, _ in
            for number in 1...5 {
                try await fixture.row(number, in: 100 - Double(number), ago: .seconds(2_592_000))
            }
            try await fixture.row(6, in: 90, ago: .seconds(3600))
            try await fixture.row(7, in: 89)
        }
        #expect(outcome.summaries == ["1 ranked 500m all_time"])
    }

    @Test(.timeLimit(.minutes(30)))
    func withdrawsBestThatIsNoLongerTrue() async throws {
        // One best is corrected to a slower time; the session of another moves to another athlete.
        let outcome = try await outcome { fixture, machine, _ in
            try await fixture.row(1, in: 100)
            let second = try await fixture.row(2, in: 95)
            let summary = try #require(second.last { $0.stream?.kind == .summary })
            let corrected = summary.replacing("\"revision\":1", "\"revision\":2")
                .replacing("\"result_time_s\":95.0", "\"result_time_s\":101.0")
                .replacing("\"seq\":\(summary.sequence)", "\"seq\":\(summary.sequence + 1)")
            await fixture.receive([corrected])
            await machine.sleep(for: .seconds(80))
            try await fixture.row(3, in: 96)
            try fixture.reassign(3, to: "ben")
            await machine.sleep(for: .seconds(90))
        }
        #expect(
            outcome.summaries == [
                "1 ranked 500m all_time", "2 withdraws 1", "3 ranked 500m all_time",
                "4 withdraws 3",
            ])
        let last = String(decoding: outcome.payloads.last ?? [], as: UTF8.self)
        #expect(!last.contains("anna") && !last.contains(NoticeFixture.id(3)))
    }

    /// The best of a merged athlete is withdrawn and published for the athlete who was kept, and back after an undo.
    @Test(.timeLimit(.minutes(30)))
    func bestsFollowAMerge() async throws {
        let outcome = try await outcome { fixture, _, _ in
            try await fixture.row(1, in: 100, by: "anna")
            try await fixture.row(2, in: 99, by: "anni")
            try await fixture.row(3, in: 95, by: "anni")
            try await fixture.merge("anni", into: "anna")
            try await fixture.merge("anni", into: "anna", undo: true)
        }
        let athletes = outcome.payloads.map { payload in
            (try? JSONObject(parsing: payload))?.text("athlete_id") ?? "-"
        }
        #expect(outcome.summaries.count == athletes.count)
        let pairs = zip(outcome.summaries, athletes).map { "\($0) \($1)" }
        #expect(
            pairs == [
                "1 ranked 500m all_time anni", "2 withdraws 1 -", "3 ranked 500m all_time anna",
                "4 ranked 500m all_time anna", "5 withdraws 3 -", "6 withdraws 4 -",
                "7 ranked 500m all_time anni",
            ], "\(pairs)")
    }

    @Test(.timeLimit(.minutes(30)))
    func publishesEachSuggestionState() async throws {
        // The sessions of the habit arrive in reverse order.
        let outcome = try await outcome(suggesting: true) { fixture, machine, _ in
            try await fixture.rowBeforeBreak(by: "carl")
            try await fixture.answer(.accept, as: "carl")
            await fixture.stop()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(90))
            try await fixture.answer(.dismiss(why: "ill"), as: "carl")
        }
        #expect(
            outcome.summaries == [
                "1 return_after_break offered", "2 withdraws 1", "3 return_after_break accepted",
                "4 withdraws 3",
            ])
        #expect(outcome.topics == ["rowgate-logbook/v1/club/suggestion"])
        #expect(!outcome.payloads.contains { String(decoding: $0, as: UTF8.self).contains("ill") })
    }

    @Test(.timeLimit(.minutes(30)))
    func republishesChangedTraining() async throws {
        // Two sessions this week, a restart, and one a month ago; then the second moves to another athlete.
        let outcome = try await outcome(training: true) { fixture, machine, _ in
            try await fixture.row(1, in: 95)
            try await fixture.row(2, in: 100)
            await fixture.stop()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(90))
            try await fixture.row(3, in: 80, ago: .seconds(2_592_000))
            try fixture.reassign(2, to: "ben")
            await machine.sleep(for: .seconds(90))
        }
        #expect(
            outcome.summaries == [
                "1 week of 1", "2 season of 1",
                "3 withdraws 1", "4 withdraws 2", "5 week of 2", "6 season of 2",
                "7 withdraws 6", "8 season of 3",
                "9 withdraws 5", "10 withdraws 8", "11 week of 1", "12 season of 2",
            ])
        let texts = outcome.payloads.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts[4].contains(#""sessions":2"#) && texts[4].contains(NoticeFixture.id(2)))
        #expect(!texts[10].contains(NoticeFixture.id(2)) && texts[10].contains(NoticeFixture.id(1)))
        #expect(!texts.contains { $0.contains("heart") })
    }

    @Test(.timeLimit(.minutes(30)))
    func republishesWeekAfterTimeZoneChange() async throws {
        // A piece on Sunday evening in UTC, then a restart in a time zone in which it was Monday.
        let kiritimati = try ClubCalendar.of("Pacific/Kiritimati")
        let outcome = try await outcome(training: true) { fixture, machine, _ in
            // 2026-09-06T20:00:00Z.
            machine.mapping = WallClock(
                bootID: "5b1f", unixMillisecondsAtBoot: 1_788_724_800_000, isSynchronized: true)
            try await fixture.row(1, in: 95)
            await fixture.stop()
            fixture.calendar = kiritimati
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(90))
        }
        #expect(
            outcome.summaries == [
                "1 week of 1", "2 season of 1", "3 withdraws 1", "4 week of 1",
            ])
        let texts = outcome.payloads.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.first?.contains(#""from":"2026-08-31""#) == true)
        #expect(texts.last?.contains(#""from":"2026-09-07""#) == true)
    }

    @Test(.timeLimit(.minutes(30)))
    func checksAgainWhoChangesDuringTheCheck() async throws {
        let outcome = try await outcome { fixture, _, outcome in
            var counts: [Int] = []
            for number in 1...3 {
                fixture.changesDuringCheck = number == 3
                try await fixture.row(number, in: 100)
                counts.append(fixture.checks["anna", default: 0])
            }
            outcome.wall = ["\(counts[1] - counts[0])", "\(counts[2] - counts[1])"]
        }
        let numbers = outcome.wall.compactMap { Int($0) }
        #expect(numbers.count == 2 && numbers[0] > 0 && numbers[1] == numbers[0] + 1, "\(numbers)")
    }

    @Test(.timeLimit(.minutes(30)))
    func logsRefusedPublishOnce() async throws {
        let outcome = try await outcome { fixture, machine, _ in
            fixture.refusesPublish = true
            try await fixture.row(1, in: 100)
            try await fixture.row(2, in: 95)
            await machine.sleep(for: .seconds(600))
            fixture.refusesPublish = false
            await machine.sleep(for: .seconds(400))
        }
        #expect(outcome.summaries == ["1 ranked 500m all_time"])
        let lines = outcome.lines.filter { $0.contains("access list") }
        #expect(lines.count == 1 && lines[0].contains("rowgate-logbook/v1/"), "\(outcome.lines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func wallShowsBestForOneMinuteWithoutAthlete() async throws {
        let outcome = try await outcome { fixture, machine, outcome in
            func wallEvent() -> String {
                var text = ""
                fixture.room.advance()
                let reader = fixture.room.open(StreamWaker())
                if let bytes = reader.next() { text = String(decoding: bytes, as: UTF8.self) }
                reader.end()
                return text
            }
            try await fixture.row(1, in: 100)
            outcome.wall.append(wallEvent())
            try await fixture.row(2, in: 95)
            outcome.wall.append(wallEvent())
            await machine.sleep(for: .seconds(61))
            outcome.wall.append(wallEvent())
        }
        #expect(outcome.wall.map { $0.contains(#""event":"500m""#) } == [false, true, false])
        #expect(outcome.wall[1].contains(#""bests":[{"age_ms":"#))
        #expect(outcome.wall[1].contains(#""result":"ranked","scope":"all_time""#))
        #expect(!outcome.wall[1].contains("anna"))
        // The browser tests show this message, so that they cannot know more members than the wall gets.
        let begin = try #require(outcome.wall[1].range(of: #""bests":[{"age_ms":"#)).upperBound
        let payload = try #require(outcome.wall[1][begin...].range(of: #""payload":"#)).upperBound
        let end = try #require(outcome.wall[1][payload...].range(of: "}")).upperBound
        let best = outcome.wall[1][payload..<end] + "\n"
        #expect(try goldenText("live-best.json", for: String(best)) == best)
    }

    @Test(.timeLimit(.minutes(30)))
    func noticesMatchSchemas() async throws {
        let outcome = try await outcome(suggesting: true, training: true) { fixture, machine, _ in
            try await fixture.row(1, in: 100)
            try await fixture.row(2, in: 95)
            try await fixture.row(3, in: 150, by: "dora", metres: 2000)
            try fixture.reassign(2, to: "ben")
            await machine.sleep(for: .seconds(90))
            try await fixture.rowBeforeBreak(by: "carl")
            try await fixture.answer(.accept, as: "carl")
        }
        let kinds = outcome.summaries.map { $0.contains("ranked") ? "best" : "other" }
        let zones = outcome.payloads.filter { $0.range(of: #""time_in_zone":{"#) != nil }
        #expect(!zones.isEmpty)
        #expect(kinds.filter { $0 == "best" }.count == 1 && kinds.count >= 5)
        // Other tests cover bests within a longer piece, bests over a time and outcomes of suggestions.
        let unseen: [NoticeKind: Set<String>] = [
            .best: ["from_s", "event_time_s"], .suggestion: ["verdict", "gw", "session_id"],
            .training: [],
        ]
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../config/schema/logbook/v1")
        for kind in NoticeKind.allCases {
            let schema = try object(
                Data(contentsOf: folder.appendingPathComponent("\(kind.rawValue).json")))
            let properties = try #require(schema["properties"] as? Object)
            var seen: Set<String> = []
            for payload in outcome.payloads {
                let message = try object(Data(payload))
                guard message["kind"] as? String == kind.rawValue else { continue }
                seen.formUnion(message.keys)
                #expect(Set(message.keys).isSubset(of: properties.keys))
                let isWithdrawal = message["withdraws_seq"] != nil
                let own = isWithdrawal ? [] : (schema["else"] as? Object)?["required"] as? [String]
                let required = (schema["required"] as? [String] ?? []) + (own ?? [])
                #expect(Set(required).isSubset(of: message.keys), "\(message)")
                for (name, value) in message {
                    let allowed = properties[name] as? Object ?? [:]
                    try check(value, against: allowed, name)
                    if allowed["const"] != nil { continue }
                    #expect(
                        (allowed["type"] as? String == "string") == (value is String), "\(name)")
                }
            }
            #expect(Set(properties.keys).subtracting(seen) == unseen[kind], "\(kind)")
        }
    }

    private typealias Object = [String: Any]

    /// Checks nested objects and lists: known members, required members and allowed values.
    private func check(_ value: Any, against schema: Object, _ name: String) throws {
        if let list = value as? [Any] {
            let items = try #require(schema["items"] as? Object, "\(name)")
            for (index, element) in list.enumerated() {
                try check(element, against: items, "\(name)[\(index)]")
            }
        } else if let members = value as? Object {
            let properties = try #require(schema["properties"] as? Object, "\(name)")
            #expect(Set(members.keys).isSubset(of: properties.keys), "\(name)")
            let required = schema["required"] as? [String] ?? []
            #expect(Set(required).isSubset(of: members.keys), "\(name)")
            for (inner, value) in members {
                try check(value, against: properties[inner] as? Object ?? [:], "\(name).\(inner)")
            }
        } else if let words = schema["enum"] as? [String] {
            #expect(words.contains(value as? String ?? ""), "\(name)")
        }
    }

    private func object(_ data: Data) throws -> Object {
        try #require(try JSONSerialization.jsonObject(with: data) as? Object)
    }
}
