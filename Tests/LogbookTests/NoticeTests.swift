import Foundation
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import WebServer

/// What the logbook says by itself: found out, stored, published once, and taken back.
@Suite struct NoticeTests {
    private struct Outcome: Sendable {
        var told: [String] = []
        var payloads: [[UInt8]] = []
        var topics: Set<String> = []
        var lines: [String] = []
        var wall: [String] = []
    }

    private func outcome(
        suggesting: Bool = false, training: Bool = false,
        _ body: @escaping @Sendable (NoticeRoom, SteppedRuntime, inout Outcome) async throws -> Void
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 5) { machine in
            let room = NoticeRoom(on: machine, folder: folder.path)
            var outcome = Outcome()
            (room.isSuggesting, room.isTraining) = (suggesting, training)
            try room.start()
            room.connect()
            // Longer than a piece takes.
            await machine.sleep(for: .seconds(200))
            try await body(room, machine, &outcome)
            await room.stop()
            outcome.told = room.told
            outcome.payloads = room.published.map(\.payload)
            outcome.topics = Set(room.published.map(\.topic))
            outcome.lines = room.lines
            return outcome
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func aBestIsSaidOnce() async throws {
        // Goal: whoever beats themselves is heard of, once. Method: a first 500 m, a faster one, one
        // between; then the program is started again.
        let outcome = try await outcome { room, machine, _ in
            try await room.row(1, in: 100)
            try await room.row(2, in: 95)
            try await room.row(3, in: 97)
            await room.stop()
            try room.start()
            room.connect()
            await machine.sleep(for: .seconds(90))
            try await room.row(4, in: 94)
        }
        #expect(outcome.told == ["1 ranked 500m all_time", "2 ranked 500m all_time"])
        #expect(outcome.topics == ["rowgate-logbook/v1/club/best"])
    }

    @Test(.timeLimit(.minutes(30)))
    func aBrokerThatIsAwayLosesNone() async throws {
        // Goal: each arrives, in order, the same bytes under the same number. Method: the connection
        // ends before two bests, comes back and ends without an answer, comes back again; a restart.
        let outcome = try await outcome { room, machine, outcome in
            try await room.row(1, in: 100)
            room.disconnect()
            try await room.row(2, in: 95)
            try await room.row(3, in: 94)
            room.isAnswering = false
            room.connect()
            await machine.sleep(for: .seconds(20))
            room.disconnect()
            room.isAnswering = true
            await room.stop()
            try room.start()
            room.connect()
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.told.map { $0.prefix(1) } == ["1", "1", "2"])
        #expect(outcome.payloads[0] == outcome.payloads[1])
    }

    @Test(.timeLimit(.minutes(30)))
    func anOldSeasonIsNoNews() async throws {
        // Goal: no storm when a logbook is made beside a full ring, or reads a season. Method: sessions
        // of an hour before it, and of a month ago, each faster than the one before; then one of now.
        let outcome = try await outcome { room, machine, _ in
            for number in 1...5 {
                try await room.row(number, in: 100 - Double(number), ago: .seconds(2_592_000))
            }
            try await room.row(6, in: 90, ago: .seconds(3600))
            try await room.row(7, in: 89)
        }
        #expect(outcome.told == ["1 ranked 500m all_time"])
    }

    @Test(.timeLimit(.minutes(30)))
    func whatHoldsNoLongerIsTakenBack() async throws {
        // Goal: nothing stays said that an erasure or a correction undid, and its bytes are gone.
        // Method: a best is corrected to be slow; the session of another is somebody else's.
        let outcome = try await outcome { room, machine, _ in
            try await room.row(1, in: 100)
            let second = try await room.row(2, in: 95)
            let told = try #require(second.last { $0.stream?.kind == .summary })
            let corrected = told.replacing("\"revision\":1", "\"revision\":2")
                .replacing("\"result_time_s\":95.0", "\"result_time_s\":101.0")
                .replacing("\"seq\":\(told.sequence)", "\"seq\":\(told.sequence + 1)")
            await room.hear([corrected])
            await machine.sleep(for: .seconds(80))
            try await room.row(3, in: 96)
            try room.reassign(3, to: "ben")
            await machine.sleep(for: .seconds(90))
        }
        #expect(
            outcome.told == [
                "1 ranked 500m all_time", "2 takes back 1", "3 ranked 500m all_time",
                "4 takes back 3",
            ])
        let last = String(decoding: outcome.payloads.last ?? [], as: UTF8.self)
        #expect(!last.contains("anna") && !last.contains(NoticeRoom.id(3)))
    }

    @Test(.timeLimit(.minutes(30)))
    func whatIsSuggestedIsSaidAndWhatBecomesOfIt() async throws {
        // Goal: each state once, the one before taken back. Method: a habit of three weeks ago, told
        // backwards; yes; the program started again; no.
        let outcome = try await outcome(suggesting: true) { room, machine, _ in
            try await room.rowLongAgo(by: "carl")
            try await room.answer(.accept, as: "carl")
            await room.stop()
            try room.start()
            room.connect()
            await machine.sleep(for: .seconds(90))
            try await room.answer(.dismiss(why: "ill"), as: "carl")
        }
        #expect(
            outcome.told == [
                "1 return_after_break offered", "2 takes back 1", "3 return_after_break accepted",
                "4 takes back 3",
            ])
        #expect(outcome.topics == ["rowgate-logbook/v1/club/suggestion"])
        #expect(!outcome.payloads.contains { String(decoding: $0, as: UTF8.self).contains("ill") })
    }

    @Test(.timeLimit(.minutes(30)))
    func whatTrainingComesToIsSaidAnew() async throws {
        // Goal: of each week and season the last figures stand, and what an erasure took from them is
        // taken back. Method: two sessions of this week, the program started again, one of a month ago;
        // the second becomes another's.
        let outcome = try await outcome(training: true) { room, machine, _ in
            try await room.row(1, in: 95)
            try await room.row(2, in: 100)
            await room.stop()
            try room.start()
            room.connect()
            await machine.sleep(for: .seconds(90))
            try await room.row(3, in: 80, ago: .seconds(2_592_000))
            try room.reassign(2, to: "ben")
            await machine.sleep(for: .seconds(90))
        }
        #expect(
            outcome.told == [
                "1 week of 1", "2 season of 1",
                "3 takes back 1", "4 takes back 2", "5 week of 2", "6 season of 2",
                "7 takes back 6", "8 season of 3",
                "9 takes back 5", "10 takes back 8", "11 week of 1", "12 season of 2",
            ])
        let texts = outcome.payloads.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts[4].contains(#""sessions":2"#) && texts[4].contains(NoticeRoom.id(2)))
        #expect(!texts[10].contains(NoticeRoom.id(2)) && texts[10].contains(NoticeRoom.id(1)))
        #expect(!texts.contains { $0.contains("heart") })
    }

    @Test(.timeLimit(.minutes(30)))
    func inAnotherTimeZoneAWeekIsTakenBackAndPublishedAnew() async throws {
        // A piece on Sunday evening in UTC, then a restart in a zone in which that is Monday.
        let kiritimati = try ClubCalendar.of("Pacific/Kiritimati")
        let outcome = try await outcome(training: true) { room, machine, _ in
            // 2026-09-06T20:00:00Z.
            machine.mapping = WallClock(
                bootID: "5b1f", unixMillisecondsAtBoot: 1_788_724_800_000, isSynchronized: true)
            try await room.row(1, in: 95)
            await room.stop()
            room.calendar = kiritimati
            try room.start()
            room.connect()
            await machine.sleep(for: .seconds(90))
        }
        #expect(
            outcome.told == [
                "1 week of 1", "2 season of 1", "3 takes back 1", "4 week of 1",
            ])
        let texts = outcome.payloads.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.first?.contains(#""from":"2026-08-31""#) == true)
        #expect(texts.last?.contains(#""from":"2026-09-07""#) == true)
    }

    @Test(.timeLimit(.minutes(30)))
    func aBrokerThatForbidsItIsNamed() async throws {
        // Goal: who looks after the broker learns what to allow, once, and nothing is lost. Method: it
        // refuses for ten minutes.
        let outcome = try await outcome { room, machine, _ in
            room.isRefusing = true
            try await room.row(1, in: 100)
            try await room.row(2, in: 95)
            await machine.sleep(for: .seconds(600))
            room.isRefusing = false
            await machine.sleep(for: .seconds(400))
        }
        #expect(outcome.told == ["1 ranked 500m all_time"])
        let lines = outcome.lines.filter { $0.contains("access list") }
        #expect(lines.count == 1 && lines[0].contains("rowgate-logbook/v1/"), "\(outcome.lines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func theWallIsToldForAMinuteAndWithoutTheAthlete() async throws {
        // Goal: the room sees it at once and not for long. Method: what a new reader is told after a
        // best, and a minute later.
        let outcome = try await outcome { room, machine, outcome in
            func told() -> String {
                var text = ""
                room.room.advance()
                let reader = room.room.open(StreamWaker())
                if let bytes = reader.next() { text = String(decoding: bytes, as: UTF8.self) }
                reader.end()
                return text
            }
            try await room.row(1, in: 100)
            outcome.wall.append(told())
            try await room.row(2, in: 95)
            outcome.wall.append(told())
            await machine.sleep(for: .seconds(61))
            outcome.wall.append(told())
        }
        #expect(outcome.wall.map { $0.contains(#""event":"500m""#) } == [false, true, false])
        #expect(outcome.wall[1].contains(#""bests":[{"age_ms":"#))
        #expect(outcome.wall[1].contains(#""result":"ranked","scope":"all_time""#))
        #expect(!outcome.wall[1].contains("anna"))
    }

    @Test(.timeLimit(.minutes(30)))
    func whatIsPublishedIsDescribedAndTheOtherWayRound() async throws {
        // Goal: the schemas are true. Method: each member of what is published is in the schema of its
        // kind, with a value that it allows, and each member of the schema is in something published.
        let outcome = try await outcome(suggesting: true, training: true) { room, machine, _ in
            try await room.row(1, in: 100)
            try await room.row(2, in: 95)
            try await room.row(3, in: 150, by: "dora", metres: 2000)
            try room.reassign(2, to: "ben")
            await machine.sleep(for: .seconds(90))
            try await room.rowLongAgo(by: "carl")
            try await room.answer(.accept, as: "carl")
        }
        let kinds = outcome.told.map { $0.contains("ranked") ? "best" : "other" }
        let zones = outcome.payloads.filter { $0.range(of: #""time_in_zone":{"#) != nil }
        #expect(!zones.isEmpty)
        #expect(kinds.filter { $0 == "best" }.count == 1 && kinds.count >= 5)
        // A best within another piece, and one over a time, are tried with the bests themselves; what
        // became of a suggestion with those.
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
                    try hold(value, against: allowed, name)
                    if allowed["const"] != nil { continue }
                    #expect(
                        (allowed["type"] as? String == "string") == (value is String), "\(name)")
                }
            }
            #expect(Set(properties.keys).subtracting(seen) == unseen[kind], "\(kind)")
        }
    }

    private typealias Object = [String: Any]

    /// Objects within, and lists of them: no other members, all that are required, words that are allowed.
    private func hold(_ value: Any, against schema: Object, _ name: String) throws {
        if let list = value as? [Any] {
            let items = try #require(schema["items"] as? Object, "\(name)")
            for (index, element) in list.enumerated() {
                try hold(element, against: items, "\(name)[\(index)]")
            }
        } else if let members = value as? Object {
            let properties = try #require(schema["properties"] as? Object, "\(name)")
            #expect(Set(members.keys).isSubset(of: properties.keys), "\(name)")
            let required = schema["required"] as? [String] ?? []
            #expect(Set(required).isSubset(of: members.keys), "\(name)")
            for (inner, value) in members {
                try hold(value, against: properties[inner] as? Object ?? [:], "\(name).\(inner)")
            }
        } else if let words = schema["enum"] as? [String] {
            #expect(words.contains(value as? String ?? ""), "\(name)")
        }
    }

    private func object(_ data: Data) throws -> Object {
        try #require(try JSONSerialization.jsonObject(with: data) as? Object)
    }
}
