import Bytes
import Contract
import WebPages
import WebServer

/// Which address shows what, and to whom.
struct LogbookSite: Sendable {
    /// Nothing from elsewhere, nothing inline, nothing guessed, in nobody's frame, and no word to
    /// others about us.
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
    let commands: CommandRoom
    let races: RaceDesk
    let access: Access
    let records: RecordAnswers

    /// What all of `/api/v1` is, for programs.
    static let document = WebFile("application/json", PageFiles.openAPIDocument)

    func answer(_ request: WebRequest) -> WebAnswer {
        if request.path.hasPrefix(Endpoint.root) { return interface(request) }
        return switch (request.path, request.method.isReading) {
        case ("/", true), ("/wall", true): page("wall.html", request, needing: .wall)
        case ("/race", true): page("race.html", request, needing: .wall)
        case ("/coach", true): page("coach.html", request, needing: .coach)
        case ("/sign-in", true): file("signin.html")
        // A link to a session is kept by whoever has to sign in first, so these tell it themselves.
        case ("/sessions", true): file("sessions.html")
        case ("/session", true): file("session.html")
        case ("/gateways", true): file("gateways.html")
        case ("/plans", true): file("plans.html")
        case ("/athletes", true): file("athletes.html")
        case ("/athlete", true): file("athlete.html")
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

    // MARK: Who may

    /// A page holds no secret, but is of no use to who may not see what it shows.
    private func page(_ name: String, _ request: WebRequest, needing role: Role) -> WebAnswer {
        switch access.verdict(on: request, needing: role) {
        case .welcome: file(name)
        // Another token helps nobody who is signed in: only who is not goes to the sign-in, which would
        // otherwise lead back here.
        case .refused(.failure(status: 401, _, _, _)): .redirect(to: Self.signIn(before: request))
        case .refused(let answer): answer
        }
    }

    /// The sign-in that leads back to the page which is requested, in its language and theme.
    static func signIn(before request: WebRequest) -> String {
        signIn(before: request.path, request.query)
    }

    static func signIn(before path: String, _ query: [WebParameter]) -> String {
        let look = query.filter { $0.name == "lang" || $0.name == "theme" }
        let own = query.filter { $0.name != "lang" && $0.name != "theme" }
        // Without a wish, everybody begins at the page of their role.
        let isPlainWall = own.isEmpty && (path == "/" || path == "/wall")
        let next = WebRequest.address(path == "/" ? "/wall" : path, own)
        return WebRequest.address(
            "/sign-in", (isPlainWall ? [] : [WebParameter(name: "next", value: next)]) + look)
    }

    private func interface(_ request: WebRequest) -> WebAnswer {
        guard let (endpoint, names) = Endpoint.at(request.path) else { return .notFound }
        guard endpoint.isPost ? request.method == .post : request.method.isReading else {
            return endpoint.isPost ? .onlyPost : .wrongMethod
        }
        var guest = Access.Guest(name: nil, role: .wall)
        if let role = endpoint.role {
            switch access.verdict(on: request, needing: role) {
            case .refused(let answer): return answer
            case .welcome(let found): guest = found
            }
        }
        do throws(InterfaceFault) {
            return try answer(endpoint, names, request, to: guest)
        } catch { return error.answer }
    }

    private func answer(
        _ endpoint: Endpoint, _ names: [String], _ request: WebRequest, to guest: Access.Guest
    ) throws(InterfaceFault) -> WebAnswer {
        let asked = try AskedParameters(
            request.query, of: endpoint, in: records.book.calendar)
        switch endpoint {
        case .document: return .file(Self.document)
        case .health: return records.health.answer
        case .live: return live(request, guest, of: try asked.gateway())
        case .guest: return Self.describe(guest, [])
        case .signIn: return signIn(request)
        case .signOut: return .json(Array("{}".utf8), headers: [Access.goodbye])
        case .races: return races.make(request.body, by: guest.name ?? "")
        case .race: return races.take(request.body, for: names[0], by: guest.name ?? "")
        case .raceResults: return races.sheet(of: names[0])
        case .commands: return commands.take(request.body, from: guest.name ?? "")
        case .suggestionAnswer:
            return try records.take(request.body, of: names, by: guest)
        case .heart: return try records.giveHeart(request.body, of: names[0], by: guest)
        case .setPlan, .removePlan: return try records.change(endpoint, names[0], request.body)
        default: return try records.answer(endpoint, names, asked, to: Sight(guest))
        }
    }

    private func live(
        _ request: WebRequest, _ guest: Access.Guest, of gateway: GatewayID?
    ) -> WebAnswer {
        guard room.hasSeat else {
            return .failure(
                status: 503, code: "too_many_readers",
                message: "\(LiveRoom.maximumReaders) pages read already; close one")
        }
        return .stream(contentType: "text/event-stream") { [room, commands, races, access] waker in
            room.open(
                waker, of: gateway, with: guest.role == .coach ? [races, commands] : [races]
            ) {
                access.holds(request, guest)
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
        let (verdict, headers) = access.signIn(token, request)
        switch verdict {
        case .refused(let answer): return answer
        case .welcome(let guest): return Self.describe(guest, headers)
        }
    }

    private static func describe(_ guest: Access.Guest, _ headers: [WebHeader]) -> WebAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", guest.name)
        writer.field("role", guest.role.rawValue)
        writer.field("athlete_id", guest.athlete)
        writer.endObject()
        return .json(writer.bytes, headers: headers)
    }
}
