import Foundation
import HostRuntime
import LogbookStores
import People
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import WebServer

/// Links with which anybody sees the result of one group piece, over the HTTP interface.
@Suite struct PieceLinkTests {
    typealias Object = [String: Any]

    private static let day = 86_400
    private let clock = AdvancedClock()
    private let fixture: InterfaceFixture
    private let path = "/pieces/boathouse/\(PieceRoom.id(5))/links"

    init() throws {
        fixture = try InterfaceFixture(clock: clock)
        _ = try PieceRoom(in: fixture)
        try PeopleRepository.save(AthleteProfile(id: "ben", name: "Ben <b>Özil"), at: 1, in: fixture.store)
    }

    /// Creates a link to the piece of 4 × 500 m. Returns its members.
    private func share(origin: String? = nil) async throws -> Object {
        let answer = await fixture.answer(path, as: .coach, .post, body: "{}")
        guard case .content("application/json", let bytes, let headers) = answer else {
            throw TestSupportError("\(answer)")
        }
        #expect(headers.contains { $0 == ("Cache-Control", "no-store") })
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
    }

    private func code(_ link: Object) throws -> String {
        let address = try #require(link["link"] as? String)
        #expect(address.hasPrefix("http://boathouse.local:8080/shared/"))
        return String(address.suffix(24))
    }

    /// Asserts that a code is refused everywhere, in the same way.
    private func expectRefusal(of code: String, _ comment: Comment) async {
        for path in ["/shared/\(code)", "/api/v1/shared/\(code)", "/api/v1/shared/\(code)/export"] {
            guard
                case .failure(404, "invalid_link", let message, let headers) = await fixture.answer(
                    path: path, as: nil)
            else {
                Issue.record("\(path) is not refused: \(comment)")
                continue
            }
            #expect(message == "this link has expired or was revoked; ask the coach for a new one")
            #expect(headers.map(\.name) == ["Cache-Control", "X-Robots-Tag"])
        }
    }

    @Test func anybodySeesTheResultWithNamesAndNothingElse() async throws {
        let link = try await share()
        #expect(link.keys.sorted() == ["by", "created_ms", "expires_ms", "link", "link_id"])
        let lifetime = try #require(link["expires_ms"] as? Int) - (link["created_ms"] as? Int ?? 0)
        #expect(lifetime == 30 * Self.day * 1000 && link["by"] as? String == "coach")
        let code = try code(link)
        let found = try await fixture.object("/shared/\(code)", as: nil)
        #expect(found["expires_ms"] as? Int == link["expires_ms"] as? Int)
        let rows = try #require(found["rows"] as? [Object])
        #expect(rows.map { $0["athlete_name"] as? String } == ["Ben <b>Özil", "zoe", "cleo"])
        #expect(rows[0]["best_repeat"] as? Int == 1 && rows[0]["fade_percent"] as? Double == 2)
        #expect((rows[0]["repeats"] as? [Object])?.count == 4 && (found["columns"] as? [Object])?.count == 4)
        let piece = try #require(found["piece"] as? Object)
        #expect(piece["athlete_count"] as? Int == 3 && piece["session_id"] == nil)
        let text = String(decoding: try JSONSerialization.data(withJSONObject: found), as: UTF8.self)
        for hidden in ["athlete_id", "session_id", "heart_rate", "01J7ZK", "dora", "anna"] {
            #expect(!text.contains(hidden), "\(hidden)")
        }
        // The same request as a coach and as an athlete has the same answer.
        for role in [Role.coach, .athlete, .room] {
            let other = try await fixture.object("/shared/\(code)", as: role)
            #expect(NSDictionary(dictionary: other) == NSDictionary(dictionary: found))
        }
    }

    @Test func pageAndTableAreOpenWithTheLink() async throws {
        let code = try code(try await share())
        guard
            case .content("text/html; charset=utf-8", let page, let headers) = await fixture.answer(
                path: "/shared/\(code)", as: nil)
        else {
            Issue.record("no page")
            return
        }
        #expect(headers.contains { $0 == ("X-Robots-Tag", "noindex, nofollow") })
        #expect(headers.contains { $0 == ("Cache-Control", "no-store") })
        let text = String(decoding: page, as: UTF8.self)
        #expect(text.contains("group/shared.js") && !text.contains("Ben") && !text.contains("id=\"nav\""))
        guard
            case .content("text/csv; charset=utf-8", let table, let other) = await fixture.answer(
                "/shared/\(code)/export", as: nil)
        else {
            Issue.record("no table")
            return
        }
        #expect(other[0].value == "attachment; filename=\"2026-09-06_group_4x500m.csv\"")
        #expect(other.contains { $0 == ("Cache-Control", "no-store") })
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\r\n")
        #expect(
            lines.map { $0.split(separator: ",").prefix(6).joined(separator: ",") } == [
                "place,athlete_name,gw,erg,complete,whole_repeats", "1,Ben <b>Özil,boathouse,erg-2,true,4",
                "2,zoe,boathouse,erg-1,true,4", "cleo,boathouse,erg-3,false,2,120.00",
            ])
    }

    @Test func codeOpensNothingElse() async throws {
        let code = try code(try await share())
        for route in Route.all where route.role != nil {
            let path = route.path.replacing("{gw}", with: "boathouse")
                .replacing("{session_id}", with: PieceRoom.id(5)).replacing(/\{\w+\}/, with: "ben")
            let request = WebRequest(
                route.method, path: path, client: ClientAddress([192, 0, 2, 9]), cookies: "rowgate=\(code)")
            switch await fixture.answer(to: request) {
            case .failure(401, _, _, _), .failure(429, _, _, _), .redirect: break
            case let answer: Issue.record("\(path): \(answer)")
            }
        }
    }

    @Test func onlyCoachesShareListAndRevoke() async throws {
        for role in [nil, Role.wall, .room, .athlete] {
            let expected = role == nil ? "401 not_signed_in" : "403 not_allowed"
            for (method, path) in [
                (WebMethod.get, path), (.post, path), (.delete, "\(path)/0123456789ab"),
            ] {
                #expect(await fixture.refusal(path, as: role, method, body: "{}")?.status == expected)
            }
        }
        let first = try await share()
        clock.advance(by: 1)
        let second = try await share()
        #expect(try code(first) != code(second))
        // Another session of the piece leads to the same links.
        for number in 4...6 {
            let found = try await fixture.object(
                "/pieces/boathouse/\(PieceRoom.id(number))/links", as: .captain)
            let links = try #require(found["links"] as? [Object])
            #expect(
                links.map { $0["link_id"] as? String } == [first, second].map { $0["link_id"] as? String })
            #expect(links.allSatisfy { $0["link"] == nil }, "a link is shown once")
        }
        let other = try await fixture.object("/pieces/boathouse/\(PieceRoom.id(1))/links")
        #expect((other["links"] as? [Object])?.isEmpty == true)
        let id = try #require(first["link_id"] as? String)
        let foreign = "/pieces/boathouse/\(PieceRoom.id(1))/links/\(id)"
        #expect(await fixture.refusal(foreign, as: .coach, .delete)?.status == "404 unknown_link")
        #expect(await fixture.refusal("\(path)/\(id)", as: .coach, .delete) == nil)
        #expect(await fixture.refusal("\(path)/\(id)", as: .coach, .delete)?.status == "404 unknown_link")
        await expectRefusal(of: try code(first), "revoked")
        _ = try await fixture.object("/shared/\(code(second))", as: nil)
        let unknown = "/pieces/boathouse/\(PieceRoom.id(9))/links"
        #expect(
            await fixture.refusal(unknown, as: .coach, .post, body: "{}")?.status == "404 unknown_session")
        let refusal = await fixture.refusal(path, as: .coach, .post, body: "{\"days\": 90}")
        #expect(refusal?.status.hasPrefix("400") == true)
    }

    @Test func storesOnlyTheDigestAndKeepsTheLinkOverRestart() async throws {
        let code = try code(try await share())
        let stored = try #require(try fixture.store.pieceLinks.all().first)
        #expect(stored.digest == Token(typed: code)?.digest && stored.sessions == (4...6).map(PieceRoom.id))
        let file = try Data(contentsOf: URL(fileURLWithPath: fixture.folder.path("logbook.db-wal")))
        let letters = Data(code.filter { $0 != "-" }.utf8)
        #expect(file.range(of: letters) == nil && file.range(of: Data(code.utf8)) == nil)
        #expect(file.range(of: Data(stored.digest.utf8)) != nil)
        // Another connection, as after a restart.
        let other = try SQLiteStore(fixture.folder.path("logbook.db"), for: .readOnly)
        let repository = PieceLinkRepository(store: other, now: clock.unixMilliseconds())
        #expect(
            try repository.session(forCode: try #require(Token(typed: code)))?.name.session == PieceRoom.id(4)
        )
        other.close()
    }

    @Test func linkExpiresAndIsDeleted() async throws {
        let code = try code(try await share())
        // The clock goes on between these steps, on a busy machine for minutes.
        clock.advance(by: 30 * Self.day - 3600)
        _ = try await fixture.object("/shared/\(code)", as: nil)
        clock.advance(by: 3601)
        await expectRefusal(of: code, "expired")
        let found = try await fixture.object(path)
        #expect((found["links"] as? [Object])?.isEmpty == true)
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let time = clock.unixMilliseconds()
        for isSynchronized in [false, true] {
            let wall = InjectedWallClock {
                WallClock(bootID: "boot", unixMillisecondsAtBoot: time, isSynchronized: isSynchronized)
            }
            PieceLinkCleaner(writer: fixture.writer, runtime: wall, log: log).clean()
            await fixture.waitForWrites()
            #expect(try fixture.store.pieceLinks.all().isEmpty == isSynchronized)
        }
    }

    @Test func erasedAthleteDisappearsFromTheSharedResult() async throws {
        let code = try code(try await share())
        // The session of zoe names the piece.
        let editor = try SQLiteStore(fixture.folder.path("logbook.db"), for: .editing)
        for (athlete, remaining) in [("zoe", ["Ben <b>Özil", "cleo"]), ("ben", ["cleo"])] {
            _ = try StoreErasure(of: athlete, in: editor).run(at: clock.unixMilliseconds()) { _, _ in }
            let found = try await fixture.object("/shared/\(code)", as: nil)
            let rows = try #require(found["rows"] as? [Object])
            #expect(rows.map { $0["athlete_name"] as? String ?? "" } == remaining)
            let links = try await fixture.object("/pieces/boathouse/\(PieceRoom.id(6))/links")
            #expect((links["links"] as? [Object])?.count == 1)
        }
        _ = try StoreErasure(of: "cleo", in: editor).run(at: clock.unixMilliseconds()) { _, _ in }
        await expectRefusal(of: code, "nobody is left")
        #expect(try editor.pieceLinks.all() == [])
        editor.close()
    }

    @Test func limitsWrongCodesButNotKnownLinks() async throws {
        let (known, other) = (try code(try await share()), try code(try await share()))
        _ = try await fixture.object("/shared/\(known)", as: nil)
        await expectRefusal(of: "k7m2-9xqd-4t8w-hz3c-6vnp", "wrong")
        await expectRefusal(of: "short", "no code at all")
        var refusals = 0
        for number in 0..<30 {
            let guess = await fixture.refusal("/shared/wrong-\(number)", as: nil)
            if guess?.status == "429 too_many_attempts" { refusals += 1 }
        }
        #expect(refusals == 22)
        #expect(await fixture.refusal("/shared/\(other)", as: nil)?.status == "429 too_many_attempts")
        _ = try await fixture.object("/shared/\(known)", as: nil)
        // Tokens and invitations have limits of their own.
        #expect(await fixture.refusal("/me", as: .coach) == nil)
        let invitation = await fixture.refusal("/invitation/check", as: nil, .post, body: "{\"code\": \"x\"}")
        #expect(invitation?.status == "404 unknown_invitation")
    }

    @Test func limitsTheNumberOfLinks() async throws {
        for _ in 0..<PieceLinkRepository.maximumOfPiece { _ = try await share() }
        #expect(await fixture.refusal(path, as: .coach, .post, body: "{}")?.status == "409 too_many_links")
        let other = "/pieces/boathouse/\(PieceRoom.id(1))/links"
        #expect(await fixture.refusal(other, as: .coach, .post, body: "{}") == nil)
    }
}
