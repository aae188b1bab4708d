import Bytes
import HostRuntime
import LogbookStores
import Synchronization
import Timeline
import WebServer

/// Identifies the sender of each request and decides whether their role allows it.
///
/// The token is the only credential, in a cookie or as a bearer token. The token file lists tokens that an
/// administrator created; a token removed from the file is rejected from the next request on. The tokens of
/// devices that were signed in by an invitation are in the store (`UserDirectory`).
final class AccessControl: Sendable {
    /// The clients that can see the wall without a token.
    enum Audience: String, CaseIterable, Sendable {
        /// Clients on this machine.
        case machine
        /// Also clients in the networks of this machine.
        case network
        case nobody
    }

    /// The sender of a request.
    struct Identity: Equatable, Sendable {
        /// The name of the user or the token; nil without a token.
        let name: String?
        let role: Role
        /// The only athlete whose records are visible; nil for other roles than `athlete`.
        var athlete: String?
        /// The ids that were merged into `athlete`, which records may name.
        var mergedIDs: Set<String> = []
        /// The id of the user; nil for a token of the token file.
        var user: String?
        /// The digest of the device's token; nil for a token of the token file.
        var device: String?

        init(_ user: StoredUser, role: Role) {
            (name, self.role, self.user) = (user.name, role, user.id)
            athlete = role == .athlete ? user.athlete : nil
        }

        init(name: String?, role: Role) { (self.name, self.role) = (name, role) }

        /// Whether an athlete id of a record or an assignment means the athlete of this identity.
        func isAthlete(_ id: String) -> Bool { id == athlete || mergedIDs.contains(id) }

        fileprivate init(_ holder: TokenHolder) {
            (name, role, athlete) = (holder.name, holder.role, holder.athlete)
        }
    }

    enum Decision: Sendable {
        case allowed(Identity)
        case denied(WebAnswer)
    }

    /// The code of a link to a group result, as the client sent it.
    struct Guess: Sendable {
        fileprivate let digest: String

        init(_ code: String) {
            digest = Token(typed: code)?.digest ?? SHA256Digest.hexadecimal(of: [Array(code.utf8)])
        }
    }

    static let cookie = "rowgate"
    /// About one season.
    private static let cookieSeconds = 180 * 86_400
    /// The largest number of stored digests of right codes.
    private static let maximumRightGuesses = 4096

    private struct State {
        var holders: [String: TokenHolder] = [:]
        /// Fingerprint of the token file at the last read.
        var fingerprint: [Int]?
        var limiter = SignInLimiter()
        /// A separate one, so that wrong invitations do not keep people from typing their token.
        var invitationLimiter = SignInLimiter()
        /// A separate one for codes of links to group results.
        var linkLimiter = SignInLimiter()
        /// Digests of codes that were right before. The limit does not apply to them.
        var rightGuesses: Set<String> = []
        /// Digests that were accepted before. The sign-in limit does not apply to them.
        var acceptedDigests: Set<String> = []
        var warningLimiter = RateLimiter(burst: 3, pause: .seconds(600))
    }

    private let file: TokenFile
    /// nil without a store.
    private let users: UserDirectory?
    private let audience: Audience
    private let runtime: any Runtime
    private let log: SystemLog
    private let state = Mutex(State())

    init(
        _ file: TokenFile, users: UserDirectory? = nil, wall audience: Audience, runtime: any Runtime,
        log: SystemLog
    ) {
        self.file = file
        self.users = users
        self.audience = audience
        self.runtime = runtime
        self.log = log
    }

    /// Decides whether the sender of a request has at least `role`.
    func decision(for request: WebRequest, needing role: Role) -> Decision {
        guard let shown = request.bearer ?? request.cookie(Self.cookie) else {
            return decisionWithoutToken(for: request, needing: role)
        }
        switch decision(forToken: shown, from: request.client) {
        case .denied(let answer):
            // A removed token must not lock its owner out of a page that needs no token.
            guard case .allowed(let identity) = decisionWithoutToken(for: request, needing: role)
            else {
                return .denied(answer)
            }
            return .allowed(identity)
        case .allowed(let identity):
            guard identity.role.includes(role) else {
                return .denied(
                    .failure(
                        status: 403, code: "not_allowed",
                        message: "the token \"\(identity.name ?? "")\" has the role "
                            + "\(identity.role.rawValue); this needs the role \(role.rawValue)"))
            }
            return .allowed(identity)
        }
    }

    /// Whether a request that was allowed before is still allowed with the same identity.
    func isStillAllowed(_ request: WebRequest, as identity: Identity) -> Bool {
        guard identity.name != nil else { return true }
        guard case .allowed(identity) = decision(for: request, needing: identity.role) else {
            return false
        }
        return true
    }

    /// Checks a typed token. Returns the decision and, if it is allowed, the header that sets the cookie.
    func signIn(_ typed: String, _ request: WebRequest) -> (Decision, [WebHeader]) {
        let decision = decision(forToken: typed, from: request.client)
        guard case .allowed(let identity) = decision, let token = Token(typed: typed) else {
            return (decision, [])
        }
        log.notice("signed in: \(identity.name ?? "") (\(identity.role.rawValue))")
        return (decision, [Self.cookie(for: token, request)])
    }

    /// The header that makes a browser keep a token for about one season.
    static func cookie(for token: Token, _ request: WebRequest) -> WebHeader {
        cookieHeader(cookie, token.text, seconds: cookieSeconds, path: "/", request)
    }

    /// The header that makes a browser delete the cookie.
    static let expiredCookie = cookieHeader(cookie, "", seconds: 0, path: "/")

    /// The header that sets a cookie which scripts cannot read and which pages of other sites do not send.
    ///
    /// - Parameter path: The path below which browsers send the cookie.
    static func cookieHeader(
        _ name: String, _ value: String, seconds: Int, path: String, _ request: WebRequest? = nil
    ) -> WebHeader {
        let isEncrypted = request?.origin?.hasPrefix("https://") ?? false
        let rest = "; Path=\(path); HttpOnly; SameSite=Strict" + (isEncrypted ? "; Secure" : "")
        return (name: "Set-Cookie", value: "\(name)=\(value); Max-Age=\(seconds)\(rest)")
    }

    // MARK: Decisions

    private func decisionWithoutToken(for request: WebRequest, needing role: Role) -> Decision {
        let isOpen =
            switch audience {
            case .machine: request.client?.isLoopback ?? false
            case .network: request.client?.isOnLocalNetwork ?? false
            case .nobody: false
            }
        if role == .wall, isOpen { return .allowed(Identity(name: nil, role: .wall)) }
        return .denied(
            .failure(
                status: 401, code: "not_signed_in",
                message: "sign in with an invitation or at /sign-in; rowgate-logbook invite creates an "
                    + "invitation"))
    }

    private func decision(forToken typed: String, from address: ClientAddress?) -> Decision {
        let (now, token) = (runtime.now(), Token(typed: typed))
        // A text that cannot be a token counts as a wrong token.
        let digest = token?.digest ?? SHA256Digest.hexadecimal(of: [Array(typed.utf8)])
        return state.withLock { state in
            reloadHolders(&state)
            if state.acceptedDigests.contains(digest), let holder = state.holders[digest] {
                return .allowed(identity(holder))
            }
            // A device was checked when it accepted its invitation.
            let user = users?.lookup(digest) ?? .unknown
            if case .found(let identity) = user { return .allowed(identity) }
            if let delay = state.limiter.retryDelay(for: address, at: now) {
                return .denied(Self.tooManyAttempts(delay))
            }
            guard let holder = state.holders[digest] else {
                if user == .notRead { return .denied(Self.starting) }
                state.limiter.recordFailure(digest, from: address, at: now)
                if state.limiter.retryDelay(for: address, at: now) != nil {
                    logTooManyAttempts(&state, at: now)
                }
                return .denied(
                    .failure(
                        status: 401, code: "wrong_token",
                        message: "unknown token; enter the 20 letters and digits "
                            + "that rowgate-logbook token add printed",
                        headers: [Self.expiredCookie]))
            }
            state.acceptedDigests.insert(digest)
            return .allowed(identity(holder))
        }
    }

    /// The token of a merged athlete acts as the kept one.
    private func identity(_ holder: TokenHolder) -> Identity {
        let identity = Identity(holder)
        return users?.resolved(identity) ?? identity
    }

    private static func tooManyAttempts(_ delay: Duration) -> WebAnswer {
        let seconds = delay.components.seconds + 1
        return .failure(
            status: 429, code: "too_many_attempts",
            message: "too many wrong tokens, invitations or links; try again in \(seconds) s",
            headers: [WebAnswer.retryAfter(seconds)])
    }

    private static let starting = WebAnswer.failure(
        status: 503, code: "starting", message: "the logbook is starting; try again in a few seconds",
        headers: [WebAnswer.retryAfter(5)])

    // MARK: Invitations

    /// The answer to a client that sent too many wrong invitations; nil if it may try another one.
    func refusal(ofGuessesFrom address: ClientAddress?) -> WebAnswer? {
        let now = runtime.now()
        return state.withLock { state in
            state.invitationLimiter.retryDelay(for: address, at: now).map(Self.tooManyAttempts)
        }
    }

    /// Counts a wrong invitation.
    func recordWrongInvitation(_ code: String, from address: ClientAddress?) {
        let (now, digest) = (runtime.now(), SHA256Digest.hexadecimal(of: [Array(code.utf8)]))
        state.withLock { state in
            state.invitationLimiter.recordFailure(digest, from: address, at: now)
            if state.invitationLimiter.retryDelay(for: address, at: now) != nil {
                logTooManyAttempts(&state, at: now)
            }
        }
    }

    // MARK: Links to group results

    /// The answer to a client that opened too many wrong links; nil if it may open this one. Links that were right
    /// before still open, so that one reader of an old link does not keep others from a valid one.
    func refusal(of guess: Guess, from address: ClientAddress?) -> WebAnswer? {
        let now = runtime.now()
        return state.withLock { state in
            guard !state.rightGuesses.contains(guess.digest) else { return nil }
            return state.linkLimiter.retryDelay(for: address, at: now).map(Self.tooManyAttempts)
        }
    }

    /// Counts a wrong code.
    func recordWrong(_ guess: Guess, from address: ClientAddress?) {
        let now = runtime.now()
        state.withLock { state in
            state.rightGuesses.remove(guess.digest)
            state.linkLimiter.recordFailure(guess.digest, from: address, at: now)
            if state.linkLimiter.retryDelay(for: address, at: now) != nil {
                logTooManyAttempts(&state, at: now)
            }
        }
    }

    /// Remembers a right code.
    func recordRight(_ guess: Guess) {
        state.withLock { state in
            if state.rightGuesses.count >= Self.maximumRightGuesses { state.rightGuesses = [] }
            state.rightGuesses.insert(guess.digest)
        }
    }

    private func logTooManyAttempts(_ state: inout State, at now: BootInstant) {
        guard state.warningLimiter.retryDelay(at: now) == nil else { return }
        state.warningLimiter.consume(at: now)
        log.warning("too many wrong tokens, invitations or links; further ones are rejected for a while")
    }

    /// Reads the token file if it has changed since the last read.
    private func reloadHolders(_ state: inout State) {
        let fingerprint = file.fingerprint
        guard fingerprint != state.fingerprint else { return }
        state.fingerprint = fingerprint
        do throws(TokenFile.Fault) {
            let holders = try file.read()
            state.holders = Dictionary(
                holders.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })
        } catch {
            state.holders = [:]
            log.warning("no token is accepted: \(error)")
        }
        state.acceptedDigests.formIntersection(state.holders.keys)
    }
}
