import Foundation
import HostRuntime
import LogbookStores
import People
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// Phones that check in without a sign-in, and room devices, over the HTTP interface.
@Suite struct CheckInTests {
    typealias Object = [String: Any]

    private final class Sent: Sendable {
        let messages = Mutex<[CommandService.Message]>([])
    }

    /// A browser with its own cookies, each with the path below which it is sent.
    private final class Phone {
        private let fixture: InterfaceFixture
        private let address: ClientAddress
        private let isForwarded: Bool
        var cookies: [(pair: String, path: String)] = []

        init(_ fixture: InterfaceFixture, _ address: [UInt8] = [198, 51, 100, 9], isForwarded: Bool = false) {
            (self.fixture, self.address, self.isForwarded) = (fixture, ClientAddress(address), isForwarded)
        }

        func send(
            _ path: String, _ method: WebMethod = .get, _ body: String = ""
        ) async throws -> (status: String, object: Object) {
            let path = Endpoint.root + path
            let sent = cookies.filter { path.hasPrefix($0.path) }.map(\.pair)
            let answer = await fixture.answer(
                to: WebRequest(
                    method, path: path, body: Array(body.utf8), client: address,
                    origin: "http://boathouse:8080", isForwarded: isForwarded,
                    cookies: sent.isEmpty ? nil : sent.joined(separator: "; ")))
            switch answer {
            case .json(let status, let bytes, let headers):
                keep(headers)
                return ("\(status)", try object(bytes))
            case .content(_, let bytes, let headers):
                keep(headers)
                return ("200", try object(bytes))
            case .failure(let status, let code, _, _): return ("\(status) \(code)", [:])
            case .stream: return ("stream", [:])
            default: throw TestSupportError("\(path): \(answer)")
            }
        }

        private func object(_ bytes: [UInt8]) throws -> Object {
            try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:]
        }

        private func keep(_ headers: [WebHeader]) {
            for header in headers where header.name == "Set-Cookie" {
                let parts = header.value.components(separatedBy: "; ")
                #expect(parts.contains("HttpOnly") && parts.contains("SameSite=Strict"))
                let path = parts.first { $0.hasPrefix("Path=") }.map { String($0.dropFirst(5)) } ?? ""
                cookies.removeAll { $0.path == path }
                if !parts.contains("Max-Age=0") { cookies.append((parts[0], path)) }
            }
        }

        func enter(_ code: String, at erg: String = "erg-1") async throws -> (status: String, object: Object)
        {
            try await send("/ergs/boathouse/\(erg)/check-in", .post, "{\"code\": \"\(code)\"}")
        }

        func choose(
            _ athlete: String, at erg: String = "erg-1", more: String = ""
        ) async throws -> String {
            try await send(
                "/ergs/boathouse/\(erg)/check-in/athlete", .post, "{\"athlete_id\": \"\(athlete)\"\(more)}"
            ).status
        }
    }

    private static let network = Set((1..<60).map { ClientAddress([198, 51, 100, $0]) })

    private let fixture: InterfaceFixture
    private let clock = AdvancedClock()
    private let sent = Sent()

    init() throws {
        fixture = try InterfaceFixture(openCheckIn: .network, clock: clock, network: Self.network)
        try Self.prepare(fixture, sent)
    }

    private static func prepare(_ fixture: InterfaceFixture, _ sent: Sent) throws {
        fixture.commands.start { messages in sent.messages.withLock { $0 += messages } }
        fixture.room.subscribed()
        for erg in ["erg-1", "erg-2"] { fixture.receiveState(of: erg, athlete: nil) }
        for (id, name, archived) in [("zoe", "Zoë", ""), ("anna", "Anna", ""), ("old", "Old", "true")] {
            let values: [AthleteField: String] = [.name: name, .birthYear: "2009", .isArchived: archived]
            let profile = try AthleteProfile(id: id) { values[$0] ?? "" }
            try PeopleRepository.save(profile, at: 0, in: fixture.store)
        }
    }

    /// The code that a wall shows.
    private func code(of fixture: InterfaceFixture? = nil, as role: Role = .wall) async throws -> String {
        let answer = await (fixture ?? self.fixture).answer("/check-in/code", as: role)
        guard case .content(_, let bytes, _) = answer,
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object,
            let code = object["code"] as? String
        else { throw TestSupportError("no code: \(answer)") }
        #expect((object["changes_in_ms"] as? Int).map { (0...600_000).contains($0) } == true)
        return code
    }

    /// Another code than the present one.
    private func wrongCode() async throws -> String { try await code() == "1111" ? "2222" : "1111" }

    private var commands: [String] {
        sent.messages.withLock { messages in
            messages.map { message in
                let payload = String(decoding: message.payload, as: UTF8.self)
                    .replacing(/"request_id":"[0-9A-Z]+",? ?/, with: "")
                return "\(message.topic.split(separator: "/")[4]) \(payload)"
            }
        }
    }

    // MARK: Checking in

    @Test func aPhoneChecksInWithTheCodeAndLeaves() async throws {
        let phone = Phone(fixture)
        let path = "/ergs/boathouse/erg-1"
        #expect(try await phone.send(path + "/check-in").object as? [String: String] == ["check_in": "open"])
        #expect(try await phone.send(path + "/live").status == "401 not_signed_in")
        let names = try await phone.enter(try await code())
        #expect(
            names.object["athletes"] as? [[String: String]] == [
                ["athlete_id": "anna", "name": "Anna"], ["athlete_id": "zoe", "name": "Zoë"],
            ])
        #expect(phone.cookies.map(\.path) == ["/api/v1/ergs/boathouse/erg-1"])
        #expect(try await phone.send(path + "/live").status == "401 not_signed_in")
        #expect(try await phone.choose("zoe") == "202")
        #expect(commands == [#"erg-1 {"athlete_id":"zoe","until":"session_end"}"#])
        #expect(try await phone.send(path + "/live").status == "stream")
        #expect(
            try await phone.send(path + "/check-in").object as? [String: String]
                == ["check_in": "open", "athlete_id": "zoe"])
        #expect(try await phone.send(path + "/check-in", .delete).status == "409 not_assigned")
        fixture.receiveState(of: "erg-1", athlete: "zoe")
        #expect(try await phone.send(path + "/check-in", .delete).status == "202")
        #expect(commands.last == "erg-1 {}" && phone.cookies.isEmpty)
        #expect(try await phone.send(path + "/live").status == "401 not_signed_in")
    }

    @Test func aCheckInGivesNoOtherAccess() async throws {
        let phone = Phone(fixture)
        _ = try await phone.enter(try await code())
        #expect(try await phone.choose("zoe") == "202")
        // As if the browser sent the cookie everywhere.
        phone.cookies = phone.cookies.map { ($0.pair, "/") }
        for route in Route.all where route.role != nil && !route.isForCheckIn && route.target != .ergCard {
            guard case .endpoint = route.target else { continue }
            let path = route.path.replacing("{gw}", with: "boathouse").replacing("{erg}", with: "erg-1")
                .replacing("{athlete_id}", with: "zoe").replacing(/\{\w+\}/, with: "x")
            let found = try await phone.send(String(path.dropFirst(Endpoint.root.count)), route.method)
            #expect(found.status == "401 not_signed_in", "\(route.method) \(path)")
        }
        #expect(try await phone.send("/ergs/boathouse/erg-2/live").status == "401 not_signed_in")
        #expect(
            try await phone.send("/ergs/boathouse/erg-2/check-in").object as? [String: String]
                == ["check_in": "open"])
        #expect(try await phone.send("/ergs/boathouse/erg-2/check-in", .delete).status == "409 check_in_over")
    }

    @Test func anotherAthleteIsReplacedOnlyOnRequest() async throws {
        fixture.receiveState(of: "erg-1", athlete: "ben")
        fixture.receiveState(of: "erg-2", athlete: "zoe")
        let phone = Phone(fixture)
        _ = try await phone.enter(try await code())
        #expect(try await phone.choose("zoe") == "409 occupied")
        #expect(commands.isEmpty)
        // The refusal does not use the ticket.
        #expect(try await phone.choose("zoe", more: ", \"replace\": true") == "202")
        #expect(commands == ["erg-2 {}", #"erg-1 {"athlete_id":"zoe","until":"session_end"}"#])
    }

    @Test func onlyListedAthletesCanBeChosen() async throws {
        let phone = Phone(fixture)
        _ = try await phone.enter(try await code())
        for athlete in ["old", "nobody", "", "Anna", "../zoe"] {
            #expect(try await phone.choose(athlete) == "404 unknown_athlete", "\(athlete)")
        }
        for body in ["{}", "[]", "{\"athlete_id\": \"zoe\", \"until\": \"session_end\"}"] {
            let found = try await phone.send("/ergs/boathouse/erg-1/check-in/athlete", .post, body)
            #expect(found.status.hasPrefix("400 "), "\(body)")
        }
        #expect(commands.isEmpty)
    }

    // MARK: Wrong, expired and repeated codes

    @Test func wrongAndExpiredCodesGetNoNames() async throws {
        let (phone, first) = (Phone(fixture), try await code())
        let wrong = try await phone.enter(try await wrongCode())
        #expect(wrong.status == "403 wrong_code" && wrong.object.isEmpty && phone.cookies.isEmpty)
        clock.advance(by: 601)
        let second = try await code()
        #expect(second != first)
        #expect(try await phone.enter(first).status == "200", "the former code is valid for two minutes")
        clock.advance(by: 130)
        #expect(try await phone.enter(first).status == "403 expired_code")
        #expect(try await phone.enter(second).status == "200")
        for body in ["{}", "{\"code\": 4821}", "{\"code\": \"482\"}", "{\"code\": \"4821\", \"x\": 1}"] {
            let found = try await phone.send("/ergs/boathouse/erg-1/check-in", .post, body)
            #expect(found.status.hasPrefix("400 "), "\(body)")
        }
        #expect(try await phone.enter(second, at: "erg-9").status == "404 unknown_erg")
    }

    @Test func aTicketIsUsedOnceForOneErgAndForFiveMinutes() async throws {
        let phone = Phone(fixture)
        #expect(try await phone.choose("zoe") == "409 check_in_over")
        _ = try await phone.enter(try await code())
        #expect(try await phone.choose("zoe", at: "erg-2") == "409 check_in_over")
        let stolen = phone.cookies
        #expect(try await phone.choose("zoe") == "202")
        #expect(try await phone.choose("anna") == "409 check_in_used")
        // A copy of the cookie is used up too.
        let other = Phone(fixture, [198, 51, 100, 10])
        other.cookies = stolen
        #expect(try await other.choose("anna") == "409 check_in_used")
        _ = try await other.enter(try await code())
        clock.advance(by: 301)
        #expect(try await other.choose("anna") == "409 check_in_over")
        #expect(commands.count == 1)
    }

    @Test func guessesAreLimitedForEachAddressAndInTotal() async throws {
        let wrong = try await wrongCode()
        let phone = Phone(fixture)
        for _ in 0..<10 { #expect(try await phone.enter(wrong).status == "403 wrong_code") }
        #expect(try await phone.enter(wrong).status == "429 too_many_codes")
        #expect(
            try await phone.enter(try await code()).status == "429 too_many_codes",
            "no oracle: also the right one")
        // The same wrong code counts each time, unlike a removed token that a page repeats.
        for number in 0..<10 {
            let other = Phone(fixture, [198, 51, 100, UInt8(20 + number)])
            #expect(try await other.enter(wrong).status == "403 wrong_code")
        }
        let late = Phone(fixture, [198, 51, 100, 50])
        #expect(try await late.enter(try await code()).status == "429 too_many_codes")
        clock.advance(by: 301)
        #expect(try await late.enter(try await code()).status == "200")
        // Invitations and tokens have their own limits.
        let invitation = try await phone.send("/invitation/check", .post, "{\"code\": \"x\"}")
        #expect(invitation.status == "404 unknown_invitation")
    }

    // MARK: Addresses

    @Test(
        arguments: [
            ([203, 0, 113, 9], false), ([127, 0, 0, 1], false), ([198, 51, 100, 9], true),
            ([10, 0, 0, 1], true),
        ] as [([UInt8], Bool)])
    func onlyTheLocalNetworkCanCheckIn(address: [UInt8], isForwarded: Bool) async throws {
        let inside = Phone(fixture)
        _ = try await inside.enter(try await code())
        let outside = Phone(fixture, address, isForwarded: isForwarded)
        #expect(
            try await outside.send("/ergs/boathouse/erg-1/check-in").object as? [String: String]
                == ["check_in": "elsewhere"])
        #expect(try await outside.enter(try await code()).status == "403 check_in_elsewhere")
        outside.cookies = inside.cookies
        #expect(try await outside.choose("zoe") == "403 check_in_elsewhere")
        #expect(commands.isEmpty)
        // Such requests are no guesses.
        for _ in 0..<30 { _ = try await outside.enter("0000") }
        #expect(try await inside.enter(try await code()).status == "200")
    }

    @Test func aClubWithoutOpenCheckInAsksForAnInvitation() async throws {
        let closed = try InterfaceFixture(network: Self.network)
        try Self.prepare(closed, sent)
        let phone = Phone(closed)
        #expect(
            try await phone.send("/ergs/boathouse/erg-1/check-in").object as? [String: String]
                == ["check_in": "closed"])
        #expect(try await phone.enter("0000").status == "403 check_in_closed")
        #expect(try await phone.choose("zoe") == "403 check_in_closed")
        for role in Role.allCases {
            guard case .json(200, let bytes, _) = await closed.answer("/check-in/code", as: role) else {
                Issue.record("\(role)")
                continue
            }
            #expect(bytes == Array("{}".utf8))
        }
    }

    @Test(arguments: AccessControl.Audience.allCases)
    func onlySignedInWallsGetTheCode(audience: AccessControl.Audience) async throws {
        let fixture = try InterfaceFixture(
            openCheckIn: .network, wall: audience, network: Self.network)
        for role in [Role.wall, .room, .coach, .captain] {
            _ = try await code(of: fixture, as: role)
        }
        guard case .json(200, let bytes, _) = await fixture.answer("/check-in/code", as: .athlete) else {
            Issue.record("athletes")
            return
        }
        #expect(bytes == Array("{}".utf8))
        // No guest, not even on this machine, where those behind a proxy seem to be, whatever the wall allows.
        for phone in [
            Phone(fixture), Phone(fixture, [203, 0, 113, 9]), Phone(fixture, [127, 0, 0, 1]),
            Phone(fixture, [127, 0, 0, 1], isForwarded: true),
        ] {
            #expect(try await phone.send("/check-in/code").object.isEmpty)
        }
        let machine = try await Phone(fixture, [127, 0, 0, 1]).send("/check-in/code")
        #expect(machine.status == (audience == .nobody ? "401 not_signed_in" : "200"))
    }

    // MARK: The erg of a phone

    @Test func theTicketEndsAfterTheSession() async throws {
        let phone = Phone(fixture)
        _ = try await phone.enter(try await code())
        _ = try await phone.choose("zoe")
        fixture.receiveState(of: "erg-1", athlete: "zoe")
        for _ in 0..<100 {
            clock.advance(by: 60)
            fixture.checkIn.update()
        }
        let live = "/ergs/boathouse/erg-1/live"
        #expect(try await phone.send(live).status == "stream")
        fixture.receiveState(of: "erg-1", athlete: nil)
        clock.advance(by: 590)
        fixture.checkIn.update()
        #expect(try await phone.send(live).status == "stream", "the result stays visible for ten minutes")
        clock.advance(by: 15)
        #expect(try await phone.send(live).status == "401 not_signed_in")
    }

    @Test func theStreamOfAnErgHasNoOtherErgs() throws {
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/health",
                payload: Array(#"{"v":1,"kind":"health","gw":"boathouse","status":"ok"}"#.utf8)))
        fixture.room.handle(
            IncomingMessage(topic: "rowgate/v1/boathouse/availability", payload: Array("online".utf8)))
        let stream = fixture.room.open(
            StreamWaker(),
            of: LiveBoard.Scope(gateway: GatewayID(valid: "boathouse"), erg: StationID("erg-1")))
        let first = String(decoding: try #require(stream.next()), as: UTF8.self)
        #expect(first.contains("\"erg\":\"erg-1\"") && first.contains("\"availability\""))
        #expect(!first.contains("erg-2") && !first.contains("\"health\""))
        fixture.room.advance()
        fixture.receiveState(of: "erg-2", athlete: "anna")
        fixture.receiveState(of: "erg-1", athlete: "zoe")
        let second = String(decoding: try #require(stream.next()), as: UTF8.self)
        #expect(second.contains("zoe") && !second.contains("anna"))
        stream.end()
    }

    // MARK: Room devices

    @Test func aRoomDeviceAssignsAthletes() async throws {
        func send(_ body: String, _ method: WebMethod = .post, as role: Role = .room) async -> String {
            switch await fixture.answer("/ergs/boathouse/erg-1/assignment", as: role, method, body: body) {
            case .json(let status, _, _): "\(status)"
            case .failure(let status, let code, _, _): "\(status) \(code)"
            default: "?"
            }
        }
        let names = try await fixture.object("/check-in/athletes", as: .room)
        #expect(
            names["athletes"] as? [[String: String]] == [
                ["athlete_id": "anna", "name": "Anna"], ["athlete_id": "zoe", "name": "Zoë"],
            ])
        #expect(await send(#"{"athlete_id": "zoe", "until": "session_end"}"#) == "202")
        #expect(await send(#"{"athlete_id": "zoe"}"#) == "202")
        fixture.receiveState(of: "erg-1", athlete: "ben")
        #expect(await send(#"{"athlete_id": "zoe"}"#) == "409 occupied")
        #expect(await send(#"{"athlete_id": "zoe", "replace": true}"#) == "202")
        #expect(await send("", .delete) == "202")
        #expect(
            commands == [
                #"erg-1 {"athlete_id":"zoe","until":"session_end"}"#, #"erg-1 {"athlete_id":"zoe"}"#,
                #"erg-1 {"athlete_id":"zoe"}"#, "erg-1 {}",
            ])
        #expect(await send(#"{"athlete_id": "old"}"#) == "404 unknown_athlete")
        #expect(await send(#"{"athlete_id": "zoe", "until": "tomorrow"}"#) == "400 bad_value")
        #expect(await send(#"{"athlete_id": "zoe"}"#, as: .athlete) == "403 not_allowed")
        #expect(await send(#"{"athlete_id": "zoe"}"#, as: .coach) == "409 occupied")
    }
}
