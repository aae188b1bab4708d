import Contract
import Foundation
import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import Logbook
@testable import MQTTClient
@testable import Timeline
@testable import WebServer

/// Races as pages ask for them and are told of them, without broker and page.
@Suite struct RaceDeskTests {
    private final class Sent: Sendable {
        let messages = Mutex<[CommandRoom.Message]>([])
    }

    private let folder: TemporaryFolder
    private let room: LiveRoom
    private let commands: CommandRoom
    private let sent = Sent()

    init() throws {
        folder = try TemporaryFolder()
        let log = SystemLog(subsystem: "test", threshold: .critical)
        room = LiveRoom(runtime: SystemRuntime(), log: log)
        commands = CommandRoom(room: room, runtime: SystemRuntime(), log: log)
        commands.begin { [sent] messages in sent.messages.withLock { $0 += messages } }
        room.subscribed()
        for erg in 1...3 { say(erg, #""state":"idle""#) }
    }

    private func desk(keeps: Bool = true) -> RaceDesk {
        RaceDesk(
            room: room, commands: commands, path: keeps ? folder.path("races") : nil,
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
    }

    private func say(_ erg: Int, _ fields: String) {
        room.hear(
            IncomingMessage(
                topic: "rowgate/v1/b/erg/e-\(erg)/state", payload: Array("{\(fields)}".utf8)))
    }

    private func arm(_ ergs: ClosedRange<Int>, _ desk: RaceDesk) {
        for erg in ergs {
            say(erg, #""state":"ready","session_type":"distance","target_distance_m":2000.0"#)
        }
        desk.advance()
    }

    private static let ergs = #""to":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-2"}]"#
    private static let making =
        #"{"name":"heat","piece":{"type":"distance","distance_m":2000},\#(ergs)}"#

    private func told(_ answer: WebAnswer) -> (status: UInt32, text: String) {
        switch answer {
        case .json(let status, let bytes, _): (status, String(decoding: bytes, as: UTF8.self))
        case .failure(let status, let code, let message, _): (status, "\(code): \(message)")
        default: (0, "")
        }
    }

    private func make(_ body: String, at desk: RaceDesk) -> (status: UInt32, text: String) {
        told(desk.make(Array(body.utf8), by: "anna"))
    }

    private func take(_ body: String, _ id: String, at desk: RaceDesk) -> (UInt32, text: String) {
        told(desk.take(Array(body.utf8), for: id, by: "anna"))
    }

    private func race(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func events(_ desk: RaceDesk, _ seen: inout UInt64) -> String {
        String(decoding: desk.events(since: &seen), as: UTF8.self)
    }

    private var payloads: [String] {
        sent.messages.withLock { $0.map { String(decoding: $0.payload, as: UTF8.self) } }
    }

    @Test func aRaceIsMadeStartedAndEnded() throws {
        // Goal: one race from the coach's tap to its sheet, and everybody is told. Method: each step,
        // what is sent to the monitors, and the events of a reader.
        let desk = desk()
        var seen: UInt64 = 0
        #expect(events(desk, &seen) == "event: race\ndata: {}\n\n")
        let made = make(Self.making, at: desk)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(try race(made.text)["race_id"] as? String)
        #expect(sent.messages.withLock { $0.map(\.place.erg?.slug) } == ["e-1", "e-2"])
        #expect(
            payloads.allSatisfy {
                $0.hasSuffix(#""type":"distance","distance_m":2000}"#) && !$0.contains("force")
            })
        #expect(events(desk, &seen).contains(#""phase":"ready""#))
        #expect(events(desk, &seen) == "")
        #expect(make(Self.making, at: desk).text.hasPrefix("race_under_way"))
        let early = take(#"{"do":"start"}"#, id, at: desk)
        #expect(
            early.0 == 409 && early.text.hasPrefix("not_ready: not set to the piece: b/e-1, b/e"))
        arm(1...2, desk)
        #expect(events(desk, &seen).contains(#""standing":"armed""#))
        let started = take(#"{"do":"start","in_s":5}"#, id, at: desk)
        #expect(started.0 == 200)
        let told = try race(started.text)
        let wait = try #require(told["signal_ms"] as? Int64) - (told["called_ms"] as? Int64 ?? 0)
        #expect(wait == 5000)
        #expect(take(#"{"do":"start"}"#, id, at: desk).text.hasPrefix("wrong_phase"))
        #expect(take(#"{"do":"recall"}"#, id, at: desk).0 == 200)
        #expect(payloads.count == 4 && payloads[3].contains(#""force":true"#))
        #expect(take(#"{"do":"end"}"#, id, at: desk).text.contains(#""phase":"over""#))
        #expect(take(#"{"do":"end"}"#, id, at: desk).text.hasPrefix("wrong_phase"))
        guard case .content("text/csv; charset=utf-8", let sheet, _) = desk.sheet(of: id) else {
            Issue.record("no sheet")
            return
        }
        #expect(String(decoding: sheet, as: UTF8.self).hasPrefix("place,lane,"))
    }

    @Test func twoRacesFollowEachOtherAndBothSheetsRemain() throws {
        // Goal: heats. Method: a second race after the first; what is asked of the first is refused.
        let desk = desk()
        let first = try #require(try race(make(Self.making, at: desk).text)["race_id"] as? String)
        #expect(take(#"{"do":"end"}"#, first, at: desk).0 == 200)
        let second = make(Self.making, at: desk)
        #expect(second.status == 201)
        #expect(
            take(#"{"do":"start","force":true}"#, first, at: desk).text.hasPrefix("unknown_race"))
        for id in [first, try #require(try race(second.text)["race_id"] as? String)] {
            guard case .content = desk.sheet(of: id) else {
                Issue.record("\(id) has no sheet")
                continue
            }
        }
        guard case .failure(404, "unknown_race", _, _) = desk.sheet(of: "x") else {
            Issue.record("a sheet of nothing")
            return
        }
    }

    @Test func aRestartForgetsNothing() throws {
        // Goal: the logbook is restarted in the countdown, and the race goes on. Method: a second desk on
        // the same file; then a file that is none, and one that cannot be written.
        let desk = desk()
        let id = try #require(try race(make(Self.making, at: desk).text)["race_id"] as? String)
        arm(1...2, desk)
        #expect(take(#"{"do":"start","in_s":60}"#, id, at: desk).0 == 200)
        let again = self.desk()
        var (seen, seenAgain): (UInt64, UInt64) = (0, 0)
        #expect(events(again, &seenAgain).contains(#""phase":"countdown""#))
        _ = events(desk, &seen)
        #expect(take(#"{"do":"recall"}"#, id, at: again).text.contains(#""phase":"ready""#))
        try Data("none of ours".utf8).write(to: URL(fileURLWithPath: folder.path("races")))
        var seenLater: UInt64 = 0
        #expect(events(self.desk(), &seenLater) == "event: race\ndata: {}\n\n")
        let lost = RaceDesk(
            room: room, commands: commands, path: folder.path("no/such/races"),
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
        #expect(make(Self.making, at: lost).status == 201)
    }

    @Test(arguments: [
        ("x", 400, "not_json"), ("{}", 400, "missing_field: piece"),
        (#"{"piece":{"type":"distance","distance_m":2000}}"#, 400, "missing_field: to"),
        (#"{"piece":{"type":"just_row"},\#(ergs)}"#, 400, "bad_value: piece.type must be distance"),
        (#"{"piece":{"type":"distance"},\#(ergs)}"#, 400, "missing_field: piece.distance_m"),
        (
            #"{"piece":{"type":"distance","distance_m":5},\#(ergs)}"#, 400,
            "bad_value: piece is 5 m"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60,"x":1},\#(ergs)}"#, 400,
            "unknown_field: unknown field piece.x"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},"to":[{"gw":"b","erg":"e-1"}]}"#, 400,
            "bad_value: to must name 2 to 64 ergs"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},\#(ergs),"pace_s_per_500m":5}"#, 400,
            "bad_value: pace_s_per_500m must be 60 to 600"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},\#(ergs),"laps":2}"#, 400,
            "unknown_field: unknown field laps"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},"#
                + #""to":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-9"}]}"#, 404,
            "unknown_erg: no e-9 of b"
        ),
    ])
    func whatIsNoRaceIsRefusedInWords(body: String, status: UInt32, words: String) {
        // Goal: a person reads what is wrong, and no monitor is set. Method: a request for each mistake.
        let desk = desk(keeps: false)
        let answer = make(body, at: desk)
        #expect(answer.status == status && answer.text.hasPrefix(words), "\(answer.text)")
        #expect(sent.messages.withLock { $0.isEmpty })
        var seen: UInt64 = 0
        #expect(events(desk, &seen) == "event: race\ndata: {}\n\n")
    }

    @Test func aStepThatIsNoneIsRefusedInWords() throws {
        // Goal: as above, of what is done with a race. Method: each mistake; then the last two ergs of
        // which one is taken out, which leaves no race to start.
        let desk = desk(keeps: false)
        let id = try #require(try race(make(Self.making, at: desk).text)["race_id"] as? String)
        for (body, words) in [
            ("{}", "missing_field: do"), (#"{"do":"jump"}"#, "bad_value: do must be start"),
            (#"{"do":"start","in_s":1}"#, "bad_value: in_s must be 5 to 60"),
            (#"{"do":"scratch"}"#, "missing_field: erg"),
            (#"{"do":"end","force":true}"#, "unknown_field"), (#"{"do":"recall"}"#, "wrong_phase"),
            (#"{"do":"scratch","erg":{"gw":"b","erg":"e-3"}}"#, "wrong_phase"),
        ] {
            let answer = take(body, id, at: desk)
            #expect(answer.0 >= 400 && answer.text.hasPrefix(words), "\(body): \(answer.text)")
        }
        #expect(take(#"{"do":"scratch","erg":{"gw":"b","erg":"e-2"}}"#, id, at: desk).0 == 200)
        let answer = take(#"{"do":"start","force":true}"#, id, at: desk)
        #expect(answer.text.hasPrefix("wrong_phase: fewer than two ergs are left"))
    }

    @Test func aWallIsToldOfTheRaceAndOfNoCommand() {
        // Goal: whoever may see the wall sees the race. Method: a reader without the commands.
        let desk = desk(keeps: false)
        _ = make(Self.making, at: desk)
        let reader = room.open(StreamWaker(), with: [desk])
        let text = String(decoding: reader.next() ?? [], as: UTF8.self)
        #expect(text.contains("event: race\ndata: {\"race_id\""))
        #expect(!text.contains("event: command"))
    }
}
