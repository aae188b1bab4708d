import Glibc
import HostRuntime
import TestSupport
import Testing

@testable import Logbook
@testable import Timeline
@testable import WebServer

/// Creation and storage of tokens, and access control.
@Suite struct AccessControlTests {
    private static let moment = BootInstant(nanoseconds: 1_000_000_000_000)
    private let folder: TemporaryFolder
    private let file: TokenFile

    init() throws {
        folder = try TemporaryFolder()
        file = TokenFile(path: folder.path("state/tokens"))
    }

    private func accessControl(_ audience: AccessControl.Audience = .machine) -> AccessControl {
        AccessControl(
            file, wall: audience, runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .critical))
    }

    private func addToken(_ name: String, _ role: Role) throws -> Token {
        let token = Token(by: SystemRuntime())
        let holder = TokenHolder(
            name: name, role: role, digest: token.digest, createdMilliseconds: 1_790_000_000_000)
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

    private func code(_ decision: AccessControl.Decision) -> String? {
        guard case .denied(.failure(_, let code, _, _)) = decision else { return nil }
        return code
    }

    @Test func acceptsTypedTokenInAnyForm() throws {
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

    @Test func tokenFileIsPrivateAndContainsOnlyDigests() throws {
        let token = try addToken("anna", .coach)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = SmallFile.text(file.path) ?? ""
        #expect(!text.contains(token.text) && text.hasPrefix("anna coach \(token.digest) "))
        #expect(try file.read().map(\.name) == ["anna"])
        try StateFile(path: file.path).replace(with: Array((text + "anna root\n").utf8))
        let digest = token.digest
        for line in ["a athlete \(digest) 1", "a coach \(digest) 1 zoe", "a athlete \(digest) 1 /"] {
            try StateFile(path: file.path).replace(with: Array(line.utf8))
            #expect(throws: TokenFile.Fault.self, "\(line)") { _ = try file.read() }
        }
        try StateFile(path: file.path).replace(with: Array("a athlete \(digest) 1 zoe\n".utf8))
        #expect(try file.read().map(\.athlete) == ["zoe"])
        try StateFile(path: file.path).replace(with: Array((text + "anna root\n").utf8))
        let fault = #expect(throws: TokenFile.Fault.self) { _ = try file.read() }
        #expect(fault?.description.contains("tokens:2: not a line") == true)
        // With an invalid token file, every token is rejected.
        #expect(
            code(accessControl().decision(for: request(bearer: token.text), needing: .wall)) != nil)
    }

    @Test func roleDecidesAccess() throws {
        let access = accessControl(.nobody)
        #expect(code(access.decision(for: request(), needing: .wall)) == "not_signed_in")
        let (screen, coach) = (try addToken("screen", .wall), try addToken("anna", .coach))
        for request in [request(cookie: coach.text), request(bearer: coach.printed)] {
            for role in Role.allCases where Role.coach.includes(role) {
                guard case .allowed(let identity) = access.decision(for: request, needing: role)
                else {
                    Issue.record("the coach is denied")
                    continue
                }
                #expect(identity == .init(name: "anna", role: .coach))
            }
        }
        #expect(code(access.decision(for: request(cookie: screen.text), needing: .wall)) == nil)
        let denied = access.decision(for: request(cookie: screen.text), needing: .coach)
        #expect(code(denied) == "not_allowed")
        #expect(code(access.decision(for: request(cookie: coach.text), needing: .captain)) == "not_allowed")
        try file.replace(with: try file.read().filter { $0.name != "anna" })
        #expect(
            code(access.decision(for: request(cookie: coach.text), needing: .coach))
                == "wrong_token")
    }

    @Test func wallAudienceFollowsConfiguration() throws {
        let machine: [UInt8] = [127, 0, 0, 1]
        for audience in AccessControl.Audience.allCases {
            let isOpen = audience != .nobody
            let access = accessControl(audience)
            for cookie in [nil, "0123-4567-89ab-cdef-ghjk"] {
                let request = request(from: machine, cookie: cookie)
                #expect((code(access.decision(for: request, needing: .wall)) == nil) == isOpen)
                #expect(code(access.decision(for: request, needing: .coach)) != nil)
            }
            #expect(code(access.decision(for: request(), needing: .wall)) == "not_signed_in")
        }
    }

    @Test func limitsGuessesButNotAcceptedTokens() throws {
        let access = accessControl()
        let coach = try addToken("anna", .coach)
        #expect(code(access.signIn(coach.printed, request()).0) == nil)
        let guesses = (0..<30).map { _ in
            code(access.signIn(Token(by: SystemRuntime()).printed, request()).0)
        }
        #expect(guesses.prefix(10).allSatisfy { $0 == "wrong_token" })
        #expect(guesses.suffix(20).allSatisfy { $0 == "too_many_attempts" })
        #expect(code(access.decision(for: request(cookie: coach.text), needing: .coach)) == nil)
        let other = try addToken("ben", .coach)
        #expect(code(access.signIn(other.printed, request()).0) == "too_many_attempts")
        #expect(code(access.signIn(other.printed, request(from: [203, 0, 113, 9])).0) == nil)
    }

    @Test func limitsGuessesAcrossAddressesAndRecovers() {
        // A page that repeats one removed token counts as one guess.
        var limiter = SignInLimiter()
        var admitted = 0
        for number in 0..<1000 {
            let address = ClientAddress([10, 0, UInt8(number / 250), UInt8(number % 250)])
            if limiter.retryDelay(for: address, at: Self.moment) == nil {
                admitted += 1
                limiter.recordFailure("\(number)", from: address, at: Self.moment)
            }
        }
        #expect(admitted == 100)
        let later = Self.moment.advanced(by: .seconds(240))
        #expect(limiter.retryDelay(for: ClientAddress([10, 1, 1, 1]), at: later) == nil)
        let page = ClientAddress([10, 1, 1, 2])
        for _ in 0..<500 { limiter.recordFailure("same", from: page, at: later) }
        #expect(limiter.retryDelay(for: page, at: later) == nil)
    }

    @Test func cookieIsProtected() throws {
        let coach = try addToken("anna", .coach)
        let (_, plain) = accessControl().signIn(coach.printed, request())
        #expect(plain.first?.name == "Set-Cookie")
        let value = plain.first?.value ?? ""
        #expect(value.hasPrefix("rowgate=\(coach.text); Max-Age="))
        #expect(value.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        let encrypted = WebRequest(path: "/", origin: "https://logbook.example.org")
        let (_, secure) = accessControl().signIn(coach.printed, encrypted)
        #expect(secure.first?.value.hasSuffix("; Secure") == true)
        #expect(AccessControl.expiredCookie.value.contains("rowgate=; Max-Age=0"))
    }
}
