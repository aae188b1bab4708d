import Glibc
import HostRuntime
import TestSupport
import Testing

@testable import Logbook
@testable import Timeline
@testable import WebServer

/// Tokens: how they are made and kept, and whom they let in.
@Suite struct AccessTests {
    private static let moment = BootInstant(nanoseconds: 1_000_000_000_000)
    private let folder: TemporaryFolder
    private let file: TokenFile

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(path: folder.path("state/tokens"))
    }

    private func access(_ audience: Access.Audience = .machine) -> Access {
        Access(
            file, wall: audience, runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .critical))
    }

    private func give(_ name: String, _ role: Role) throws -> Token {
        let token = Token(by: SystemRuntime())
        let holder = TokenHolder(
            name: name, role: role, digest: token.digest, madeMilliseconds: 1_790_000_000_000)
        try file.replace(with: try file.read() + [holder])
        return token
    }

    private func request(
        from address: [UInt8] = [203, 0, 113, 1], cookie: String? = nil, bearer: String? = nil
    ) -> WebRequest {
        WebRequest(
            path: "/", client: ClientAddress(address), cookies: cookie.map { "rowgate=\($0)" },
            authorization: bearer.map { "Bearer \($0)" })
    }

    private func code(_ verdict: Access.Verdict) -> String? {
        guard case .refused(.failure(_, let code, _, _)) = verdict else { return nil }
        return code
    }

    @Test func aTokenIsTypedAsPeopleType() throws {
        // Goal: what is read from a screen gets in. Method: a token in capitals, with spaces, with the
        // letters that look alike; and what is none.
        let token = Token(by: SystemRuntime())
        #expect(token.printed.utf8.count == 24)
        #expect(Token(typed: token.printed) == token)
        #expect(Token(typed: " " + token.printed.uppercased() + "\n") == token)
        #expect(Token(typed: "OIL0-1234-5678-9abc-defg")?.text == "0110123456789abcdefg")
        for text in ["", "short", "u123-1234-5678-9abc-defg", String(repeating: "a", count: 9000)] {
            #expect(Token(typed: text) == nil)
        }
        #expect(Set((0..<100).map { _ in Token(by: SystemRuntime()).text }).count == 100)
    }

    @Test func theFileIsItsOwnersAloneAndHoldsNoToken() throws {
        // Goal: whoever reads a backup gets in nowhere. Method: a token, the file's mode and content;
        // a line that somebody spoiled.
        let token = try give("anna", .coach)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = SmallFile.text(file.path) ?? ""
        #expect(!text.contains(token.text) && text.hasPrefix("anna coach \(token.digest) "))
        #expect(try file.read().map(\.name) == ["anna"])
        try StateFile(path: file.path).replace(with: Array((text + "anna root\n").utf8))
        let digest = token.digest
        for line in ["a athlete \(digest) 1", "a coach \(digest) 1 zoe", "a athlete \(digest) 1 /"]
        {
            try StateFile(path: file.path).replace(with: Array(line.utf8))
            #expect(throws: TokenFile.Fault.self, "\(line)") { _ = try file.read() }
        }
        try StateFile(path: file.path).replace(with: Array("a athlete \(digest) 1 zoe\n".utf8))
        #expect(try file.read().map(\.athlete) == ["zoe"])
        try StateFile(path: file.path).replace(with: Array((text + "anna root\n").utf8))
        let fault = #expect(throws: TokenFile.Fault.self) { _ = try file.read() }
        #expect(fault?.description.contains("tokens:2: no token") == true)
        // A file that cannot be read lets nobody in.
        #expect(code(access().verdict(on: request(bearer: token.text), needing: .wall)) != nil)
    }

    @Test func aRoleOpensWhatItShould() throws {
        // Goal: a screen in the hall sends no command. Method: each role, as cookie and as bearer, for
        // both; a token that is made and removed while the logbook runs.
        let access = access(.nobody)
        #expect(code(access.verdict(on: request(), needing: .wall)) == "not_signed_in")
        let (screen, coach) = (try give("screen", .wall), try give("anna", .coach))
        for request in [request(cookie: coach.text), request(bearer: coach.printed)] {
            for role in Role.allCases {
                guard case .welcome(let guest) = access.verdict(on: request, needing: role) else {
                    Issue.record("the coach is not let in")
                    continue
                }
                #expect(guest == .init(name: "anna", role: .coach))
            }
        }
        #expect(code(access.verdict(on: request(cookie: screen.text), needing: .wall)) == nil)
        let refused = access.verdict(on: request(cookie: screen.text), needing: .coach)
        #expect(code(refused) == "not_allowed")
        try file.replace(with: try file.read().filter { $0.name != "anna" })
        #expect(
            code(access.verdict(on: request(cookie: coach.text), needing: .coach)) == "wrong_token")
    }

    @Test func theWallIsOpenToWhomTheConfigurationSays() throws {
        // Goal: nobody else looks on, and a token that was removed locks nobody out of an open wall.
        // Method: this machine and a stranger, for each audience.
        let machine: [UInt8] = [127, 0, 0, 1]
        for audience in Access.Audience.allCases {
            let isOpen = audience != .nobody
            let access = access(audience)
            for cookie in [nil, "0123-4567-89ab-cdef-ghjk"] {
                let request = request(from: machine, cookie: cookie)
                #expect((code(access.verdict(on: request, needing: .wall)) == nil) == isOpen)
                #expect(code(access.verdict(on: request, needing: .coach)) != nil)
            }
            #expect(code(access.verdict(on: request(), needing: .wall)) == "not_signed_in")
        }
    }

    @Test func guessesAreLimitedAndWhoIsInStaysIn() throws {
        // Goal: nobody tries tokens for long, and nobody locks the coach out by it. Method: wrong
        // tokens from one address until it is refused unlooked; another address; the coach from both.
        let access = access()
        let coach = try give("anna", .coach)
        #expect(code(access.signIn(coach.printed, request()).0) == nil)
        let guesses = (0..<30).map { _ in
            code(access.signIn(Token(by: SystemRuntime()).printed, request()).0)
        }
        #expect(guesses.prefix(10).allSatisfy { $0 == "wrong_token" })
        #expect(guesses.suffix(20).allSatisfy { $0 == "too_many_attempts" })
        #expect(code(access.verdict(on: request(cookie: coach.text), needing: .coach)) == nil)
        let other = try give("ben", .coach)
        #expect(code(access.signIn(other.printed, request()).0) == "too_many_attempts")
        #expect(code(access.signIn(other.printed, request(from: [203, 0, 113, 9])).0) == nil)
    }

    @Test func limitsInStepsOfTime() {
        // Goal: guesses of all addresses together are limited, and time heals it. Method: a thousand
        // addresses; one wrong token again and again, as a page with a removed token does.
        var limit = SignInLimit()
        var admitted = 0
        for number in 0..<1000 {
            let address = ClientAddress([10, 0, UInt8(number / 250), UInt8(number % 250)])
            if limit.wait(address, at: Self.moment) == nil {
                admitted += 1
                limit.failed("\(number)", from: address, at: Self.moment)
            }
        }
        #expect(admitted == 100)
        let later = Self.moment.advanced(by: .seconds(240))
        #expect(limit.wait(ClientAddress([10, 1, 1, 1]), at: later) == nil)
        let page = ClientAddress([10, 1, 1, 2])
        for _ in 0..<500 { limit.failed("same", from: page, at: later) }
        #expect(limit.wait(page, at: later) == nil)
    }

    @Test func theCookieIsNobodyElses() throws {
        // Goal: no script and no other site gets at it. Method: its attributes, plain and over TLS.
        let coach = try give("anna", .coach)
        let (_, plain) = access().signIn(coach.printed, request())
        #expect(plain.first?.name == "Set-Cookie")
        let value = plain.first?.value ?? ""
        #expect(value.hasPrefix("rowgate=\(coach.text); Max-Age="))
        #expect(value.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        let encrypted = WebRequest(path: "/", origin: "https://logbook.example.org")
        let (_, secure) = access().signIn(coach.printed, encrypted)
        #expect(secure.first?.value.hasSuffix("; Secure") == true)
        #expect(Access.goodbye.value.contains("rowgate=; Max-Age=0"))
    }
}
