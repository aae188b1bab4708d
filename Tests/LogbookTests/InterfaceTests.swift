import Foundation
import HostRuntime
import LogbookStores
import People
import TestSupport
import Testing
import TrainingFiles

@testable import Contract
@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// The HTTP endpoints for stored data.
@Suite struct InterfaceTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    private static let third = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
    private static let address = "/sessions/boathouse/\(first)"

    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture() }

    @Test mutating func sessionContainsAllStoredRecords() async throws {
        try fixture.save(traffic.session(Self.first, strokes: 12, missesItsEnd: true))
        let found = try await fixture.object(Self.address)
        let session = try #require(found["session"] as? [String: Any])
        #expect(session["session_id"] as? String == Self.first)
        #expect(session["state"] as? String == "missing" && session["strokes"] as? Int == 12)
        #expect((found["manifest"] as? [String: Any])?["stroke_count"] as? Int == 12)
        #expect(found["summary"] == nil)
        let gaps = (found["gaps"] as? [String: Any])?["records"] as? [[String: Any]]
        #expect(gaps?.map { $0["reason"] as? String } == ["link_lost"])
        for (path, kind) in [("strokes", StreamKind.stroke), ("forces", .force), ("gaps", .gap)] {
            let name = SessionName(gateway: traffic.gateway, session: Self.first)
            let stored = try fixture.store.records(of: kind, in: name).map {
                try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
            }
            let response = try await fixture.list("\(Self.address)/\(path)", "records", limit: 5)
            #expect(response.count == stored.count && !response.isEmpty)
            for (response, stored) in zip(response, stored) {
                #expect(
                    NSDictionary(dictionary: response)
                        == NSDictionary(dictionary: stored.merging(["historical": true]) { $1 }))
            }
        }
        #expect(try await fixture.object("\(Self.address)/splits")["records"] as? [String] == [])
    }

    @Test mutating func listsAreCompleteForEveryPageSize() async throws {
        for gateway in ["annex", "boathouse", "shed"] {
            var traffic = Traffic(gateway: gateway)
            for (session, athlete) in [(Self.first, "anna"), (Self.second, "ben")] {
                try fixture.save(
                    traffic.session(session, strokes: 2).map { $0.assigned(to: athlete) })
            }
        }
        for limit in [1, 2, 5, 1000] {
            let sessions = try await fixture.list("/sessions", "sessions", limit: limit)
            #expect(
                sessions.map { "\($0["gw"] ?? "") \($0["athlete_id"] ?? "")" } == [
                    "shed ben", "boathouse ben", "annex ben", "shed anna", "boathouse anna",
                    "annex anna",
                ])
            let athletes = try await fixture.list("/athletes", "athletes", limit: limit)
            #expect(athletes.map { $0["athlete_id"] as? String } == ["anna", "ben"])
            #expect(athletes.map { $0["sessions"] as? Int } == [3, 3])
            let streams = try await fixture.list("/gateways/shed/streams", "streams", limit: limit)
            #expect(
                streams.map { $0["kind"] as? String } == ["session", "stroke", "force", "manifest"])
        }
        let sessions = try await fixture.object(
            "/sessions?gw=shed&athlete_id=ben&erg=erg-1&state=missing")
        #expect((sessions["sessions"] as? [[String: Any]])?.count == 1)
        // All sessions are on 2026-09-05.
        for (query, count) in [
            ("from=2026-09-05", 6), ("to=2026-09-05", 6), ("from=2026-09-06", 0),
            ("to=2026-09-04", 0), ("from=2026-09-05&to=2026-09-05", 6),
            ("from=2026-09-06&to=2026-09-04", 0), ("state=verified", 0),
        ] {
            let found = try await fixture.object("/sessions?\(query)")
            #expect((found["sessions"] as? [[String: Any]])?.count == count, "\(query)")
        }
    }

    @Test mutating func gatewaysReportMissingRecords() async throws {
        // One stroke is missing, one is repeated and one is repeated with other content.
        // The gateway "annex" has only a live message.
        let session = traffic.session(Self.first, strokes: 9)
        let strokes = session.filter { $0.stream?.kind == .stroke }
        try fixture.save(session.filter { $0.stream?.kind != .stroke || $0.sequence != 4 })
        var altered = strokes[6]
        altered.payload = Array(
            String(decoding: altered.payload, as: UTF8.self)
                .replacing(#""stroke":7"#, with: #""stroke":8"#).utf8)
        try fixture.save([strokes[5].replayed, altered])
        fixture.room.subscribed()
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/annex/availability", payload: Array("offline".utf8)))
        let found = try await fixture.object("/gateways")["gateways"] as? [[String: Any]]
        let gateways = try #require(found)
        #expect(gateways.map { $0["gw"] as? String } == ["annex", "boathouse"])
        #expect(gateways[0]["availability"] as? String == "offline")
        #expect(gateways.map { $0["presence"] as? String } == ["offline", "unknown"])
        #expect(gateways.map { $0["stored"] as? Int } == [0, session.count - 1])
        #expect(gateways.map { $0["missing"] as? Int } == [0, 1])
        #expect(gateways.map { $0["owed"] as? Int } == [0, 1])
        #expect(gateways.map { $0["gone"] as? Int } == [0, 0])
        #expect(gateways.map { $0["repeats"] as? Int } == [0, 1])
        #expect(gateways.map { $0["conflicts"] as? Int } == [0, 1])
        let streams = try await fixture.list("/gateways/boathouse/streams", "streams", limit: 99)
        let missing = streams.flatMap { $0["missing"] as? [[String: Any]] ?? [] }
        #expect(missing.count == 1 && missing.first?["cause"] as? String == "unknown")
        #expect(missing.first?["from_seq"] as? Int == 4 && missing.first?["to_seq"] as? Int == 4)
    }

    @Test mutating func exportsMatchCommandLine() async throws {
        try fixture.save(traffic.piece(Self.first, hour: 0, 120, by: "anna"))
        try fixture.save(traffic.session(Self.second, strokes: 0))
        let name = SessionName(gateway: traffic.gateway, session: Self.first)
        for format in SessionFileFormat.allCases {
            let kind = format == .csv ? "&kind=force" : ""
            guard
                case .content(let type, let bytes, let headers) = await fixture.answer(
                    "\(Self.address)/export?format=\(format.rawValue)\(kind)")
            else {
                Issue.record("no \(format)")
                continue
            }
            var file = SessionFile(as: format, table: .force, local: SystemClock.local)
            try file.add { try fixture.store.records(of: $0, in: name) }
            file.finish()
            #expect(bytes == file.bytes && file.count == 1)
            let place = "2026-09-05_anna_120m.\(format.fileExtension)"
            #expect(type.contains("/") && headers[0].value.contains(place))
        }
        let other = "/sessions/boathouse/\(Self.second)/export?format="
        #expect(await fixture.refusal(other + "tcx")?.status == "404 nothing_rowed")
        #expect(await fixture.refusal(other + "concept2")?.status == "404 nothing_rowed")
        #expect(await fixture.refusal(other + "jsonl") == nil)
        let third = Self.third
        let filler = String(repeating: "x", count: 16_000)
        try fixture.save(
            traffic.session(third, strokes: 1100).filter { $0.stream?.kind == .stroke }.map {
                $0.replacing("\"historical\"", "\"filler\":\"\(filler)\",\"historical\"")
            })
        let large = await fixture.refusal("/sessions/boathouse/\(third)/export?format=csv")
        #expect(large?.status == "422 too_large")
        #expect(large?.message.contains("more than 16 MiB") == true)
        // A page ends at 1 MiB.
        let page = try await fixture.object("/sessions/boathouse/\(third)/strokes?limit=1000")
        #expect((60...70).contains((page["records"] as? [Any])?.count ?? 0))
        #expect(page["next"] is String)
    }

    @Test mutating func namesTheFileOfASession() async throws {
        try fixture.save(traffic.piece(Self.first, hour: 0, 500, by: "a:<17>"))
        try fixture.save(traffic.piece(Self.second, hour: 1, 2000, by: "anna"))
        try fixture.save(traffic.piece(Self.third, hour: 2, 500, by: "ben"))
        let third = SessionName(gateway: GatewayID("boathouse")!, session: Self.third)
        _ = try fixture.store.correct(third, to: .corrected(nil), at: 1, by: nil)
        try PeopleRepository.save(
            AthleteProfile(id: "anna", name: "Änna Müller"), at: 1, in: fixture.store)
        for (id, format, name) in [
            (Self.first, "tcx", "2026-09-05_a-17_500m.tcx"),
            (Self.second, "fit", "2026-09-05_anna-muller_2000m.fit"),
            (Self.third, "csv", "2026-09-05_erg-1_500m.csv"),
        ] {
            let answer = await fixture.answer("/sessions/boathouse/\(id)/export?format=\(format)")
            guard case .content(_, _, let headers) = answer else {
                Issue.record("\(id) cannot be exported")
                continue
            }
            #expect(headers[0].value == "attachment; filename=\"\(name)\"")
        }
    }

    @Test mutating func exportsSeveralSessionsToOneFile() async throws {
        for (hour, id) in [Self.first, Self.second, Self.third].enumerated() {
            let athlete = hour == 1 ? "ben" : "anna"
            try fixture.save(traffic.piece(id, hour: hour, 500, by: athlete))
        }
        func text(_ query: String) async -> [Substring] {
            guard
                case .content(_, let bytes, let headers) = await fixture.answer(
                    "/sessions/export?\(query)"),
                headers[0].value.contains("filename=")
            else { return [] }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        }
        let season = await text("format=concept2")
        #expect(season.count == 4, "\(season)")
        let ids = [Self.third, Self.second, Self.first]
        #expect(zip(season.dropFirst(), ids).allSatisfy { $0.contains($1) }, "\(season)")
        let day = "2026-09-05"
        #expect(await text("format=concept2&erg=erg-1&from=\(day)&to=\(day)").count == 4)
        #expect(await text("format=concept2&athlete_id=anna").count == 3)
        for none in ["to=2001-01-01", "erg=erg-9", "athlete_id=unknown", "gw=elsewhere"] {
            #expect(await text("format=concept2&\(none)").count == 1, "\(none)")
        }
        #expect(await text("format=csv&kind=stroke").count == 1 + 3 * 50)
        let activities = await text("format=tcx").joined()
        #expect(activities.ranges(of: "<Activity ").count == 3)
        #expect(activities.hasSuffix("</TrainingCenterDatabase>\n"))
        let refused = await fixture.refusal("/sessions/export?format=fit")
        #expect(refused?.status == "400 bad_parameter")
        #expect(refused?.message.contains("format is for single sessions") == true)
        #expect(await fixture.refusal("/sessions/export")?.status == "400 bad_parameter")
    }

    @Test mutating func errorsNameTheProblem() async throws {
        try fixture.save(traffic.session(Self.first, strokes: 3))
        let cursor = try #require(
            try await fixture.object("\(Self.address)/strokes?limit=1")["next"] as? String)
        for (address, status, text) in [
            (
                "/sessions?limit=0", "400 bad_parameter",
                "limit is \"0\"; it must be a number from 1"
            ),
            ("/sessions?limit=1001", "400 bad_parameter", "to 1000"),
            ("/sessions?limit=+5", "400 bad_parameter", "limit"),
            ("/sessions?limit=99999999999999999999", "400 bad_parameter", "limit"),
            ("/sessions?limit=5&limit=5", "400 bad_parameter", "limit is repeated"),
            (
                "/sessions?page=2", "400 unknown_parameter",
                "allowed here: gw, erg, athlete_id, unassigned, state"
            ),
            ("/session?limit=1", "400 unknown_parameter", "allowed here: none"),
            ("/sessions?gw=", "400 bad_parameter", "gw is \"\"; it must be 1 to 32 of a-z"),
            ("/sessions?erg='%20OR%201=1--", "400 bad_parameter", "erg"),
            ("/sessions?athlete_id=A'; DROP TABLE session;--", "400 bad_parameter", "athlete_id"),
            ("/sessions?state=lost", "400 bad_parameter", "one of open, verified, missing, gone"),
            ("/sessions?from=2026-02-30", "400 bad_parameter", "a day such as 2026-09-05"),
            ("/sessions?to=today", "400 bad_parameter", "to is \"today\""),
            (
                "/sessions?cursor=zz", "400 bad_parameter",
                "the value of \"next\" in the previous page"
            ),
            ("/sessions?cursor=\(cursor)", "400 bad_parameter", "of the same list"),
            ("\(Self.address)/strokes?cursor=\(cursor)0", "400 bad_parameter", "cursor"),
            (
                "\(Self.address)/strokes?cursor=\(cursor.uppercased())", "400 bad_parameter",
                "cursor"
            ),
            (
                "\(Self.address)/export", "400 bad_parameter",
                "is missing; it must be one of jsonl, csv"
            ),
            (
                "\(Self.address)/export?format=gpx", "400 bad_parameter",
                "one of jsonl, csv, tcx, fit"
            ),
            ("\(Self.address)/export?format=csv&kind=event", "400 bad_parameter", "one of session"),
            ("/gateways/shed/streams", "404 unknown_gateway", "/api/v1/gateways lists"),
            ("/gateways/../streams", "404 unknown_gateway", "\"..\""),
            ("/sessions/shed/\(Self.first)", "404 unknown_session", "/api/v1/sessions lists"),
            ("/sessions/boathouse/1' OR '1'='1", "404 unknown_session", "boathouse has no session"),
            ("/sessions/boathouse/\(Self.first)/strokes/", "404 not_found", "does not exist"),
            ("/sessions/boathouse/\(Self.first)/x", "404 not_found", "does not exist"),
            ("", "404 not_found", "does not exist"),
        ] {
            let refusal = await fixture.refusal(address)
            #expect(refusal?.status == status, "\(address)")
            #expect(
                refusal?.message.contains(text) == true, "\(address): \(refusal?.message ?? "")")
        }
    }

    @Test mutating func rolesAndMethodsAreEnforced() async throws {
        try fixture.save(traffic.session(Self.first, strokes: 3))
        for endpoint in Endpoint.allCases where endpoint != .live {
            let (role, method) = (endpoint.route.role, endpoint.route.method)
            let address = String(endpoint.route.path.dropFirst(Endpoint.root.count))
                .replacing("{gw}", with: "boathouse").replacing("{session_id}", with: Self.first)
            let wall = await fixture.refusal(address, as: .wall, method)?.status
            let anonymous = await fixture.refusal(address, as: nil, method)?.status
            #expect((wall == "403 not_allowed") == (role != nil && role != .wall), "\(endpoint)")
            #expect((anonymous == "401 not_signed_in") == (role != nil), "\(endpoint)")
            let path = endpoint.route.path
            let accepted = Set(Route.all.filter { $0.path == path }.map(\.method))
            for other in [WebMethod.get, .post, .delete, .other] where !accepted.contains(other) {
                let refusal = await fixture.refusal(address, other)
                #expect(refusal?.status == "405 method_not_allowed", "\(endpoint) by \(other)")
            }
        }
    }
}

extension Traffic.Message {
    func replacing(_ text: String, _ other: String) -> Self {
        var message = self
        message.payload = Array(
            String(decoding: payload, as: UTF8.self).replacing(text, with: other).utf8)
        return message
    }

    /// Returns a copy with an athlete.
    func assigned(to athlete: String) -> Self {
        replacing("\"started_ms\"", "\"athlete_id\":\"\(athlete)\",\"started_ms\"")
    }

    /// Returns a copy with a start time in 2026 instead of 1970.
    func started() -> Self {
        replacing("\"started_ms\":0", "\"started_ms\":1788627000000")
    }
}
