import Bytes
import Contract
import WebPages
import WebServer

/// Routes requests to pages and interface endpoints, and checks access.
struct LogbookRouter: Sendable {
    /// The security headers of all responses: no foreign or inline content, no content sniffing, no framing,
    /// no referrer.
    static let headers: [WebHeader] = [
        (
            name: "Content-Security-Policy",
            value: "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        ),
        (name: "X-Content-Type-Options", value: "nosniff"),
        (name: "Referrer-Policy", value: "no-referrer"),
        (name: "Cache-Control", value: "no-cache"),
    ]
    private static let assets = "/assets/"

    let pages: Pages
    let room: LiveRoom
    let commands: CommandService
    let races: RaceService
    let access: AccessControl
    let records: RecordRequestHandler

    /// The OpenAPI document of `/api/v1`.
    static let document = WebFile(PageFiles.openAPIDocument)

    func answer(_ request: WebRequest) -> WebAnswer {
        if request.path.hasPrefix(Endpoint.root) { return interface(request) }
        return switch (request.path, request.method.isReading) {
        case ("/", true), ("/wall", true): page("wall/wall.html", request, needing: .wall)
        case ("/race", true): page("race/race.html", request, needing: .wall)
        case ("/coach", true): page("coach/coach.html", request, needing: .coach)
        case ("/sign-in", true): file("signin/signin.html")
        // These pages redirect to the sign-in themselves, so that a link to a session is not lost.
        case ("/sessions", true): file("session/sessions.html")
        case ("/session", true): file("session/session.html")
        case ("/gateways", true): file("gateways/gateways.html")
        case ("/plans", true): file("plans/plans.html")
        case ("/athletes", true): file("athletes/athletes.html")
        case ("/athlete", true): file("athletes/athlete.html")
        case (let path, true) where path.hasPrefix(Self.assets):
            file(String(path.dropFirst(Self.assets.count)))
        case (let path, false) where Self.isPage(path): .wrongMethod
        default: .notFound
        }
    }

    private static func isPage(_ path: String) -> Bool {
        let pages = [
            "/", "/wall", "/race", "/coach", "/sign-in", "/sessions", "/session", "/gateways",
            "/plans", "/athletes", "/athlete",
        ]
        return pages.contains(path) || path.hasPrefix(assets)
    }

    private func file(_ name: String) -> WebAnswer { pages[name].map { .file($0) } ?? .notFound }

    // MARK: Access

    /// Returns a page, or redirects to the sign-in. The page itself contains no data, but needs data to be
    /// useful.
    private func page(_ name: String, _ request: WebRequest, needing role: Role) -> WebAnswer {
        switch access.decision(for: request, needing: role) {
        case .allowed: file(name)
        // Redirects only without a sign-in. The sign-in page would redirect a signed-in user back to this
        // page.
        case .denied(.failure(status: 401, _, _, _)): .redirect(to: Self.signIn(before: request))
        case .denied(let answer): answer
        }
    }

    /// Returns the address of the sign-in, which leads back to the requested page in its language and theme.
    static func signIn(before request: WebRequest) -> String {
        signIn(before: request.path, request.query)
    }

    static func signIn(before path: String, _ query: [WebParameter]) -> String {
        let look = query.filter { $0.name == "lang" || $0.name == "theme" }
        let own = query.filter { $0.name != "lang" && $0.name != "theme" }
        // For the plain wall, the sign-in leads to the start page of the role instead.
        let isPlainWall = own.isEmpty && (path == "/" || path == "/wall")
        let next = WebRequest.address(path == "/" ? "/wall" : path, own)
        return WebRequest.address(
            "/sign-in", (isPlainWall ? [] : [WebParameter(name: "next", value: next)]) + look)
    }

    private func interface(_ request: WebRequest) -> WebAnswer {
        guard let (endpoint, pathValues) = Endpoint.matching(request.path) else { return .notFound }
        guard endpoint.isPost ? request.method == .post : request.method.isReading else {
            return endpoint.isPost ? .onlyPost : .wrongMethod
        }
        var identity = AccessControl.Identity(name: nil, role: .wall)
        if let role = endpoint.role {
            switch access.decision(for: request, needing: role) {
            case .denied(let answer): return answer
            case .allowed(let found): identity = found
            }
        }
        do throws(InterfaceFault) {
            return try answer(endpoint, pathValues, request, to: identity)
        } catch { return error.answer }
    }

    private func answer(
        _ endpoint: Endpoint, _ pathValues: [String], _ request: WebRequest,
        to identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        let parameters = try QueryParameters(
            request.query, of: endpoint, in: records.history.calendar)
        switch endpoint {
        case .document: return .file(Self.document)
        case .health: return records.health.answer
        case .live: return live(request, identity, of: try parameters.gateway())
        case .guest: return Self.describe(identity, [])
        case .signIn: return signIn(request)
        case .signOut: return .json(Array("{}".utf8), headers: [AccessControl.expiredCookie])
        case .races: return races.create(request.body, by: identity.name ?? "")
        case .race: return races.handleAction(request.body, for: pathValues[0], by: identity.name ?? "")
        case .raceResults: return races.resultsCSV(of: pathValues[0])
        case .commands: return commands.submit(request.body, from: identity.name ?? "")
        case .suggestionAnswer:
            return try records.answerSuggestion(request.body, of: pathValues, by: identity)
        case .heart: return try records.updateHeartLimits(request.body, of: pathValues[0], by: identity)
        case .setPlan, .removePlan: return try records.changePlan(endpoint, pathValues[0], request.body)
        default: return try records.answer(endpoint, pathValues, parameters, to: RecordAccessPolicy(identity))
        }
    }

    private func live(
        _ request: WebRequest, _ identity: AccessControl.Identity, of gateway: GatewayID?
    ) -> WebAnswer {
        guard room.hasCapacity else {
            return .failure(
                status: 503, code: "too_many_readers",
                message: "\(LiveRoom.maximumReaders) readers are connected already; close a page")
        }
        return .stream(contentType: "text/event-stream") { [room, commands, races, access] waker in
            room.open(
                waker, of: gateway, with: identity.role == .coach ? [races, commands] : [races]
            ) {
                access.isStillAllowed(request, as: identity)
            }
        }
    }

    // MARK: Signing in

    private func signIn(_ request: WebRequest) -> WebAnswer {
        guard let token = (try? JSONObject(parsing: request.body))?.text("token") else {
            return .failure(
                status: 400, code: "missing_field",
                message: "the body must be {\"token\": \"...\"}")
        }
        let (decision, headers) = access.signIn(token, request)
        switch decision {
        case .denied(let answer): return answer
        case .allowed(let identity): return Self.describe(identity, headers)
        }
    }

    private static func describe(_ identity: AccessControl.Identity, _ headers: [WebHeader]) -> WebAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", identity.name)
        writer.field("role", identity.role.rawValue)
        writer.field("athlete_id", identity.athlete)
        writer.endObject()
        return .json(writer.bytes, headers: headers)
    }
}
