import Bytes
import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import WebServer

/// Athletes see their own data, and cannot find out that others exist.
@Suite struct AthleteAccessTests {
    private typealias Object = [String: Any]
    private static let (own, others) = (
        "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    )
    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    /// Zoe and Bob each have a session and a plan. The plan "winter" is for both.
    init() async throws {
        fixture = try InterfaceFixture()
        try fixture.save(traffic.piece(Self.own, hour: 0, 200, by: InterfaceFixture.athlete))
        try fixture.save(traffic.piece(Self.others, hour: 1, 200, by: "bob"))
        for (id, athletes) in [("winter", #""bob","zoe""#), ("bobs", #""bob""#)] {
            let body = #"""
                {"title":"\#(id)","group":{"name":"","athletes":[\#(athletes)]},
                "workouts":[{"day":"2026-09-05","workout":"500m"}]}
                """#
            let answer = await fixture.answer("/plans/\(id)/set", .post, body: body)
            guard case .content = answer else { throw TestSupportError("\(answer)") }
        }
    }

    /// Returns the text of a response with content.
    private func text(_ address: String) async -> String? {
        guard case .content(_, let bytes, _) = await fixture.answer(address, as: .athlete) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let sessionPaths = [
        "", "/strokes", "/forces", "/splits", "/gaps", "/rollups", "/alerts", "/training",
        "/export?format=jsonl", "/export?format=csv&kind=summary", "/export?format=tcx",
    ]
    private static let athletePaths = [
        "", "/volume?by=day", "/training", "/suggestions", "/plans",
    ]

    @Test func athleteSeesOwnDataOnly() async throws {
        let addresses =
            ["/athletes", "/sessions", "/sessions?athlete_id=zoe", "/plans", "/plans/winter"]
            + [
                "/export?format=csv", "/export?format=ics", "/adherence",
                "/adherence?athlete_id=zoe",
            ]
            .map { "/plans/winter" + $0 }
            + Self.athletePaths.map { "/athletes/zoe" + $0 }
            + Self.sessionPaths.map { "/sessions/boathouse/\(Self.own)" + $0 }
        for address in addresses {
            let response = try #require(await text(address), "\(address)")
            #expect(
                !response.contains("bob") && !response.contains(Self.others),
                "\(address): \(response)")
        }
        let sessions = try await fixture.object("/sessions", as: .athlete)["sessions"] as? [Object]
        #expect(sessions?.map { $0["session_id"] as? String } == [Self.own])
        let athletes = try await fixture.object("/athletes", as: .athlete)["athletes"] as? [Object]
        #expect(athletes?.map { $0["athlete_id"] as? String } == ["zoe"])
        let plans = try await fixture.object("/plans", as: .athlete)["plans"] as? [Object]
        #expect(plans?.map { $0["id"] as? String } == ["winter"])
        guard case .json(200, let bytes, _) = await fixture.answer("/me", as: .athlete),
            let identity = try JSONObject(parsing: bytes)
        else { throw TestSupportError("no identity") }
        #expect(identity.text("role") == "athlete" && identity.text("athlete_id") == "zoe")
    }

    @Test func otherAthletesLookUnknown() async throws {
        func refusal(_ address: String, _ method: WebMethod = .get) async -> String? {
            let found = await fixture.refusal(
                address, as: .athlete, method, body: #"{"say":"accept"}"#)
            return found.map { "\($0.status) \($0.message)" }
        }
        let none = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
        var pairs: [(theirs: String, missing: String)] = []
        pairs += Self.sessionPaths.map { rest in
            ("/sessions/boathouse/\(Self.others)" + rest, "/sessions/boathouse/\(none)" + rest)
        }
        pairs += Self.athletePaths.map { ("/athletes/bob" + $0, "/athletes/nil" + $0) }
        pairs += ["", "/adherence", "/adherence?athlete_id=zoe", "/export?format=csv"].map {
            ("/plans/bobs" + $0, "/plans/none" + $0)
        }
        pairs += [
            ("/sessions?athlete_id=bob", "/sessions?athlete_id=nil"),
            ("/sessions?athlete_id=bob&gw=boathouse", "/sessions?athlete_id=nil&gw=boathouse"),
            ("/plans/winter/adherence?athlete_id=bob", "/plans/winter/adherence?athlete_id=nil"),
        ]
        for (theirs, missing) in pairs {
            let response = try #require(await refusal(theirs), "\(theirs)")
            #expect(response.hasPrefix("404 unknown_"), "\(theirs): \(response)")
            let same = await refusal(missing)?
                .replacing(none, with: Self.others).replacing("\"nil\"", with: "\"bob\"")
                .replacing("\"none\"", with: "\"bobs\"")
            #expect(response == same, "\(theirs)")
        }
        let answer = "/suggestions/01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
        let response = await refusal("/athletes/bob" + answer, .post)
        #expect(response?.hasPrefix("404 unknown_athlete") == true)
        #expect(
            response
                == (await refusal("/athletes/nil" + answer, .post))?
                .replacing("\"nil\"", with: "\"bob\""))
        for endpoint in Endpoint.allCases where endpoint.route.role == .coach {
            let address = String(endpoint.route.path.dropFirst(Endpoint.root.count))
            #expect(await refusal(address, endpoint.route.method)?.hasPrefix("403") == true, "\(address)")
        }
    }

    @Test mutating func pagesContainOnlyOwnData() async throws {
        let mixed = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DH", strokes: 4)
            .map { $0.assigned(to: InterfaceFixture.athlete) }
        try fixture.save(
            mixed.enumerated().map { index, message in
                guard message.stream?.kind == .stroke, index % 2 == 0 else { return message }
                return message.replacing(
                    "\"session_id\"", "\"athlete_id\":\"bob\",\"session_id\"")
            })
        let strokes = "/sessions/boathouse/01J7ZK3Q5XQ4W8G9T2V6B0C1DH/strokes"
        var (cursor, count): (String?, Int) = ("", 0)
        while let from = cursor {
            let page = try await fixture.object(
                strokes + "?limit=1" + (from.isEmpty ? "" : "&cursor=\(from)"), as: .athlete)
            let records = page["records"] as? [Object] ?? []
            #expect(records.allSatisfy { $0["athlete_id"] as? String != "bob" })
            count += records.count
            cursor = page["next"] as? String
        }
        let all = try await fixture.object(strokes, as: .coach)["records"] as? [Object] ?? []
        #expect(all.count == 4 && count == all.count { $0["athlete_id"] as? String != "bob" })
        for slug in ["aaa", "zoe", "zzz"] {
            let cursor = AthleteCursor(slug: slug).encoded
            let page = try await fixture.object("/athletes?cursor=\(cursor)", as: .athlete)
            let slugs = (page["athletes"] as? [Object] ?? []).map { $0["athlete_id"] as? String }
            #expect(slugs == (slug == "aaa" ? ["zoe"] : []), "\(slug)")
        }
    }
}
