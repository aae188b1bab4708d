import Bytes
import Contract
import HostRuntime
import Synchronization
import Timeline
import WebServer

/// Lets phones that are not signed in claim an erg with the code on the wall, if the club allows it
/// (`http.open_check_in`).
///
/// The right code gives a phone a ticket for one erg, in a cookie. With the ticket it chooses an athlete once, and sees
/// this erg until shortly after the session. It gets no account and no other data. Requests arrive on the web server's
/// thread and the queue of the store; a lock protects the state.
final class CheckInService: Sendable {
    /// The clients that can check in.
    enum Audience: String, CaseIterable, Sendable {
        case nobody
        /// Clients in the networks of this machine.
        case network
    }

    /// Whether a client can check in, as pages show it.
    private enum Availability: String {
        case open, closed
        /// The client is not in the network, or a proxy is between.
        case elsewhere
    }

    static let cookie = "rowgate-check-in"
    /// The sender of the commands, in the log and on the pages of coaches.
    static let sender = "check-in"
    private static let updateInterval = Duration.seconds(5)

    /// The limits of wrong codes. 10,000 codes are few: `Users.md` has the chance of a guess.
    static func newLimiter() -> SignInLimiter {
        SignInLimiter(
            total: RateLimiter(burst: 20, pause: .seconds(300)),
            each: RateLimiter(burst: 10, pause: .seconds(300)))
    }

    private struct State {
        var code: CheckInCode
        var limiter = newLimiter()
        var tickets = CheckInTickets()
        var warningLimiter = RateLimiter(burst: 3, pause: .seconds(600))
    }

    private let audience: Audience
    /// nil without a store.
    private let reader: StoreQueue?
    private let claims: ErgClaimService
    private let runtime: any Runtime
    private let log: SystemLog
    private let isInNetwork: @Sendable (ClientAddress) -> Bool
    private let state: Mutex<State>
    private let executor: SerialQueueExecutor
    private nonisolated(unsafe) var timer: QueueTimer?  // of the executor alone

    /// - Parameter isInNetwork: Whether an address is in a network of this machine, and not this machine itself: behind
    ///   a proxy on this machine, all clients have its address.
    init(
        for audience: Audience, reader: StoreQueue?, claims: ErgClaimService, runtime: any Runtime,
        log: SystemLog,
        isInNetwork: @escaping @Sendable (ClientAddress) -> Bool = { !$0.isLoopback && $0.isOnLocalNetwork }
    ) {
        self.audience = reader == nil ? .nobody : audience
        (self.reader, self.claims, self.runtime, self.log) = (reader, claims, runtime, log)
        self.isInNetwork = isInNetwork
        state = Mutex(State(code: CheckInCode(at: runtime.now(), random: runtime.random())))
        executor = runtime.makeQueue(label: "logbook.check-in")
    }

    func start() {
        guard audience == .network else { return }
        log.notice(
            "open check-in: phones in the local network check in with the code that signed-in walls show; "
                + "rowgate-logbook token add NAME --role wall signs a wall in")
        executor.async { [self] in
            timer = QueueTimer(on: executor) { @Sendable [weak self] in self?.update() }
            timer?.fire(every: Self.updateInterval)
        }
    }

    func stop() { executor.enter { [self] in timer?.cancel() } }

    /// Ends the tickets of phones whose session is over.
    func update() {
        guard !state.withLock({ $0.tickets.isEmpty }) else { return }
        let (now, assignments) = (runtime.now(), claims.room.assignments)
        state.withLock { $0.tickets.update(assignments, at: now) }
    }

    // MARK: The wall

    /// Returns the code for a wall: `{"code", "changes_in_ms"}`, or `{}` for readers who do not get it.
    ///
    /// Only walls that are signed in get it. Guests do not, wherever they are: every phone in the network could read
    /// it, and a proxy makes them guests on this machine. Athletes do not: their own sign-in needs no code.
    func code(for identity: AccessControl.Identity) -> WebAnswer {
        guard audience == .network, identity.role != .athlete, identity.name != nil else {
            return .json(Array("{}".utf8))
        }
        let now = runtime.now()
        let (text, remaining) = state.withLock { state in
            state.code.advance(to: now, random: runtime.random)
            return (state.code.text, state.code.remaining(at: now))
        }
        return RecordRequestHandler.json { json in
            json.field("code", text)
            json.field("changes_in_ms", remaining.wholeMilliseconds)
        }
    }

    // MARK: Phones

    /// Returns whether this client can check in: `{"check_in": "open"}`, with `athlete_id` for a phone that did.
    func status(_ place: LiveBoard.Place, _ request: WebRequest) -> WebAnswer {
        let (availability, athlete) = (availability(to: request), ticket(request, for: place)?.ticket.athlete)
        return RecordRequestHandler.json { json in
            json.field("check_in", availability.rawValue)
            json.field("athlete_id", athlete)
        }
    }

    /// Checks a code: `{"code": "4821"}`. If it is right, returns the athletes to choose from, and sets the cookie with
    /// the ticket.
    func begin(_ place: LiveBoard.Place, _ request: WebRequest) throws(InterfaceFault) -> WebAnswer {
        let reader = try openReader(request)
        guard claims.room.contains(place) else {
            throw InterfaceFault(
                404, CommandCode.unknownErg.rawValue, "\(place.displayName) has sent no message yet")
        }
        let entered = try Self.code(request.body)
        if let refusal = refusal(of: entered, for: place, from: request.client) { return refusal }
        return reader.answer { [self] store in
            let (token, now) = (Token(by: runtime), runtime.now())
            let answer = try AthleteChoice.answer(
                in: store, headers: [Self.cookie(token.text, CheckInTickets.maximumTime, place, request)])
            state.withLock { $0.tickets.issue(token.digest, for: place, at: now) }
            log.notice("check-in at \(place.displayName): right code")
            return answer
        }
    }

    /// Assigns an athlete to the erg of the ticket: `{"athlete_id"}`, with `"replace": true` if another athlete is
    /// assigned. Uses the ticket.
    func finish(_ place: LiveBoard.Place, _ request: WebRequest) throws(InterfaceFault) -> WebAnswer {
        let reader = try openReader(request)
        let choice = try AthleteChoice.Request(request.body, allowsUntil: false)
        return reader.answer { [self] store in
            guard let (digest, ticket) = ticket(request, for: place) else { throw Self.isOver }
            guard ticket.athlete == nil else {
                throw InterfaceFault(
                    409, "check_in_used", "this check-in was used already; enter the code again")
            }
            try AthleteChoice.check(choice.athlete, in: store)
            let answer = try claims.assign(
                choice.athlete, to: place, replaces: choice.replaces, until: ErgClaimService.sessionEnd,
                from: Self.sender)
            // A command that was not sent does not use the ticket.
            if case .json(202, _, _) = answer {
                let now = runtime.now()
                state.withLock { $0.tickets.choose(choice.athlete, with: digest, at: now) }
                log.notice("check-in at \(place.displayName): athlete chosen")
            }
            return answer
        }
    }

    /// Clears the erg, and ends the ticket.
    func leave(_ place: LiveBoard.Place, _ request: WebRequest) throws(InterfaceFault) -> WebAnswer {
        guard let (digest, ticket) = ticket(request, for: place), let athlete = ticket.athlete else {
            throw Self.isOver
        }
        guard claims.room.assignments[place] == athlete else { throw ErgClaimService.notAssigned(place) }
        let answer = try claims.clear(place, from: Self.sender)
        guard case .json(let status, let bytes, _) = answer else { return answer }
        state.withLock { $0.tickets.remove(digest) }
        log.notice("check-in at \(place.displayName): ended by the phone")
        return .json(status: status, bytes, headers: [Self.cookie("", .zero, place, request)])
    }

    /// Whether a phone that checked in may see an erg.
    func admits(_ request: WebRequest, to place: LiveBoard.Place) -> Bool {
        ticket(request, for: place)?.ticket.athlete != nil
    }

    private static let isOver = InterfaceFault(
        409, "check_in_over", "this check-in is over; enter the code that the wall shows now")

    private func ticket(
        _ request: WebRequest, for place: LiveBoard.Place
    ) -> (digest: String, ticket: CheckInTickets.Ticket)? {
        guard audience == .network, let token = request.cookie(Self.cookie).flatMap(Token.init(typed:)) else {
            return nil
        }
        let (digest, now) = (token.digest, runtime.now())
        return state.withLock { $0.tickets.ticket(digest, for: place, at: now) }.map { (digest, $0) }
    }

    // MARK: Checks

    private func availability(to request: WebRequest) -> Availability {
        guard audience == .network else { return .closed }
        guard !request.isForwarded, let client = request.client, isInNetwork(client) else {
            return .elsewhere
        }
        return .open
    }

    /// Throws unless the sender can check in.
    private func openReader(_ request: WebRequest) throws(InterfaceFault) -> StoreQueue {
        switch availability(to: request) {
        case .open: if let reader { return reader }
        case .elsewhere:
            throw InterfaceFault(
                403, "check_in_elsewhere",
                "check-in works in the club's network only, without a proxy; use the club's Wi-Fi")
        case .closed: break
        }
        throw InterfaceFault(
            403, "check_in_closed", "this club has no open check-in; ask a coach for an invitation")
    }

    /// Returns the refusal of a code that is not valid now, and counts the guess; nil for the right code.
    private func refusal(
        of entered: String, for place: LiveBoard.Place, from client: ClientAddress?
    ) -> WebAnswer? {
        let now = runtime.now()
        let (verdict, delay, warns) = state.withLock { state -> (CheckInCode.Verdict, Duration?, Bool) in
            if let delay = state.limiter.retryDelay(for: client, at: now) { return (.wrong, delay, false) }
            state.code.advance(to: now, random: runtime.random)
            let verdict = state.code.verdict(on: entered, at: now)
            guard verdict != .valid else { return (verdict, nil, false) }
            // The same digits count again: they may be right after the next change.
            state.limiter.recordFailure(from: client, at: now)
            let isFirst =
                state.limiter.retryDelay(for: client, at: now) != nil
                && state.warningLimiter.retryDelay(at: now) == nil
            if isFirst { state.warningLimiter.consume(at: now) }
            return (verdict, nil, isFirst)
        }
        if warns { log.warning("check-in: too many wrong codes; further ones are rejected for a while") }
        if let delay { return Self.tooMany(delay) }
        guard verdict != .valid else { return nil }
        log.notice("check-in at \(place.displayName): \(verdict == .expired ? "expired" : "wrong") code")
        let fault =
            verdict == .expired
            ? InterfaceFault(
                403, "expired_code", "this code has changed; enter the one that the wall shows now")
            : InterfaceFault(403, "wrong_code", "this code is wrong; enter the four digits on the wall")
        return fault.answer
    }

    private static func tooMany(_ delay: Duration) -> WebAnswer {
        let seconds = delay.components.seconds + 1
        return .failure(
            status: 429, code: "too_many_codes", message: "too many wrong codes; try again in \(seconds) s",
            headers: [WebAnswer.retryAfter(seconds)])
    }

    private static func code(_ body: [UInt8]) throws(InterfaceFault) -> String {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            guard let code = try fields.text("code") else { throw fields.missing("code") }
            try fields.finish()
            guard CheckInCode.isWellFormed(code) else { throw fields.wrong("code", "must be four digits") }
            return code
        } catch { throw InterfaceFault(error) }
    }

    /// The header that sets the ticket's cookie. Browsers send it to the addresses of this erg only.
    private static func cookie(
        _ value: String, _ time: Duration, _ place: LiveBoard.Place, _ request: WebRequest
    ) -> WebHeader {
        let path = "\(Endpoint.root)/ergs/\(place.gateway.slug)/\(place.erg?.slug ?? "")"
        return AccessControl.cookieHeader(
            cookie, value, seconds: Int(time.components.seconds), path: path, request)
    }
}
