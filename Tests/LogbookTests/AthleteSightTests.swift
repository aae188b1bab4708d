import Bytes
import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import WebServer

/// What an athlete is told: what is theirs, and of nobody else that they are there.
@Suite struct AthleteSightTests {
    private typealias Object = [String: Any]
    private static let (own, others) = (
        "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"
    )
    private let room: InterfaceRoom
    private var traffic = Traffic()

    /// Zoe and Bob rowed a piece each, and each is in a plan; the winter's is for both.
    init() async throws {
        room = try InterfaceRoom()
        try room.keep(traffic.piece(Self.own, hour: 0, 200, by: InterfaceRoom.athlete))
        try room.keep(traffic.piece(Self.others, hour: 1, 200, by: "bob"))
        for (id, athletes) in [("winter", #""bob","zoe""#), ("bobs", #""bob""#)] {
            let body = #"""
                {"title":"\#(id)","group":{"name":"","athletes":[\#(athletes)]},
                "workouts":[{"day":"2026-09-05","workout":"500m"}]}
                """#
            let answer = await room.answer("/plans/\(id)/set", .post, body: body)
            guard case .content = answer else { throw TestSupportError("\(answer)") }
        }
    }

    /// What a content says, whatever its type.
    private func text(_ address: String) async -> String? {
        guard case .content(_, let bytes, _) = await room.answer(address, as: .athlete) else {
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let ofSession = [
        "", "/strokes", "/forces", "/splits", "/gaps", "/rollups", "/alerts", "/training",
        "/export?format=jsonl", "/export?format=csv&kind=summary", "/export?format=tcx",
    ]
    private static let ofAthlete = [
        "", "/volume?by=day", "/training", "/suggestions", "/plans",
    ]

    /// Goal: an athlete gets at everything of theirs, and nothing of it names another. Method: each
    /// address that tells of an athlete, a session or a plan.
    @Test func whatIsTheirsIsTold() async throws {
        let addresses =
            ["/athletes", "/sessions", "/sessions?athlete_id=zoe", "/plans", "/plans/winter"]
            + [
                "/export?format=csv", "/export?format=ics", "/adherence",
                "/adherence?athlete_id=zoe",
            ]
            .map { "/plans/winter" + $0 }
            + Self.ofAthlete.map { "/athletes/zoe" + $0 }
            + Self.ofSession.map { "/sessions/boathouse/\(Self.own)" + $0 }
        for address in addresses {
            let told = try #require(await text(address), "\(address)")
            #expect(!told.contains("bob") && !told.contains(Self.others), "\(address): \(told)")
        }
        let sessions = try await room.object("/sessions", as: .athlete)["sessions"] as? [Object]
        #expect(sessions?.map { $0["session_id"] as? String } == [Self.own])
        let athletes = try await room.object("/athletes", as: .athlete)["athletes"] as? [Object]
        #expect(athletes?.map { $0["athlete_id"] as? String } == ["zoe"])
        let plans = try await room.object("/plans", as: .athlete)["plans"] as? [Object]
        #expect(plans?.map { $0["id"] as? String } == ["winter"])
        guard case .json(200, let bytes, _) = await room.answer("/session", as: .athlete),
            let guest = try JSONObject(parsing: bytes)
        else { throw TestSupportError("nobody is said to be signed in") }
        #expect(guest.text("role") == "athlete" && guest.text("athlete_id") == "zoe")
    }

    /// Goal: whoever asks for another's learns nothing, not even that they are there. Method: another's at
    /// each address and by each parameter, beside what nobody has; both are refused in the same words.
    @Test func whatIsAnothersIsNotThere() async throws {
        func refusal(_ address: String, _ method: WebMethod = .get) async -> String? {
            let found = await room.refusal(
                address, as: .athlete, method, body: #"{"say":"accept"}"#)
            return found.map { "\($0.told) \($0.words)" }
        }
        let none = "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"
        var pairs: [(theirs: String, nobodys: String)] = []
        pairs += Self.ofSession.map { rest in
            ("/sessions/boathouse/\(Self.others)" + rest, "/sessions/boathouse/\(none)" + rest)
        }
        pairs += Self.ofAthlete.map { ("/athletes/bob" + $0, "/athletes/nil" + $0) }
        pairs += ["", "/adherence", "/adherence?athlete_id=zoe", "/export?format=csv"].map {
            ("/plans/bobs" + $0, "/plans/none" + $0)
        }
        pairs += [
            ("/sessions?athlete_id=bob", "/sessions?athlete_id=nil"),
            ("/sessions?athlete_id=bob&gw=boathouse", "/sessions?athlete_id=nil&gw=boathouse"),
            ("/plans/winter/adherence?athlete_id=bob", "/plans/winter/adherence?athlete_id=nil"),
        ]
        for (theirs, nobodys) in pairs {
            let told = try #require(await refusal(theirs), "\(theirs)")
            #expect(told.hasPrefix("404 unknown_"), "\(theirs): \(told)")
            let same = await refusal(nobodys)?
                .replacing(none, with: Self.others).replacing("\"nil\"", with: "\"bob\"")
                .replacing("\"none\"", with: "\"bobs\"")
            #expect(told == same, "\(theirs)")
        }
        let answer = "/suggestions/01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
        let told = await refusal("/athletes/bob" + answer, .post)
        #expect(told?.hasPrefix("404 unknown_athlete") == true)
        #expect(
            told
                == (await refusal("/athletes/nil" + answer, .post))?
                .replacing("\"nil\"", with: "\"bob\""))
        for endpoint in Endpoint.allCases where endpoint.role == .coach {
            let address = String(endpoint.rawValue.dropFirst(Endpoint.root.count))
            let method: WebMethod = endpoint.isPost ? .post : .get
            #expect(await refusal(address, method)?.hasPrefix("403") == true, "\(address)")
        }
    }

    /// Goal: no page of a list leads past what is theirs. Method: cursors before, at and behind them, and a
    /// record of another in the middle of their session.
    @Test mutating func noPageLeadsBehindIt() async throws {
        let mixed = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DH", strokes: 4)
            .map { $0.seating(InterfaceRoom.athlete) }
        try room.keep(
            mixed.enumerated().map { index, message in
                guard message.stream?.kind == .stroke, index % 2 == 0 else { return message }
                return message.replacing(
                    "\"session_id\"", "\"athlete_id\":\"bob\",\"session_id\"")
            })
        let strokes = "/sessions/boathouse/01J7ZK3Q5XQ4W8G9T2V6B0C1DH/strokes"
        var (cursor, count): (String?, Int) = ("", 0)
        while let from = cursor {
            let page = try await room.object(
                strokes + "?limit=1" + (from.isEmpty ? "" : "&cursor=\(from)"), as: .athlete)
            let records = page["records"] as? [Object] ?? []
            #expect(records.allSatisfy { $0["athlete_id"] as? String != "bob" })
            count += records.count
            cursor = page["next"] as? String
        }
        let all = try await room.object(strokes, as: .coach)["records"] as? [Object] ?? []
        #expect(all.count == 4 && count == all.count { $0["athlete_id"] as? String != "bob" })
        for slug in ["aaa", "zoe", "zzz"] {
            let mark = AthleteMark(slug: slug).cursor
            let page = try await room.object("/athletes?cursor=\(mark)", as: .athlete)
            let slugs = (page["athletes"] as? [Object] ?? []).map { $0["athlete_id"] as? String }
            #expect(slugs == (slug == "aaa" ? ["zoe"] : []), "\(slug)")
        }
    }
}
