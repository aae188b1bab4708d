import Foundation
import HostRuntime
import LogbookStores
import MQTTClient
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import Timeline
@testable import WebServer

/// The HTTP endpoints for regattas and for the archive of races.
@Suite struct RegattaInterfaceTests {
    private typealias Object = [String: Any]

    private final class Sent: Sendable {
        let messages = Mutex<[CommandService.Message]>([])
    }

    private let fixture: InterfaceFixture
    private let sent = Sent()

    init() throws {
        fixture = try InterfaceFixture()
        fixture.commands.start { [sent] messages in sent.messages.withLock { $0 += messages } }
        fixture.room.subscribed()
        for erg in 1...4 { publish(erg, #""state":"idle""#) }
    }

    private func gateway(_ erg: Int) -> String { erg < 3 ? "b" : erg < 5 ? "c" : "room-\(erg / 8)" }

    private func publish(_ erg: Int, _ fields: String, kind: String = "state") {
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/\(gateway(erg))/erg/e-\(erg)/\(kind)", payload: Array("{\(fields)}".utf8)))
    }

    private func post(_ address: String, _ body: String) async throws -> Object {
        let answer = await fixture.answer(address, .post, body: body)
        switch answer {
        case .content(_, let bytes, _), .json(_, let bytes, _):
            return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
        default: throw TestSupportError("\(body): \(answer)")
        }
    }

    private static let settings = #"""
        {"name":"Sprints","place":"Hall 2","day":"2026-11-28","ergs":[{"gw":"b","erg":"e-1"},{"gw":"b","erg":"e-2"},
        {"gw":"c","erg":"e-3"},{"gw":"c","erg":"e-4"}]}
        """#

    /// Creates a regatta with one event of five entries in two heats. Returns its address.
    private func makeRegatta() async throws -> String {
        let made = try await post("/regattas", Self.settings)
        let address = "/regattas/\(try #require(made["regatta_id"] as? String))"
        _ = try await post(
            address, #"{"do":"event","name":"Women","distance_m":2000,"advance_places":1,"advance_times":1}"#)
        let table =
            "name,club,seed,athlete_id\\nAna,RC,6:50,anna\\nBea,RC,6:55,\\nCleo,,7:00,\\nDora,,7:05,\\nEve,,,"
        _ = try await post(address, #"{"do":"import","event_id":"v1","text":"\#(table)"}"#)
        _ = try await post(address, #"{"do":"draw","event_id":"v1","by":"serpentine"}"#)
        return address
    }

    private func events(_ regatta: Object) -> [Object] { regatta["events"] as? [Object] ?? [] }
    private func heats(_ regatta: Object) -> [Object] { events(regatta).first?["heats"] as? [Object] ?? [] }

    /// Rows the current race: results in seconds by erg.
    private func row(_ times: [Int: Double]) async throws {
        let race = try #require(fixture.races.race(try currentRace()))
        fixture.races.advance()
        let start = fixture.races.handleAction(
            Array(#"{"do":"start","in_s":5,"force":true}"#.utf8), for: race.id, by: "anna")
        guard case .json(200, _, _) = start else { throw TestSupportError("\(start)") }
        for (erg, time) in times {
            let session = "\(race.id)-\(erg)"
            publish(erg, #""state":"rowing","session_id":"\#(session)","v":1"#)
            publish(erg, #""state":"rowing","elapsed_s":0.0,"distance_m":0.0,"v":1"#, kind: "live")
            fixture.races.advance()
            publish(
                erg,
                #""session_id":"\#(session)","revision":1,"complete":true,"result_time_s":\#(time),"#
                    + #""distance_m":2000.0,"ended_ms":\#(1_790_000_000_000 + Int64(erg))"#,
                kind: "last_summary")
            publish(erg, #""state":"finished","session_id":"\#(session)","v":1"#)
        }
        fixture.races.advance()
        _ = fixture.races.handleAction(Array(#"{"do":"end"}"#.utf8), for: race.id, by: "anna")
        await fixture.waitForWrites()
    }

    private func currentRace() throws -> String {
        var seen: UInt64 = 0
        let event = String(decoding: fixture.races.events(since: &seen), as: UTF8.self)
        let found = try #require(event.firstMatch(of: /"race_id":"([^"]+)"/))
        return String(found.1)
    }

    @Test func runsARegattaFromEntriesToTheFinal() async throws {
        let address = try await makeRegatta()
        let drawn = try await fixture.object(address)
        #expect(heats(drawn).map { $0["state"] as? String } == ["drawn", "drawn"])
        #expect((drawn["next"] as? Object)?["heat_id"] as? String == heats(drawn)[0]["heat_id"] as? String)
        // Seeds 1, 4 and 5 in the first heat: Ana, Dora and Eve on lanes 2, 3 and 1 of two gateways.
        let ready = try await post(address, #"{"do":"set_up","name":"Women, heat 1"}"#)
        #expect(heats(ready)[0]["state"] as? String == "set_up")
        let race = try #require(fixture.races.race(try currentRace()))
        #expect(race.settings.name == "Women, heat 1" && race.settings.piece == .distance(meters: 2000))
        #expect(race.lanes.map(\.name) == ["Eve", "Ana", "Dora"])
        #expect(race.lanes.map { $0.place.erg?.slug } == ["e-1", "e-2", "e-3"])
        fixture.races.advance()
        let topics = sent.messages.withLock { $0.map(\.topic) }
        #expect(topics.filter { $0.hasSuffix("cmd/workout") }.count == 3)
        #expect(topics.filter { $0.hasSuffix("e-2/cmd/assign") }.count == 1)
        try await row([1: 432, 2: 410.5, 3: 425])
        let rowed = try await fixture.object(address)
        let lanes = heats(rowed)[0]["lanes"] as? [Object] ?? []
        #expect(lanes.map { $0["place"] as? Int } == [1, 2, 3])
        #expect(lanes[0]["advances"] as? String == "place")
        #expect((lanes[0]["result"] as? Object)?["result_time_s"] as? Double == 410.5)
        // The second heat has the only other time that can advance.
        _ = try await post(address, #"{"do":"set_up"}"#)
        try await row([2: 420, 3: 424])
        let over = try await fixture.object(address)
        #expect((over["next"] as? Object)?["heat_id"] == nil)
        #expect((events(over)[0]["finalists"] as? [String])?.count == 3)
        let final = try await post(address, #"{"do":"set_up","name":"Women, final"}"#)
        #expect(heats(final).count == 3 && heats(final)[2]["final"] as? Bool == true)
        let names = fixture.races.race(try currentRace())?.lanes.map(\.name)
        #expect(names == ["Cleo", "Ana", "Bea"])
        try await row([1: 409, 2: 411, 3: 412])
        let decided = try await fixture.object(address)
        #expect(decided["next"] == nil)
        let winners = events(decided)[0]["winners"] as? [String]
        #expect(winners?.count == 1)
        let list = try await fixture.object("/races")["races"] as? [Object] ?? []
        #expect(list.count == 1 && list[0]["name"] as? String == "Sprints")
        #expect(((list[0]["events"] as? [Object])?[0]["winners"] as? [String]) == ["Cleo"])
        guard
            case .content("text/csv; charset=utf-8", let table, _) = await fixture.answer(
                address + "/results")
        else {
            Issue.record("no table")
            return
        }
        #expect(
            String(decoding: table, as: UTF8.self).contains("Women,1,final,1,1,1,Cleo,,finished,,409.00,"))
    }

    @Test func aHeatOfAHundredErgsInThirteenRooms() async throws {
        let numbers = Array(8..<108)
        for erg in numbers { publish(erg, #""state":"idle""#) }
        let ergs = numbers.map { #"{"gw":"\#(gateway($0))","erg":"e-\#($0)"}"# }.joined(separator: ",")
        let made = try await post("/regattas", #"{"name":"Open","day":"2026-11-28","ergs":[\#(ergs)]}"#)
        let address = "/regattas/\(try #require(made["regatta_id"] as? String))"
        _ = try await post(address, #"{"do":"event","name":"All","distance_m":2000}"#)
        let rows = numbers.map { "N\($0),\($0 / 60 + 6):\($0 % 60 < 10 ? "0" : "")\($0 % 60)" }
        let table = "name,seed\\n" + rows.joined(separator: "\\n")
        _ = try await post(address, #"{"do":"import","event_id":"v1","text":"\#(table)"}"#)
        _ = try await post(address, #"{"do":"draw","event_id":"v1","by":"serpentine"}"#)
        let ready = try await post(address, #"{"do":"set_up"}"#)
        #expect(heats(ready).count == 1 && (heats(ready)[0]["lanes"] as? [Object])?.count == 100)
        let workouts = sent.messages.withLock { $0.filter { $0.topic.hasSuffix("cmd/workout") }.count }
        #expect(workouts == 100)
        let lanes = try #require(fixture.races.race(try currentRace())).lanes
        try await row(Dictionary(uniqueKeysWithValues: numbers.map { ($0, 400 + Double($0) / 10) }))
        let results = events(try await fixture.object(address))[0]["results"] as? [Object] ?? []
        #expect(results.map { $0["place"] as? Int } == Array(1...100))
        let order = results.compactMap { line in
            (line["lane"] as? Int).map { lanes[$0 - 1].place.erg?.slug ?? "" }
        }
        #expect(order == numbers.map { "e-\($0)" })
    }

    @Test func importedEntriesGetTheAthleteOfTheirName() async throws {
        let address = try await makeRegatta()
        let names = ["a-1": "Amélie Roux", "a-2": "Ben Twin", "a-3": "Ben Twin", "a-4": "Eva Lind"]
        for (id, name) in names {
            _ = try await post("/athletes", #"{"name":"\#(name)","athlete_id":"\#(id)"}"#)
        }
        // Two athletes have the second name, nobody the third one, and the table names an athlete for the last.
        let table = "name,athlete_id\\namelie roux,\\nBen Twin,\\nFour A,\\nEva Lind,other"
        let regatta = try await post(address, #"{"do":"import","event_id":"v1","text":"\#(table)"}"#)
        let entries = (events(regatta)[0]["entries"] as? [Object] ?? []).suffix(4)
        #expect(entries.map { $0["athlete_id"] as? String } == ["a-1", nil, nil, "other"])
    }

    @Test func screensReadResultsWithoutIDsAndChangeNothing() async throws {
        let address = try await makeRegatta()
        _ = try await post(address, #"{"do":"set_up"}"#)
        try await row([1: 432, 2: 410.5, 3: 425])
        let race = try #require(heats(try await fixture.object(address))[0]["race_id"] as? String)
        for path in [address, "/races", "/races/\(race)", address + "/results", "/races/\(race)/ergrace"] {
            guard case .content(_, let bytes, _) = await fixture.answer(path, as: .wall) else {
                Issue.record("\(path) is not readable")
                continue
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(
                !text.contains("athlete_id") && !text.contains("session_id") && !text.contains("anna"),
                "\(path)")
        }
        #expect(try await fixture.object(address, as: .wall)["can_undo"] as? Bool == false)
        for role in [nil, Role.wall, .athlete] {
            for (path, method) in [("/regattas", WebMethod.post), (address, .post), (address, .delete)] {
                let refusal = await fixture.refusal(path, as: role, method, body: Self.settings)
                #expect(refusal?.status.hasPrefix("40") == true, "\(path)")
            }
        }
    }

    @Test func undoRestoresTheRegattaBeforeTheLastChange() async throws {
        let address = try await makeRegatta()
        let undone = try await post(address, #"{"do":"undo"}"#)
        #expect(heats(undone).isEmpty)
        let again = try await post(address, #"{"do":"undo"}"#)
        #expect(heats(again).count == 2)
        let made = try await post("/regattas", Self.settings)
        let other = "/regattas/\(try #require(made["regatta_id"] as? String))"
        #expect(await fixture.refusal(other, .post, body: #"{"do":"undo"}"#)?.status == "409 nothing_to_undo")
        _ = try await post(address, #"{"do":"edit","name":"Winter"}"#)
        #expect(try await fixture.object(address)["name"] as? String == "Winter")
        guard case .json = await fixture.answer(address, .delete) else {
            Issue.record("not removed")
            return
        }
        #expect(await fixture.refusal(address)?.status == "404 unknown_regatta")
    }

    @Test func raceThatHasNotStartedGivesWayToTheNextOne() async throws {
        let address = try await makeRegatta()
        _ = try await post(address, #"{"do":"set_up"}"#)
        let first = try currentRace()
        // A crew is scratched, and the heat is set up again.
        _ = try await post(address, #"{"do":"scratch","event_id":"v1","entry_id":"n6","reason":"ill"}"#)
        let regatta = try await post(address, #"{"do":"set_up"}"#)
        let second = try currentRace()
        #expect(first != second && fixture.races.race(first) == nil)
        #expect(fixture.races.race(second)?.lanes.count == 2)
        #expect(heats(regatta)[0]["race_id"] as? String == second)
        // A running race does not.
        fixture.races.advance()
        _ = fixture.races.handleAction(Array(#"{"do":"start","force":true}"#.utf8), for: second, by: "anna")
        let heat = try #require(heats(regatta)[1]["heat_id"] as? String)
        let body = #"{"do":"set_up","event_id":"v1","heat_id":"\#(heat)"}"#
        #expect(await fixture.refusal(address, .post, body: body)?.status == "409 race_under_way")
    }

    @Test func recalledAttemptsAndAnnulledRacesStayInTheRecord() async throws {
        let address = try await makeRegatta()
        _ = try await post(address, #"{"do":"set_up"}"#)
        let id = try currentRace()
        _ = fixture.races.handleAction(Array(#"{"do":"start","force":true}"#.utf8), for: id, by: "anna")
        publish(1, #""state":"rowing","session_id":"early","v":1"#)
        fixture.races.advance()
        _ = fixture.races.handleAction(Array(#"{"do":"recall"}"#.utf8), for: id, by: "anna")
        try await row([1: 432, 2: 410.5, 3: 425])
        let race = try await fixture.object("/races/\(id)")
        let attempts = race["attempts"] as? [Object] ?? []
        #expect(attempts.count == 1)
        let early = (attempts.first?["lanes"] as? [Object])?.first { $0["erg"] as? String == "e-1" }
        #expect(early?["session_id"] as? String == "early" && early?["early_s"] != nil)
        // The stored race is the same.
        let stored = try #require(try fixture.store.raceDocuments.document(id, .heat))
        let read = try #require(RaceArchive.race(in: stored, SystemRuntime().wall()))
        #expect(read.attempts.count == 1 && read.attempts[0].lanes.count == 3)
        let heat = try #require(heats(try await fixture.object(address))[0]["heat_id"] as? String)
        let again = try await post(
            address, #"{"do":"again","event_id":"v1","heat_id":"\#(heat)","reason":"wrong drag"}"#)
        let annulled = heats(again)[0]["annulled"] as? [Object] ?? []
        #expect(annulled.map { $0["race_id"] as? String } == [id])
        #expect(heats(again)[0]["state"] as? String == "drawn")
    }

    @Test func teamsRowFromEntriesToTheArchive() async throws {
        let made = try await post("/regattas", Self.settings)
        let address = "/regattas/\(try #require(made["regatta_id"] as? String))"
        _ = try await post(
            address, #"{"do":"event","name":"Pairs","distance_m":2000,"kind":"team","team_size":2}"#)
        _ = try await post(
            address,
            #"{"do":"entry","event_id":"v1","name":"North","members":[{"name":"Ana","athlete_id":"anna"},{"name":"Bea"}]}"#
        )
        _ = try await post(
            address, #"{"do":"import","event_id":"v1","text":"name,members\nSouth,Cleo/Dora"}"#)
        _ = try await post(address, #"{"do":"draw","event_id":"v1","by":"serpentine"}"#)
        let ready = try await post(address, #"{"do":"set_up"}"#)
        #expect(events(ready)[0]["kind"] as? String == "team" && events(ready)[0]["team_size"] as? Int == 2)
        let race = try #require(fixture.races.race(try currentRace()))
        let north = try #require(race.lanes.firstIndex { $0.name == "Ana" })
        #expect(
            race.lanes.count == 4 && race.lanes[north].athlete == "anna" && race.settings.location == "Hall 2"
        )
        // South has the best single time, North the better mean.
        let times = north == 0 ? [1: 420.0, 2: 424, 3: 410, 4: 440] : [1: 410.0, 2: 440, 3: 420, 4: 424]
        try await row(times)
        let over = try await fixture.object(address)
        let lanes = heats(over)[0]["lanes"] as? [Object] ?? []
        #expect(lanes.map { ($0["result"] as? Object)?["result_time_s"] as? Double } == [422, 425])
        #expect(
            lanes.map { ($0["members"] as? [Object])?.compactMap { $0["name"] as? String } } == [
                ["Ana", "Bea"], ["Cleo", "Dora"],
            ])
        let list = try await fixture.object("/races")["races"] as? [Object] ?? []
        #expect(((list.first?["events"] as? [Object])?.first?["winners"] as? [String]) == ["North"])
        let stored = try await fixture.object("/races/\(race.id)")
        let teams = stored["teams"] as? [Object] ?? []
        #expect(teams.map { $0["name"] as? String } == ["North", "South"])
        #expect((teams.first?["result"] as? Object)?["session_id"] == nil)
        // A second request answers from the parsed race; a changed decision counts at once.
        let entry = try #require(lanes.first?["entry_id"] as? String)
        let heat = try #require(heats(over)[0]["heat_id"] as? String)
        let marked = try await post(
            address,
            #"{"do":"mark","event_id":"v1","heat_id":"\#(heat)","entry_id":"\#(entry)","standing":"disqualified"}"#
        )
        #expect((events(marked)[0]["winners"] as? [String])?.count == 1)
        #expect((heats(marked)[0]["lanes"] as? [Object])?.last?["standing"] as? String == "disqualified")
    }

    @Test func archivesSingleRaces() async throws {
        let body = Array(
            #"""
            {"name":"Test","location":"Boathouse","piece":{"type":"distance","distance_m":2000},
            "to":[{"gw":"b","erg":"e-1"},{"gw":"c","erg":"e-3"}]}
            """#.utf8)
        let created = fixture.races.create(body, by: "anna")
        guard case .json(201, _, _) = created else {
            Issue.record("\(created)")
            return
        }
        try await row([1: 420, 3: 415])
        let entry = try #require((try await fixture.object("/races")["races"] as? [Object])?.first)
        #expect(entry["name"] as? String == "Test" && entry["entries"] as? Int == 2)
        #expect(entry["place"] as? String == "Boathouse")
        #expect((entry["winners"] as? [Object])?.first?["erg"] as? String == "e-3")
        #expect((entry["result"] as? Object)?["result_time_s"] as? Double == 415)
        #expect(await fixture.refusal("/races/NONE")?.status == "404 unknown_race")
        let shown = try await fixture.object("/races/\(try #require(entry["race_id"] as? String))")
        #expect(shown["location"] as? String == "Boathouse")
        // A race that is no longer in memory still has its table.
        let id = try #require(entry["race_id"] as? String)
        for _ in 1...RaceService.capacity {
            _ = fixture.races.create(body, by: "anna")
            _ = fixture.races.handleAction(Array(#"{"do":"end"}"#.utf8), for: try currentRace(), by: "anna")
        }
        #expect(fixture.races.race(id) == nil)
        guard case .content(_, let table, _) = await fixture.answer("/races/\(id)/results") else {
            Issue.record("no table")
            return
        }
        #expect(String(decoding: table, as: UTF8.self).contains("415.00"))
    }

    @Test(arguments: [
        (#"{"do":"jump"}"#, "400 bad_value"), ("{}", "400 missing_field"),
        (#"{"do":"draw","event_id":"v9","by":"lot"}"#, "404 unknown_event"),
        (#"{"do":"draw","event_id":"v1","by":"luck"}"#, "400 bad_value"),
        (#"{"do":"draw","event_id":"v1","by":"lot","x":1}"#, "400 unknown_field"),
        (#"{"do":"entry","event_id":"v1","name":"A","seed":"x"}"#, "400 bad_value"),
        (#"{"do":"import","text":"name\nA"}"#, "400 missing_field"),
        (#"{"do":"import","event_id":"v1","text":"x\nA"}"#, "400 bad_value"),
        (#"{"do":"mark","event_id":"v1","heat_id":"h9","entry_id":"n2"}"#, "404 unknown_heat"),
        (#"{"do":"scratch","event_id":"v1","entry_id":"n99"}"#, "404 unknown_entry"),
        (#"{"do":"final","event_id":"v1"}"#, "409 heats_open"),
        (#"{"do":"edit","day":"tomorrow"}"#, "400 bad_value"),
        (#"{"do":"event","event_id":"v1","kind":"team"}"#, "400 missing_field"),
        (#"{"do":"event","event_id":"v1","kind":"eight"}"#, "400 bad_value"),
        (#"{"do":"event","event_id":"v1","kind":"relay","team_size":4}"#, "400 bad_value"),
        (#"{"do":"event","event_id":"v1","kind":"team","team_size":17}"#, "400 bad_value"),
        (#"{"do":"entry","event_id":"v1","name":"A","members":[{"name":"B"}]}"#, "409 too_many_members"),
        (#"{"do":"entry","event_id":"v1","name":"A","members":["B"]}"#, "400 bad_value"),
        (#"{"do":"entry","event_id":"v1","name":"A","members":[{"athlete_id":"b"}]}"#, "400 missing_field"),
        (#"{"do":"edit","ergs":[{"gw":"b","erg":"e-1"}]}"#, "409 lane_in_use"),
    ])
    func refusesInvalidActions(body: String, status: String) async throws {
        let address = try await makeRegatta()
        #expect(await fixture.refusal(address, .post, body: body)?.status == status)
    }

    @Test func needsAStore() async {
        #expect(await fixture.refusal("/regattas", .post, body: "{}")?.status == "400 missing_field")
        #expect(
            await fixture.refusal("/regattas", .post, body: #"{"name":"A"}"#)?.status == "400 missing_field")
    }
}
