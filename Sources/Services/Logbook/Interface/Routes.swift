import WebServer

/// An operation of the interface below `/api/v1`.
///
/// The case names are the operation ids in `config/schema/openapi.json`. `Route.all` has the paths, methods and
/// roles; a test compares them with the document.
enum Endpoint: CaseIterable, Sendable {
    case document, health, live, me, signIn, signOut, commands
    case claimErg, leaveErg
    case ergLive, checkIn, beginCheckIn, finishCheckIn, leaveCheckIn, checkInCode
    case athleteChoice, assignErg, clearErg
    case races, race, raceResults, raceArchive, archivedRace, ergRaceResults
    case regattas, regatta, changeRegatta, removeRegatta, regattaResults
    case gateways, streams
    case athletes, athlete, records, volume, training, heart
    case club, exportClub
    case addAthlete, setAthlete, removeAthlete, exportAthletes, importAthletes
    case merges, mergeAthlete, undoMerge
    case groups, setGroup, removeGroup
    case users, addUser, setUser, removeUser, removeDevice, inviteUser, revokeInvitation, inviteAthlete
    case checkInvitation, acceptInvitation, ownDevices, removeOwnDevice
    case ergCards
    case suggestions, suggestionAnswer, athletePlans
    case plans, plan, setPlan, deletePlan, exportPlan, adherence
    case correctAthlete, restoreAthlete
    case uploadAccounts, connectUploads, finishUploadAuthorization, disconnectUploads
    case sessionUploads, uploadSession
    case sessions, exportSessions, session, strokes, forces, splits, gaps, rollups, alerts, sessionTraining
    case export
    case pieces, piece, exportPiece
    case addToPiece, removeFromPiece
    case pieceLinks, sharePiece, revokePieceLink, sharedPiece, exportSharedPiece
    /// The former addresses of `me` and `deletePlan`.
    case guest, removePlan

    /// The common prefix of all paths.
    static let root = "/api/v1"

    /// The route of the endpoint.
    var route: Route {
        guard let route = Route.all.first(where: { $0.target == .endpoint(self) }) else {
            preconditionFailure("\(self) has no route")
        }
        return route
    }

    /// The allowed query parameters.
    var parameters: [Parameter] {
        switch self {
        case .live: [.gateway, .ergs]
        case .ergCards: [.address]
        case .sessions: [.gateway, .erg, .athlete, .unassigned, .state, .from, .to, .limit, .cursor]
        case .pieces:
            [.gateway, .erg, .athlete, .unassigned, .state, .group, .workout, .from, .to, .limit, .cursor]
        case .raceArchive, .streams, .athletes, .strokes, .forces, .splits, .gaps, .rollups, .alerts:
            [.limit, .cursor]
        case .export: [.format, .kind]
        case .exportSessions: [.format, .kind, .gateway, .erg, .athlete, .state, .from, .to]
        case .volume, .training: [.length, .season]
        case .exportPlan, .exportPiece: [.format]
        case .club, .exportClub: [.season, .group]
        case .adherence: [.athlete]
        default: []
        }
    }

    /// The name of a query parameter.
    enum Parameter: String, CaseIterable, Sendable {
        case gateway = "gw"
        case erg, ergs
        case athlete = "athlete_id"
        case unassigned, group, workout
        case state, from, to, limit, cursor, format, kind
        case length = "by"
        case season
        case address
    }
}

/// An address of the logbook: a page or an endpoint, with its method and with the role that may use it.
struct Route: Sendable {
    enum Target: Equatable, Sendable {
        /// A page, with its file.
        case page(String)
        case endpoint(Endpoint)
        /// The short address of an erg, which is printed on its card: redirects to its page.
        case ergCard
        /// The page of a group result for anybody with its link.
        case sharedPiece
    }

    /// `get` also allows HEAD.
    let method: WebMethod
    /// A part in braces is a path parameter.
    let path: String
    let target: Target
    /// The role that a client needs, or one that includes it: `wall` is a guest, who may need no token
    /// (`AccessControl`). For nil, everybody may use the route.
    let role: Role?
    /// Whether phones that check in at an erg may use the route, as `CheckInService` decides. Others need `role`; for
    /// nil, there are no others.
    var isForCheckIn = false
    /// The path that replaces this one. A route with a successor is deprecated, and is removed with the release
    /// after the one that deprecates it.
    var successor: String?

    /// The entry of a page in the menu of all pages.
    var menuEntry: MenuEntry?

    struct MenuEntry: Sendable {
        /// The key of the title in the page strings.
        let title: String
        /// The role that has a use for the page. Guests see all entries: a page tells them to sign in.
        let role: Role
        /// Whether the page can show a single room. Links between such pages keep it.
        var isOfRoom = false
    }

    /// All routes, in the order in which they are matched. `RouteTests` writes what the pages
    /// know of them (`common/routes.js`) and the list of routes and roles (`Routes.md`) from them.
    static let all: [Route] = pages + [ergCard, sharedPiece] + interface

    /// Its values are the gateway and the erg.
    private static let ergCard = Route(method: .get, path: "/e/{gw}/{erg}", target: .ergCard, role: nil)

    /// Its value is the code of the link.
    private static let sharedPiece = Route(
        method: .get, path: "/shared/{code}", target: .sharedPiece, role: nil)

    /// The pages for sessions, athletes and plans redirect to the sign-in themselves, so that a link to a session
    /// is not lost. The page of an erg shows how to check in. Their files contain no data.
    static let pages = [
        page("/", "wall/wall.html", for: .wall),
        page("/wall", "wall/wall.html", for: .wall, MenuEntry(title: "wall", role: .wall, isOfRoom: true)),
        page(
            "/coach", "coach/coach.html", for: .coach,
            MenuEntry(title: "coach", role: .coach, isOfRoom: true)),
        page("/race", "race/race.html", for: .wall, MenuEntry(title: "race", role: .wall, isOfRoom: true)),
        page("/races", "races/races.html", for: .wall),
        page("/regatta", "races/regatta.html", for: .wall),
        page("/plans", "plans/plans.html", for: nil, MenuEntry(title: "plans", role: .athlete)),
        page("/plan-editor", "planner/editor.html", for: nil),
        page("/sessions", "session/sessions.html", for: nil, MenuEntry(title: "sessions", role: .athlete)),
        page("/session", "session/session.html", for: nil),
        page("/piece", "group/group.html", for: nil),
        page("/athletes", "athletes/athletes.html", for: nil, MenuEntry(title: "athletes", role: .athlete)),
        page("/athlete", "athletes/athlete.html", for: nil),
        page("/club", "club/club.html", for: nil, MenuEntry(title: "club", role: .coach)),
        page("/gateways", "gateways/gateways.html", for: nil, MenuEntry(title: "gateways", role: .coach)),
        page("/erg", "erg/erg.html", for: nil),
        page("/check-in", "room/room.html", for: .room),
        page("/users", "users/users.html", for: nil),
        page("/uploads", "users/uploads.html", for: nil),
        page("/cards", "users/cards.html", for: nil),
        page("/invitation", "users/invitation.html", for: nil),
        page("/sign-in", "signin/signin.html", for: nil),
    ]

    private static let interface = [
        get("/openapi.json", .document, for: nil),
        get("/health", .health, for: nil),
        get("/live", .live, for: .wall),
        get("/me", .me, for: .wall),
        post("/sign-in", .signIn, for: nil),
        post("/sign-out", .signOut, for: nil),
        get("/me/devices", .ownDevices, for: .athlete),
        interface(.delete, "/me/devices/{device_id}", .removeOwnDevice, for: .athlete),
        get("/me/uploads", .uploadAccounts, for: .athlete),
        post("/me/uploads", .finishUploadAuthorization, for: .athlete),
        post("/me/uploads/{destination}", .connectUploads, for: .athlete),
        interface(.delete, "/me/uploads/{destination}", .disconnectUploads, for: .athlete),
        post("/invitation/check", .checkInvitation, for: nil),
        post("/invitation/accept", .acceptInvitation, for: nil),
        get("/users", .users, for: .captain),
        post("/users", .addUser, for: .captain),
        post("/users/{user_id}", .setUser, for: .captain),
        interface(.delete, "/users/{user_id}", .removeUser, for: .captain),
        post("/users/{user_id}/invitation", .inviteUser, for: .captain),
        interface(.delete, "/users/{user_id}/invitation", .revokeInvitation, for: .captain),
        interface(.delete, "/users/{user_id}/devices/{device_id}", .removeDevice, for: .captain),
        post("/commands", .commands, for: .coach),
        post("/ergs/{gw}/{erg}/claim", .claimErg, for: .athlete),
        interface(.delete, "/ergs/{gw}/{erg}/claim", .leaveErg, for: .athlete),
        checkIn(.get, "/ergs/{gw}/{erg}/live", .ergLive, for: .wall),
        get("/ergs/{gw}/{erg}/check-in", .checkIn, for: nil),
        checkIn(.post, "/ergs/{gw}/{erg}/check-in", .beginCheckIn, for: nil),
        checkIn(.post, "/ergs/{gw}/{erg}/check-in/athlete", .finishCheckIn, for: nil),
        checkIn(.delete, "/ergs/{gw}/{erg}/check-in", .leaveCheckIn, for: nil),
        get("/check-in/code", .checkInCode, for: .wall),
        get("/check-in/athletes", .athleteChoice, for: .room),
        post("/ergs/{gw}/{erg}/assignment", .assignErg, for: .room),
        interface(.delete, "/ergs/{gw}/{erg}/assignment", .clearErg, for: .room),
        get("/gateways/{gw}/cards", .ergCards, for: .coach),
        post("/races", .races, for: .coach),
        post("/races/{race_id}", .race, for: .coach),
        get("/races", .raceArchive, for: .wall),
        get("/races/{race_id}", .archivedRace, for: .wall),
        get("/races/{race_id}/results", .raceResults, for: .wall),
        get("/races/{race_id}/ergrace", .ergRaceResults, for: .wall),
        post("/regattas", .regattas, for: .coach),
        get("/regattas/{regatta_id}", .regatta, for: .wall),
        post("/regattas/{regatta_id}", .changeRegatta, for: .coach),
        interface(.delete, "/regattas/{regatta_id}", .removeRegatta, for: .coach),
        get("/regattas/{regatta_id}/results", .regattaResults, for: .wall),
        get("/gateways", .gateways, for: .coach),
        get("/gateways/{gw}/streams", .streams, for: .coach),
        get("/athletes", .athletes, for: .athlete),
        get("/athletes/{athlete_id}", .athlete, for: .athlete),
        post("/athletes", .addAthlete, for: .coach),
        post("/athletes/{athlete_id}", .setAthlete, for: .coach),
        interface(.delete, "/athletes/{athlete_id}", .removeAthlete, for: .coach),
        post("/athletes/{athlete_id}/invitation", .inviteAthlete, for: .coach),
        post("/athletes/{athlete_id}/merge", .mergeAthlete, for: .coach),
        get("/merges", .merges, for: .coach),
        interface(.delete, "/merges/{athlete_id}", .undoMerge, for: .coach),
        get("/roster", .exportAthletes, for: .coach),
        post("/roster", .importAthletes, for: .coach),
        get("/groups", .groups, for: .coach),
        post("/groups/{group_id}", .setGroup, for: .coach),
        interface(.delete, "/groups/{group_id}", .removeGroup, for: .coach),
        get("/records", .records, for: .coach),
        get("/club", .club, for: .coach),
        get("/club/export", .exportClub, for: .coach),
        get("/athletes/{athlete_id}/volume", .volume, for: .athlete),
        get("/athletes/{athlete_id}/training", .training, for: .athlete),
        post("/athletes/{athlete_id}/heart", .heart, for: .athlete),
        get("/athletes/{athlete_id}/suggestions", .suggestions, for: .athlete),
        post("/athletes/{athlete_id}/suggestions/{suggestion_id}", .suggestionAnswer, for: .athlete),
        get("/athletes/{athlete_id}/plans", .athletePlans, for: .athlete),
        get("/plans", .plans, for: .athlete),
        get("/plans/{plan_id}", .plan, for: .athlete),
        post("/plans/{plan_id}/set", .setPlan, for: .coach),
        interface(.delete, "/plans/{plan_id}", .deletePlan, for: .coach),
        get("/plans/{plan_id}/export", .exportPlan, for: .athlete),
        get("/plans/{plan_id}/adherence", .adherence, for: .athlete),
        get("/sessions", .sessions, for: .athlete),
        get("/sessions/export", .exportSessions, for: .athlete),
        get("/sessions/{gw}/{session_id}", .session, for: .athlete),
        post("/sessions/{gw}/{session_id}/athlete", .correctAthlete, for: .coach),
        interface(.delete, "/sessions/{gw}/{session_id}/athlete", .restoreAthlete, for: .coach),
        get("/sessions/{gw}/{session_id}/strokes", .strokes, for: .athlete),
        get("/sessions/{gw}/{session_id}/forces", .forces, for: .athlete),
        get("/sessions/{gw}/{session_id}/splits", .splits, for: .athlete),
        get("/sessions/{gw}/{session_id}/gaps", .gaps, for: .athlete),
        get("/sessions/{gw}/{session_id}/rollups", .rollups, for: .athlete),
        get("/sessions/{gw}/{session_id}/alerts", .alerts, for: .athlete),
        get("/sessions/{gw}/{session_id}/training", .sessionTraining, for: .athlete),
        get("/sessions/{gw}/{session_id}/export", .export, for: .athlete),
        get("/sessions/{gw}/{session_id}/uploads", .sessionUploads, for: .athlete),
        post("/sessions/{gw}/{session_id}/uploads", .uploadSession, for: .athlete),
        get("/pieces", .pieces, for: .athlete),
        get("/pieces/{gw}/{session_id}", .piece, for: .athlete),
        get("/pieces/{gw}/{session_id}/export", .exportPiece, for: .athlete),
        post("/pieces/{gw}/{session_id}/additions", .addToPiece, for: .coach),
        interface(
            .delete, "/pieces/{gw}/{session_id}/additions/{addition_id}", .removeFromPiece, for: .coach),
        get("/pieces/{gw}/{session_id}/links", .pieceLinks, for: .coach),
        post("/pieces/{gw}/{session_id}/links", .sharePiece, for: .coach),
        interface(.delete, "/pieces/{gw}/{session_id}/links/{link_id}", .revokePieceLink, for: .coach),
        get("/shared/{code}", .sharedPiece, for: nil),
        get("/shared/{code}/export", .exportSharedPiece, for: nil),
        // Deprecated in 0.1.
        interface(.get, "/session", .guest, for: .wall, successor: "/me"),
        interface(.post, "/plans/{plan_id}/remove", .removePlan, for: .coach, successor: "/plans/{plan_id}"),
    ]

    private static func page(
        _ path: String, _ file: String, for role: Role?, _ entry: MenuEntry? = nil
    ) -> Route {
        Route(method: .get, path: path, target: .page(file), role: role, menuEntry: entry)
    }

    private static func get(_ path: String, _ endpoint: Endpoint, for role: Role?) -> Route {
        interface(.get, path, endpoint, for: role)
    }

    private static func post(_ path: String, _ endpoint: Endpoint, for role: Role?) -> Route {
        interface(.post, path, endpoint, for: role)
    }

    private static func checkIn(
        _ method: WebMethod, _ path: String, _ endpoint: Endpoint, for role: Role?
    ) -> Route {
        var route = interface(method, path, endpoint, for: role)
        route.isForCheckIn = true
        return route
    }

    /// - Parameter path: The path below `/api/v1`, as `successor`.
    private static func interface(
        _ method: WebMethod, _ path: String, _ endpoint: Endpoint, for role: Role?, successor: String? = nil
    ) -> Route {
        Route(
            method: method, path: Endpoint.root + path, target: .endpoint(endpoint), role: role,
            successor: successor.map { Endpoint.root + $0 })
    }

    // MARK: Matching

    /// The result of looking up a request.
    enum Match: Sendable {
        /// A route, and the values of its path parameters in order.
        case found(Route, values: [String])
        /// The path exists, with these methods only.
        case otherMethod([WebMethod])
        case unknown
    }

    static func matching(_ method: WebMethod, _ path: String) -> Match {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let found = all.compactMap { route in route.values(in: parts).map { (route, $0) } }
        if let (route, values) = found.first(where: { $0.0.accepts(method) }) {
            return .found(route, values: values)
        }
        return found.isEmpty ? .unknown : .otherMethod(found.map(\.0.method))
    }

    private func accepts(_ method: WebMethod) -> Bool {
        method == self.method || self.method == .get && method.isReading
    }

    private func values(in parts: [Substring]) -> [String]? {
        let template = path.split(separator: "/", omittingEmptySubsequences: false)
        guard template.count == parts.count else { return nil }
        var values: [String] = []
        for (pattern, part) in zip(template, parts) {
            if pattern.hasPrefix("{") {
                values.append(String(part))
            } else if pattern != part {
                return nil
            }
        }
        return values
    }

    // MARK: Deprecation

    /// 2026-11-27, from which the former addresses are deprecated, as an RFC 9745 date.
    private static let deprecationDate = "@1795737600"

    /// The headers that name the successor of a deprecated route (RFC 9745); empty for other routes.
    ///
    /// - Parameter values: The values of the path parameters, which the successor has too.
    func deprecationHeaders(_ values: [String]) -> [WebHeader] {
        guard let successor else { return [] }
        var rest = values[...]
        let path = successor.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") ? rest.popFirst() ?? "" : String(part)
        }
        let address = WebRequest.address(path.joined(separator: "/"))
        return [
            (name: "Deprecation", value: Self.deprecationDate),
            (name: "Link", value: "<\(address)>; rel=\"successor-version\""),
        ]
    }
}
