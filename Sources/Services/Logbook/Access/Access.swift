import HostRuntime
import Synchronization
import Timeline
import WebServer

/// Lets people in: decides for each request who asks, and whether they may.
///
/// A token is the only thing that is checked, in a cookie or as a bearer; what was handed out is in a
/// file, and what is removed there is worth nothing from the next request on.
final class Access: Sendable {
    /// Who sees the wall without a token.
    enum Audience: String, CaseIterable, Sendable {
        /// Whoever asks from this machine.
        case machine
        /// Also whoever is in a network of this machine's.
        case network
        case nobody
    }

    /// Who asks.
    struct Guest: Equatable, Sendable {
        /// nil for somebody without a token.
        let name: String?
        let role: Role
        /// Whose records alone they may see; nil where the role says it all.
        var athlete: String?

        init(name: String?, role: Role) { (self.name, self.role) = (name, role) }

        fileprivate init(_ holder: TokenHolder) {
            (name, role, athlete) = (holder.name, holder.role, holder.athlete)
        }
    }

    enum Verdict: Sendable {
        case welcome(Guest)
        case refused(WebAnswer)
    }

    static let cookie = "rowgate"
    /// A season.
    private static let cookieSeconds = 180 * 86_400

    private struct State {
        var holders: [String: TokenHolder] = [:]
        var mark: [Int]?
        var limit = SignInLimit()
        /// Digests that were right once: who is in stays in while others guess.
        var known: Set<String> = []
        var lines = Allowance(burst: 3, pause: .seconds(600))
    }

    private let file: TokenFile
    private let audience: Audience
    private let runtime: any Runtime
    private let log: SystemLog
    private let state = Mutex(State())

    init(_ file: TokenFile, wall audience: Audience, runtime: any Runtime, log: SystemLog) {
        self.file = file
        self.audience = audience
        self.runtime = runtime
        self.log = log
    }

    /// Whether the sender of a request may do what takes `role`.
    func verdict(on request: WebRequest, needing role: Role) -> Verdict {
        guard let shown = request.bearer ?? request.cookie(Self.cookie) else {
            return stranger(request, needing: role)
        }
        switch look(at: shown, from: request.client) {
        case .refused(let answer):
            // Who may see it without a token may see it with one that was removed.
            guard case .welcome(let guest) = stranger(request, needing: role) else {
                return .refused(answer)
            }
            return .welcome(guest)
        case .welcome(let guest):
            guard guest.role >= role else {
                return .refused(
                    .failure(
                        status: 403, code: "not_allowed",
                        message: "the token \"\(guest.name ?? "")\" has the role "
                            + "\(guest.role.rawValue); this takes \(role.rawValue)"))
            }
            return .welcome(guest)
        }
    }

    /// Whether a guest who was let in would be let in again.
    func holds(_ request: WebRequest, _ guest: Guest) -> Bool {
        guard guest.name != nil else { return true }
        guard case .welcome(guest) = verdict(on: request, needing: guest.role) else { return false }
        return true
    }

    /// Somebody shows a token for the first time. The second is what their browser keeps.
    func signIn(_ typed: String, _ request: WebRequest) -> (Verdict, [WebHeader]) {
        let verdict = look(at: typed, from: request.client)
        guard case .welcome(let guest) = verdict, let token = Token(typed: typed) else {
            return (verdict, [])
        }
        log.notice("signed in: \(guest.name ?? "") (\(guest.role.rawValue))")
        let isEncrypted = request.origin?.hasPrefix("https://") ?? false
        return (verdict, [Self.keep(token.text, seconds: Self.cookieSeconds, isEncrypted)])
    }

    /// What a browser forgets us by.
    static let goodbye = keep("", seconds: 0, false)

    private static func keep(_ value: String, seconds: Int, _ isEncrypted: Bool) -> WebHeader {
        let rest = "; Path=/; HttpOnly; SameSite=Strict" + (isEncrypted ? "; Secure" : "")
        return (name: "Set-Cookie", value: "\(cookie)=\(value); Max-Age=\(seconds)\(rest)")
    }

    // MARK: One look

    private func stranger(_ request: WebRequest, needing role: Role) -> Verdict {
        let isOpen =
            switch audience {
            case .machine: request.client?.isLoopback ?? false
            case .network: request.client?.isNeighbour ?? false
            case .nobody: false
            }
        if role == .wall, isOpen { return .welcome(Guest(name: nil, role: .wall)) }
        return .refused(
            .failure(
                status: 401, code: "not_signed_in",
                message: "sign in at /sign-in; rowgate-logbook token add makes a token"))
    }

    private func look(at typed: String, from address: ClientAddress?) -> Verdict {
        let (now, token) = (runtime.now(), Token(typed: typed))
        // What cannot be a token counts as a wrong one all the same.
        let digest = token?.digest ?? SHA256Digest.hexadecimal(of: [Array(typed.utf8)])
        return state.withLock { state in
            refresh(&state)
            if state.known.contains(digest), let holder = state.holders[digest] {
                return .welcome(Guest(holder))
            }
            if let wait = state.limit.wait(address, at: now) { return Self.tooMany(wait) }
            guard let holder = state.holders[digest] else {
                state.limit.failed(digest, from: address, at: now)
                if state.limit.wait(address, at: now) != nil { warn(&state, at: now) }
                return .refused(
                    .failure(
                        status: 401, code: "wrong_token",
                        message: "there is no such token; it has 20 letters and figures, as "
                            + "rowgate-logbook token add printed it",
                        headers: [Self.goodbye]))
            }
            state.known.insert(digest)
            return .welcome(Guest(holder))
        }
    }

    private static func tooMany(_ wait: Duration) -> Verdict {
        let seconds = wait.components.seconds + 1
        return .refused(
            .failure(
                status: 429, code: "too_many_attempts",
                message: "too many wrong tokens; try again in \(seconds) s",
                headers: [WebAnswer.retryAfter(seconds)]))
    }

    private func warn(_ state: inout State, at now: BootInstant) {
        guard state.lines.wait(at: now) == nil else { return }
        state.lines.take(at: now)
        log.warning("too many wrong tokens were tried: more are not looked at for a while")
    }

    /// Reads the file when it is another one than before.
    private func refresh(_ state: inout State) {
        let mark = file.mark
        guard mark != state.mark else { return }
        state.mark = mark
        do throws(TokenFile.Fault) {
            let holders = try file.read()
            state.holders = Dictionary(
                holders.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })
        } catch {
            state.holders = [:]
            log.warning("nobody can sign in: \(error)")
        }
        state.known.formIntersection(state.holders.keys)
    }
}
