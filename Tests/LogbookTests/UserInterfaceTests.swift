import Foundation
import HostRuntime
import LogbookStores
import TestSupport
import Testing

@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// Users, invitations and devices over the HTTP interface.
@Suite struct UserInterfaceTests {
    typealias Object = [String: Any]

    private let fixture: InterfaceFixture
    private let clock = AdvancedClock()

    init() throws { fixture = try InterfaceFixture(clock: clock) }

    /// A browser with its own cookie.
    private final class Browser {
        let fixture: InterfaceFixture
        private(set) var cookie: String?
        private let address: ClientAddress

        init(_ fixture: InterfaceFixture, address: UInt8 = 9) {
            self.fixture = fixture
            self.address = ClientAddress([198, 51, 100, address])
        }

        /// Sends a request; returns the status with the code, or 200, and the JSON object.
        func send(
            _ path: String, _ method: WebMethod = .get, body: String = "",
            origin: String? = "http://boathouse:8080"
        ) async throws -> (status: String, object: Object) {
            let answer = await fixture.answer(
                to: WebRequest(
                    method, path: Endpoint.root + path, body: Array(body.utf8), client: address,
                    origin: origin,
                    agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 12_5 like Mac OS X) Safari/604.1",
                    cookies: cookie))
            let headers: [WebHeader]
            let bytes: [UInt8]
            switch answer {
            case .json(_, let content, let found): (bytes, headers) = (content, found)
            case .content(_, let content, let found): (bytes, headers) = (content, found)
            case .failure(let status, let code, _, _): return ("\(status) \(code)", [:])
            default: throw TestSupportError("\(path): \(answer)")
            }
            if let cookie = headers.first(where: { $0.name == "Set-Cookie" })?.value {
                #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
                self.cookie = String(cookie.prefix { $0 != ";" })
            }
            return ("200", try JSONSerialization.jsonObject(with: Data(bytes)) as? Object ?? [:])
        }

        func accept(_ link: String, name: String? = nil) async throws -> (status: String, object: Object) {
            let code = link.split(separator: "#").last.map(String.init) ?? ""
            let name = name.map { ", \"name\": \"\($0)\"" } ?? ""
            return try await send("/invitation/accept", .post, body: "{\"code\": \"\(code)\"\(name)}")
        }

        func check(_ link: String) async throws -> (status: String, object: Object) {
            let code = link.split(separator: "#").last.map(String.init) ?? ""
            return try await send("/invitation/check", .post, body: "{\"code\": \"\(code)\"}")
        }
    }

    /// Creates an invitation; returns its link.
    private func invitation(
        to path: String, _ body: String = "{}", as role: Role = .captain
    ) async throws -> String {
        let answer = await fixture.answer(path, as: role, .post, body: body)
        guard case .content(_, let bytes, _) = answer,
            let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? Object,
            let link = object["link"] as? String
        else { throw TestSupportError("\(path): \(answer)") }
        let qr = try #require(object["qr"] as? Object)
        #expect(qr["size"] is Int && (qr["path"] as? String)?.hasPrefix("M4 4h7") == true)
        return link
    }

    private func coachInvitation(_ name: String = "Kim", role: String = "coach") async throws -> String {
        try await invitation(to: "/users", "{\"name\": \"\(name)\", \"role\": \"\(role)\"}")
    }

    @Test func anInvitationSignsOneDeviceIn() async throws {
        let link = try await coachInvitation("Jörg Weiß")
        #expect(link.hasPrefix("http://boathouse.local:8080/invitation#"))
        let (phone, other) = (Browser(fixture), Browser(fixture, address: 10))
        // The page looks at the invitation, perhaps several times, before its button uses it.
        for _ in 0..<3 {
            let checked = try await phone.check(link)
            #expect(checked.object["name"] as? String == "Jörg Weiß")
            #expect(checked.object["role"] as? String == "coach")
        }
        #expect(try await phone.send("/gateways").status == "401 not_signed_in")
        let accepted = try await phone.accept(link)
        #expect(accepted.object["role"] as? String == "coach" && phone.cookie != nil)
        #expect(try await phone.send("/gateways").status == "200")
        #expect(try await phone.send("/users").status == "403 not_allowed")
        #expect(try await other.check(link).status == "404 unknown_invitation")
        #expect(try await other.accept(link).status == "404 unknown_invitation")
        #expect(other.cookie == nil)
    }

    @Test func ofTwoDevicesOneUsesTheInvitation() async throws {
        let link = try await coachInvitation()
        let found = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<8 {
                let browser = Browser(fixture, address: UInt8(20 + number))
                nonisolated(unsafe) let one = browser
                group.addTask { try await one.accept(link).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(found.count { $0 == "200" } == 1, "\(found)")
        #expect(found.count { $0 == "404 unknown_invitation" } == 7, "\(found)")
    }

    @Test func coachesInviteAthletesWhoSeeTheirOwnDataOnly() async throws {
        _ = await fixture.answer(
            "/athletes", as: .coach, .post, body: "{\"athlete_id\": \"anna\", \"name\": \"Anna Meier\"}")
        let link = try await invitation(to: "/athletes/anna/invitation", as: .coach)
        let phone = Browser(fixture)
        #expect(try await phone.accept(link, name: "Somebody else").object["athlete_id"] as? String == "anna")
        #expect(try await phone.send("/me").object["name"] as? String == "Anna Meier")
        // A new name of the athlete is the user's new name.
        _ = await fixture.answer("/athletes/anna", as: .coach, .post, body: "{\"name\": \"Anna Berg\"}")
        #expect(try fixture.store.users.all().map(\.name) == ["Anna Berg"])
        #expect(try await phone.send("/athletes/anna").status == "200")
        #expect(try await phone.send("/athletes/ben").status == "404 unknown_athlete")
        #expect(try await phone.send("/commands", .post, body: "{}").status == "403 not_allowed")
        #expect(
            try await phone.send("/athletes/anna/invitation", .post, body: "{}").status == "403 not_allowed")
        let unknown = await fixture.refusal("/athletes/nobody/invitation", as: .coach, .post, body: "{}")
        #expect(unknown?.status == "404 unknown_athlete")
        // Coaches do not invite coaches.
        let refused = await fixture.refusal(
            "/users", as: .coach, .post, body: "{\"name\": \"Kim\", \"role\": \"coach\"}")
        #expect(refused?.status == "403 not_allowed")
    }

    @Test func aUserHasSeveralDevicesAndEndsThem() async throws {
        let (phone, tablet) = (Browser(fixture), Browser(fixture, address: 10))
        _ = try await phone.accept(try await coachInvitation())
        _ = try await tablet.accept(try await invitation(to: "/users/kim/invitation"))
        let own = try await phone.send("/me/devices").object["devices"] as? [Object] ?? []
        #expect(own.count == 2)
        #expect(own.allSatisfy { $0["name"] as? String == "iPhone, Safari" })
        #expect(own.count { $0["is_this_device"] as? Bool == true } == 1)
        let other = try #require(own.first { $0["is_this_device"] == nil }?["device_id"] as? String)
        #expect(try await phone.send("/me/devices/\(other)", .delete).status == "200")
        #expect(try await phone.send("/me/devices/\(other)", .delete).status == "404 unknown_device")
        #expect(try await tablet.send("/gateways").status == "401 wrong_token")
        #expect(try await phone.send("/gateways").status == "200")
        _ = try await phone.send("/sign-out", .post, body: "{}")
        await fixture.waitForWrites()
        let devices = try fixture.store.users.devices()
        #expect(devices.isEmpty, "a device that signs out is removed")
    }

    @Test func aRemovedUserIsSignedOutAtOnce() async throws {
        let phone = Browser(fixture)
        _ = try await phone.accept(try await coachInvitation())
        _ = await fixture.answer("/users/kim", as: .captain, .delete)
        #expect(try await phone.send("/gateways").status == "401 wrong_token")
        #expect(await fixture.refusal("/users/kim", as: .captain, .delete)?.status == "404 unknown_user")
    }

    @Test func revokedReplacedAndExpiredInvitationsAreRefused() async throws {
        let phone = Browser(fixture)
        let first = try await coachInvitation()
        let second = try await invitation(to: "/users/kim/invitation")
        #expect(try await phone.check(first).status == "404 unknown_invitation")
        _ = await fixture.answer("/users/kim/invitation", as: .captain, .delete)
        #expect(try await phone.accept(second).status == "404 unknown_invitation")
        let code = Token(by: SystemRuntime())
        var user = try #require(try fixture.store.users.all().first)
        user.invitation = .init(digest: code.digest, expiresAt: clock.unixMilliseconds() - 1)
        try fixture.store.users.save(user)
        #expect(try await phone.accept(code.printed).status == "404 unknown_invitation")
    }

    @Test func guessesAreLimited() async throws {
        let (guesser, phone) = (Browser(fixture), Browser(fixture, address: 10))
        let link = try await coachInvitation()
        var found: [String] = []
        for _ in 0..<12 { found.append(try await guesser.accept(Token(by: SystemRuntime()).printed).status) }
        #expect(found.prefix(10).allSatisfy { $0 == "404 unknown_invitation" }, "\(found)")
        #expect(found.suffix(2).allSatisfy { $0 == "429 too_many_attempts" }, "\(found)")
        #expect(try await guesser.check(link).status == "429 too_many_attempts")
        // Another phone is not affected.
        #expect(try await phone.accept(link).status == "200")
    }

    @Test func theLastCaptainStays() async throws {
        let phone = Browser(fixture)
        _ = try await phone.accept(try await coachInvitation("Kim", role: "captain"))
        #expect(try await phone.send("/users/kim", .delete).status == "409 last_captain")
        let demotion = "{\"role\": \"coach\"}"
        #expect(try await phone.send("/users/kim", .post, body: demotion).status == "409 last_captain")
        _ = try await coachInvitation("Ben", role: "captain")
        #expect(
            try await phone.send("/users/kim", .post, body: demotion).object["role"] as? String == "coach")
        #expect(try await phone.send("/users").status == "403 not_allowed")
    }

    @Test func aRoomDeviceIsInvitedRenamedAndRevoked() async throws {
        let link = try await coachInvitation("Tablet", role: "room")
        let tablet = Browser(fixture)
        #expect(try await tablet.accept(link).object["role"] as? String == "room")
        #expect(try await tablet.send("/check-in/athletes").status == "200")
        for path in ["/athletes", "/sessions", "/me/devices", "/groups", "/roster", "/users", "/plans"] {
            #expect(try await tablet.send(path).status == "403 not_allowed", "\(path)")
        }
        let captain = Browser(fixture, address: 10)
        _ = try await captain.accept(try await coachInvitation("Kim", role: "captain"))
        let renamed = try await captain.send("/users/tablet", .post, body: "{\"name\": \"Tablet 2\"}")
        #expect(renamed.object["name"] as? String == "Tablet 2")
        // Everybody in the room uses the device: it never becomes that of a coach, nor a coach's device a room device.
        for (user, role) in [("tablet", "coach"), ("tablet", "captain")] {
            let change = try await captain.send("/users/\(user)", .post, body: "{\"role\": \"\(role)\"}")
            #expect(change.status == "409 is_room_device")
        }
        #expect(
            try await captain.send("/users/kim", .post, body: "{\"role\": \"room\"}").status
                == "400 bad_value")
        _ = try await captain.send("/users/tablet", .delete)
        #expect(try await tablet.send("/check-in/athletes").status == "401 wrong_token")
    }

    @Test func peopleWriteTheirOwnNameWhenTheyAccept() async throws {
        let link = try await coachInvitation("Captain", role: "captain")
        let phone = Browser(fixture)
        #expect(try await phone.accept(link, name: "Kim Berger").object["name"] as? String == "Kim Berger")
        // A name that is not allowed does not cost the invitation.
        let second = try await coachInvitation("Ben")
        let other = Browser(fixture, address: 10)
        #expect(try await other.accept(second, name: "\u{202E}neb").object["name"] as? String == "Ben")
    }

    @Test(arguments: [
        ("{}", "400 missing_field"), ("{\"name\": \"Kim\"}", "400 missing_field"), ("[]", "400 not_json"),
        ("{\"name\": \" \", \"role\": \"coach\"}", "400 bad_value"),
        ("{\"name\": \"Kim\", \"role\": \"athlete\"}", "400 bad_value"),
        ("{\"name\": \"Kim\", \"role\": \"king\"}", "400 bad_value"),
        ("{\"name\": \"Kim\", \"role\": \"coach\", \"more\": 1}", "400 unknown_field"),
        ("{\"name\": \"<b>\u{202E}x\", \"role\": \"coach\"}", "400 bad_value"),
    ])
    func wrongFieldsAreRefused(body: String, status: String) async {
        let refused = await fixture.refusal("/users", as: .captain, .post, body: body)
        #expect(refused?.status == status, "\(body): \(refused?.message ?? "")")
    }

    @Test func aTokenHasNoDevices() async throws {
        #expect(await fixture.refusal("/me/devices", as: .coach)?.status == "409 no_user")
        #expect(await fixture.refusal("/me/devices/x", as: .coach, .delete)?.status == "409 no_user")
    }

    @Test func linksUseTheAddressOfTheBrowser() async throws {
        for (origin, expected) in [
            ("https://log.example.org", "https://log.example.org"),
            ("http://192.0.2.7:8080", "http://192.0.2.7:8080"),
            ("http://localhost:8080", "http://boathouse.local:8080"),
            ("http://127.0.0.1:8080", "http://boathouse.local:8080"),
            ("http://[::1]:8080", "http://boathouse.local:8080"), ("null", "http://boathouse.local:8080"),
        ] {
            #expect(
                PageAddress.forPhones(used: origin, configured: "http://boathouse.local:8080/") == expected)
        }
        for wrong in ["http://", "ftp://a", "http://a/b", "http://a b", "javascript:x", "http://a\"<"] {
            #expect(!PageAddress.isValid(wrong), "\(wrong)")
        }
    }

    @Test func aCardForEachErg() async throws {
        fixture.room.handle(
            IncomingMessage(
                topic: "rowgate/v1/boathouse/erg/erg-1/state",
                payload: Array(#"{"v":1,"kind":"state","gw":"boathouse","erg":"erg-1","state":"idle"}"#.utf8))
        )
        let cards = try await fixture.object("/gateways/boathouse/cards?address=http://192.0.2.7:8080")
        let first = try #require((cards["cards"] as? [Object])?.first)
        #expect(first["erg"] as? String == "erg-1")
        #expect(first["link"] as? String == "http://192.0.2.7:8080/e/boathouse/erg-1")
        #expect(await fixture.refusal("/gateways/other/cards")?.status == "404 unknown_gateway")
        let wrong = await fixture.refusal("/gateways/boathouse/cards?address=javascript:x")
        #expect(wrong?.status == "400 bad_parameter")
    }

    // MARK: Changes by others

    @Test func theFirstStartInvitesACaptain() throws {
        let (store, runtime) = (fixture.store, SystemRuntime())
        let first = try #require(try UserRepository.firstInvitation(in: store, at: 1_000, by: runtime))
        #expect(first.user.role == .captain && first.expiresAt == 3_601_000)
        #expect(first.link(below: "http://a") == "http://a/invitation#\(first.code.printed)")
        // Nobody used it within the hour: the next start creates another link for the same user.
        let second = try #require(try UserRepository.firstInvitation(in: store, at: 9_000_000, by: runtime))
        #expect(second.user.id == first.user.id)
        let device = StoredDevice(digest: "d", user: "", name: "", createdAt: 0, seenAt: 0)
        #expect(try store.users.accept(first.code.digest, on: device, at: 9_000_001) == nil)
        #expect(try store.users.accept(second.code.digest, on: device, at: 9_000_001) != nil)
        #expect(try UserRepository.firstInvitation(in: store, at: 9_000_002, by: runtime) == nil)
    }

    @Test func theDirectoryNeedsTheStoreOnce() async throws {
        let runtime = SystemRuntime()
        let directory = UserDirectory(reader: fixture.reader, writer: fixture.writer, runtime: runtime)
        #expect(directory.lookup("d") == .notRead)
        let user = StoredUser(id: "kim", name: "Kim", role: "coach", createdAt: 0)
        try fixture.store.users.save(user)
        try directory.read(from: fixture.store)
        #expect(directory.lookup("d") == .unknown)
        let invitation = try UserRepository.invite(user: "kim", in: fixture.store, at: 5, by: runtime)
        let device = StoredDevice(digest: "d", user: "", name: "x", createdAt: 5, seenAt: 5)
        _ = try fixture.store.users.accept(invitation.code.digest, on: device, at: 5)
        try directory.read(from: fixture.store)
        guard case .found(let identity) = directory.lookup("d") else {
            Issue.record("the device is not known")
            return
        }
        #expect(identity.role == .coach && identity.user == "kim" && identity.device == "d")
        // The use is stored, at most once an hour.
        await fixture.waitForWrites()
        let seen = try #require(try fixture.store.users.devices().first?.seenAt)
        #expect(seen > 1_700_000_000_000)
        _ = directory.lookup("d")
        await fixture.waitForWrites()
        #expect(try fixture.store.users.devices().first?.seenAt == seen)
    }

    @Test func aSlowReadingDoesNotRestoreARemovedDevice() throws {
        let directory = UserDirectory(
            reader: fixture.reader, writer: fixture.writer, runtime: SystemRuntime())
        let user = StoredUser(id: "kim", name: "Kim", role: "coach", createdAt: 0)
        let device = StoredDevice(digest: "d", user: "kim", name: "x", createdAt: 5, seenAt: 5)
        // The first reading sees the device, which is removed before it ends.
        try directory.read { () throws(StoreFailure) in
            try directory.read { ([user], [], []) }
            return ([user], [device], [])
        }
        #expect(directory.lookup("d") == .unknown)
        try directory.read { ([user], [device], []) }
        #expect(directory.lookup("d") != .unknown)
    }

    @Test(arguments: [
        ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/120 Safari/537.36", "Linux, Chrome"),
        (
            "Mozilla/5.0 (Linux; Android 14) Chrome/120 Mobile Safari/537.36 SamsungBrowser/23",
            "Android, Samsung Internet"
        ),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/120 Safari/537.36 Edg/120", "Windows, Edge"),
        ("Mozilla/5.0 (Macintosh) Firefox/121", "Mac, Firefox"), ("curl/8.5", "Unknown browser"),
        ("", "Unknown browser"),
    ])
    func devicesHaveNames(agent: String, name: String) {
        #expect(DeviceName.of(agent: agent) == name)
    }
}
