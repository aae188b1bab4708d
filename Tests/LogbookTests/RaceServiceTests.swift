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

/// Races as pages create and see them, without a broker.
@Suite struct RaceServiceTests {
    private final class Sent: Sendable {
        let messages = Mutex<[CommandService.Message]>([])
    }

    private let folder: TemporaryFolder
    private let room: LiveRoom
    private let commands: CommandService
    private let sent = Sent()

    init() throws {
        folder = try TemporaryFolder()
        let log = SystemLog(subsystem: "test", threshold: .critical)
        room = LiveRoom(runtime: SystemRuntime(), log: log)
        commands = CommandService(room: room, runtime: SystemRuntime(), log: log)
        commands.start { [sent] messages in sent.messages.withLock { $0 += messages } }
        room.subscribed()
        for erg in 1...3 { publishState(erg, #""state":"idle""#) }
    }

    private func makeService(storesRaces: Bool = true) -> RaceService {
        RaceService(
            room: room, commands: commands, path: storesRaces ? folder.path("races") : nil,
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
    }

    private func publishState(_ erg: Int, _ fields: String) {
        room.handle(
            IncomingMessage(
                topic: "rowgate/v1/b/erg/e-\(erg)/state", payload: Array("{\(fields)}".utf8)))
    }

    private func arm(_ ergs: ClosedRange<Int>, _ service: RaceService) {
        for erg in ergs {
            publishState(erg, #""state":"ready","session_type":"distance","target_distance_m":2000.0"#)
        }
        service.advance()
    }

    private static let ergs = #""to":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-2"}]"#
    private static let creation =
        #"{"name":"heat","piece":{"type":"distance","distance_m":2000},\#(ergs)}"#

    private func content(_ answer: WebAnswer) -> (status: UInt32, text: String) {
        switch answer {
        case .json(let status, let bytes, _): (status, String(decoding: bytes, as: UTF8.self))
        case .failure(let status, let code, let message, _): (status, "\(code): \(message)")
        default: (0, "")
        }
    }

    private func create(_ body: String, with service: RaceService) -> (status: UInt32, text: String) {
        content(service.create(Array(body.utf8), by: "anna"))
    }

    private func act(
        _ body: String, _ id: String, with service: RaceService
    ) -> (UInt32, text: String) {
        content(service.handleAction(Array(body.utf8), for: id, by: "anna"))
    }

    private func race(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func events(_ service: RaceService, _ seen: inout UInt64) -> String {
        String(decoding: service.events(since: &seen), as: UTF8.self)
    }

    private var payloads: [String] {
        sent.messages.withLock { $0.map { String(decoding: $0.payload, as: UTF8.self) } }
    }

    @Test func createsStartsRecallsAndEndsARace() throws {
        // Each action, the commands to the monitors, and the events of a reader.
        let service = makeService()
        var seen: UInt64 = 0
        #expect(events(service, &seen) == "event: race\ndata: {}\n\n")
        let created = create(Self.creation, with: service)
        #expect(created.status == 201, "\(created.text)")
        let id = try #require(try race(created.text)["race_id"] as? String)
        #expect(sent.messages.withLock { $0.map(\.place.erg?.slug) } == ["e-1", "e-2"])
        #expect(
            payloads.allSatisfy {
                $0.hasSuffix(#""type":"distance","distance_m":2000}"#) && !$0.contains("force")
            })
        #expect(events(service, &seen).contains(#""phase":"ready""#))
        #expect(events(service, &seen) == "")
        #expect(create(Self.creation, with: service).text.hasPrefix("race_under_way"))
        let early = act(#"{"do":"start"}"#, id, with: service)
        #expect(
            early.0 == 409 && early.text.hasPrefix("not_ready: not set to the piece: b/e-1, b/e"))
        arm(1...2, service)
        #expect(events(service, &seen).contains(#""standing":"armed""#))
        let started = act(#"{"do":"start","in_s":5}"#, id, with: service)
        #expect(started.0 == 200)
        let race = try race(started.text)
        let wait = try #require(race["signal_ms"] as? Int64) - (race["called_ms"] as? Int64 ?? 0)
        #expect(wait == 5000)
        #expect(act(#"{"do":"start"}"#, id, with: service).text.hasPrefix("wrong_phase"))
        #expect(act(#"{"do":"recall"}"#, id, with: service).0 == 200)
        #expect(payloads.count == 4 && payloads[3].contains(#""force":true"#))
        #expect(act(#"{"do":"end"}"#, id, with: service).text.contains(#""phase":"over""#))
        #expect(act(#"{"do":"end"}"#, id, with: service).text.hasPrefix("wrong_phase"))
        guard case .content("text/csv; charset=utf-8", let table, _) = try table(of: id, service) else {
            Issue.record("no results")
            return
        }
        #expect(String(decoding: table, as: UTF8.self).hasPrefix("place,lane,"))
    }

    @Test func keepsTheResultsOfAnEarlierRace() throws {
        // Actions on the earlier race are refused.
        let service = makeService()
        let first = try #require(try race(create(Self.creation, with: service).text)["race_id"] as? String)
        #expect(act(#"{"do":"end"}"#, first, with: service).0 == 200)
        let second = create(Self.creation, with: service)
        #expect(second.status == 201)
        #expect(
            act(#"{"do":"start","force":true}"#, first, with: service).text.hasPrefix("unknown_race"))
        for id in [first, try #require(try race(second.text)["race_id"] as? String)] {
            guard case .content = try table(of: id, service) else {
                Issue.record("\(id) has no results")
                continue
            }
        }
        #expect { try table(of: "x", service) } throws: { ($0 as? InterfaceFault)?.code == "unknown_race" }
    }

    private func table(of id: String, _ service: RaceService) throws -> WebAnswer {
        try RegattaHandler(
            reader: nil, writer: nil, races: service, runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .critical)
        ).raceResults(id, to: AccessControl.Identity(name: nil, role: .wall))
    }

    @Test func continuesARaceAfterARestart() throws {
        // A second service reads the same file. Then the file is invalid, and finally not writable.
        let service = makeService()
        let id = try #require(try race(create(Self.creation, with: service).text)["race_id"] as? String)
        arm(1...2, service)
        #expect(act(#"{"do":"start","in_s":60}"#, id, with: service).0 == 200)
        let restarted = makeService()
        var (seen, seenAfterRestart): (UInt64, UInt64) = (0, 0)
        #expect(events(restarted, &seenAfterRestart).contains(#""phase":"countdown""#))
        _ = events(service, &seen)
        #expect(act(#"{"do":"recall"}"#, id, with: restarted).text.contains(#""phase":"ready""#))
        try Data("none of ours".utf8).write(to: URL(fileURLWithPath: folder.path("races")))
        var seenLater: UInt64 = 0
        #expect(events(makeService(), &seenLater) == "event: race\ndata: {}\n\n")
        let withoutFile = RaceService(
            room: room, commands: commands, path: folder.path("no/such/races"),
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))
        #expect(create(Self.creation, with: withoutFile).status == 201)
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
            "bad_value: to must name 2 to 128 ergs"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},\#(ergs),"pace_s_per_500m":5}"#, 400,
            "bad_value: pace_s_per_500m must be 60 to 600"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},\#(ergs),"location":"\#(String(repeating: "x", count: 61))"}"#,
            400, "bad_value: location must have at most 60 characters"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},\#(ergs),"laps":2}"#, 400,
            "unknown_field: unknown field laps"
        ),
        (
            #"{"piece":{"type":"time","duration_s":60},"#
                + #""to":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-9"}]}"#, 404,
            "unknown_erg: e-9 of b"
        ),
    ])
    func refusesInvalidRaces(body: String, status: UInt32, message: String) {
        let service = makeService(storesRaces: false)
        let answer = create(body, with: service)
        #expect(answer.status == status && answer.text.hasPrefix(message), "\(answer.text)")
        #expect(sent.messages.withLock { $0.isEmpty })
        var seen: UInt64 = 0
        #expect(events(service, &seen) == "event: race\ndata: {}\n\n")
    }

    @Test func refusesInvalidActions() throws {
        // After one of the last two ergs is scratched, the race cannot start.
        let service = makeService(storesRaces: false)
        let id = try #require(try race(create(Self.creation, with: service).text)["race_id"] as? String)
        for (body, message) in [
            ("{}", "missing_field: do"), (#"{"do":"jump"}"#, "bad_value: do must be start"),
            (#"{"do":"start","in_s":1}"#, "bad_value: in_s must be 5 to 60"),
            (#"{"do":"scratch"}"#, "missing_field: erg"),
            (#"{"do":"end","force":true}"#, "unknown_field"), (#"{"do":"recall"}"#, "wrong_phase"),
            (#"{"do":"scratch","erg":{"gw":"b","erg":"e-3"}}"#, "wrong_phase"),
        ] {
            let answer = act(body, id, with: service)
            #expect(answer.0 >= 400 && answer.text.hasPrefix(message), "\(body): \(answer.text)")
        }
        #expect(act(#"{"do":"scratch","erg":{"gw":"b","erg":"e-2"}}"#, id, with: service).0 == 200)
        let answer = act(#"{"do":"start","force":true}"#, id, with: service)
        #expect(answer.text.hasPrefix("wrong_phase: fewer than two ergs are left"))
    }

    @Test func wallShowsTheRaceButNoCommands() {
        let service = makeService(storesRaces: false)
        _ = create(Self.creation, with: service)
        let reader = room.open(StreamWaker(), with: [service])
        let text = String(decoding: reader.next() ?? [], as: UTF8.self)
        #expect(text.contains("event: race\ndata: {\"race_id\""))
        #expect(!text.contains("event: command"))
    }
}
