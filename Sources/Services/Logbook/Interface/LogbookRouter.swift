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
    let regattas: RegattaHandler
    let access: AccessControl
    let records: RecordRequestHandler
    let users: UserRequestHandler
    let pieceLinks: PieceLinkHandler
    let uploads: UploadRequestHandler
    let checkIn: CheckInService

    /// The OpenAPI document of `/api/v1`.
    static let document = WebFile(PageFiles.openAPIDocument)

    func answer(_ request: WebRequest) -> WebAnswer {
        switch Route.matching(request.method, request.path) {
        case .found(let route, let values):
            switch route.target {
            case .page(let name): page(name, request, of: route)
            case .ergCard: Self.ergPage(values)
            case .sharedPiece: pieceLinks.page(values[0], request)
            case .endpoint(let endpoint):
                interface(endpoint, values, request, of: route)
                    .adding(route.deprecationHeaders(values))
            }
        case .otherMethod(let methods): .allowing(methods)
        case .unknown: asset(request)
        }
    }

    private static func ergPage(_ values: [String]) -> WebAnswer {
        let names = zip(["gw", "erg"], values).map { WebParameter(name: $0, value: $1) }
        return .redirect(to: WebRequest.address("/erg", names))
    }

    private func asset(_ request: WebRequest) -> WebAnswer {
        guard request.path.hasPrefix(Self.assets) else { return .notFound }
        guard request.method.isReading else { return .wrongMethod }
        return file(String(request.path.dropFirst(Self.assets.count)), request)
    }

    private func file(_ name: String, _ request: WebRequest) -> WebAnswer {
        pages[name, request].map { .file($0) } ?? .notFound
    }

    // MARK: Access

    /// Returns a page, or redirects to the sign-in. The page itself contains no data, but needs data to be
    /// useful.
    private func page(_ name: String, _ request: WebRequest, of route: Route) -> WebAnswer {
        guard let role = route.role else { return file(name, request) }
        return switch access.decision(for: request, needing: role) {
        case .allowed: file(name, request)
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

    private func interface(
        _ endpoint: Endpoint, _ pathValues: [String], _ request: WebRequest, of route: Route
    ) -> WebAnswer {
        var identity = AccessControl.Identity(name: nil, role: .wall)
        if let role = route.role {
            switch access.decision(for: request, needing: role) {
            case .denied(let answer):
                guard route.isForCheckIn, let place = try? ErgClaimService.place(pathValues),
                    checkIn.admits(request, to: place)
                else { return answer }
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
        case .live:
            return live(
                request, identity,
                LiveBoard.Scope(gateway: try parameters.gateway(), hasAllErgs: try parameters.hasAllErgs()))
        case .me, .guest: return Self.describe(identity, [])
        case .signIn: return signIn(request)
        case .signOut: return users.signOut(request)
        case .users, .addUser, .setUser, .removeUser, .removeDevice, .inviteUser, .revokeInvitation,
            .inviteAthlete, .ownDevices, .removeOwnDevice:
            return try users.answer(endpoint, pathValues, request, to: identity)
        case .checkInvitation: return try users.check(request)
        case .acceptInvitation: return try users.accept(request)
        case .addToPiece, .removeFromPiece:
            return try records.changeAdditions(endpoint, pathValues, request.body, by: identity)
        case .pieceLinks, .sharePiece, .revokePieceLink:
            return try pieceLinks.answer(endpoint, pathValues, request, to: identity)
        case .sharedPiece: return pieceLinks.result(pathValues[0], request)
        case .exportSharedPiece: return pieceLinks.table(pathValues[0], request)
        case .uploadAccounts, .connectUploads, .finishUploadAuthorization, .disconnectUploads,
            .sessionUploads,
            .uploadSession:
            return try uploads.answer(endpoint, pathValues, request.body, to: identity)
        case .ergCards:
            return try users.ergCards(of: pathValues[0], at: try parameters.address(), in: room)
        case .races: return races.create(request.body, by: identity.name ?? "")
        case .race: return races.handleAction(request.body, for: pathValues[0], by: identity.name ?? "")
        case .raceResults: return try regattas.raceResults(pathValues[0], to: identity)
        case .raceArchive:
            return try regattas.archive(
                after: try parameters.cursor(ArchiveCursor.self), limit: try parameters.limit(), to: identity)
        case .archivedRace: return try regattas.race(pathValues[0], to: identity)
        case .ergRaceResults: return try regattas.ergRaceFile(pathValues[0])
        case .regattas: return try regattas.create(request.body, by: identity)
        case .regatta: return try regattas.regatta(pathValues[0], to: identity)
        case .changeRegatta: return try regattas.change(pathValues[0], request.body, by: identity)
        case .removeRegatta: return try regattas.remove(pathValues[0], by: identity)
        case .regattaResults: return try regattas.results(pathValues[0])
        case .claimErg, .leaveErg:
            let place = try ErgClaimService.place(pathValues)
            return endpoint == .claimErg
                ? try claims.claim(place, request.body, by: identity) : try claims.leave(place, by: identity)
        case .ergLive: return ergLive(request, identity, try ErgClaimService.place(pathValues))
        case .checkInCode: return checkIn.code(for: identity)
        case .checkIn: return checkIn.status(try ErgClaimService.place(pathValues), request)
        case .beginCheckIn: return try checkIn.begin(try ErgClaimService.place(pathValues), request)
        case .finishCheckIn: return try checkIn.finish(try ErgClaimService.place(pathValues), request)
        case .leaveCheckIn: return try checkIn.leave(try ErgClaimService.place(pathValues), request)
        case .athleteChoice: return try roomDevices.athletes()
        case .assignErg:
            return try roomDevices.assign(try ErgClaimService.place(pathValues), request.body, by: identity)
        case .clearErg: return try roomDevices.clear(try ErgClaimService.place(pathValues), by: identity)
        case .commands: return commands.submit(request.body, from: identity.name ?? "")
        case .suggestionAnswer:
            return try records.answerSuggestion(request.body, of: pathValues, by: identity)
        case .heart: return try records.updateHeartLimits(request.body, of: pathValues[0], by: identity)
        case .addAthlete, .setAthlete, .removeAthlete, .importAthletes, .setGroup, .removeGroup:
            return try records.changePeople(endpoint, pathValues, request.body)
        case .correctAthlete, .restoreAthlete:
            return try records.correctAthlete(endpoint, pathValues, request.body, by: identity)
        case .mergeAthlete, .undoMerge:
            return try records.changeMerge(endpoint, pathValues[0], request.body, by: identity)
        case .setPlan, .deletePlan, .removePlan:
            return try records.changePlan(endpoint, pathValues[0], request.body)
        default: return try records.answer(endpoint, pathValues, parameters, to: RecordAccessPolicy(identity))
        }
    }

    private var claims: ErgClaimService { ErgClaimService(room: room, commands: commands) }

    private var roomDevices: RoomDeviceHandler { RoomDeviceHandler(reader: records.reader, claims: claims) }

    private func live(
        _ request: WebRequest, _ identity: AccessControl.Identity, _ scope: LiveBoard.Scope
    ) -> WebAnswer {
        let sources: [any LiveEventSource] = identity.role.includes(.coach) ? [races, commands] : [races]
        return stream(of: scope, with: sources) { [access] in access.isStillAllowed(request, as: identity) }
    }

    /// The stream of one erg, for its page.
    private func ergLive(
        _ request: WebRequest, _ identity: AccessControl.Identity, _ place: LiveBoard.Place
    ) -> WebAnswer {
        let scope = LiveBoard.Scope(gateway: place.gateway, erg: place.erg)
        if case .allowed = access.decision(for: request, needing: .wall) {
            return stream(of: scope) { [access] in
                access.isStillAllowed(request, as: identity)
            }
        }
        return stream(of: scope) { [checkIn] in checkIn.admits(request, to: place) }
    }

    private func stream(
        of scope: LiveBoard.Scope, with sources: [any LiveEventSource] = [],
        while mayRead: @escaping @Sendable () -> Bool
    ) -> WebAnswer {
        guard room.hasCapacity else {
            return .failure(
                status: 503, code: "too_many_readers",
                message: "\(LiveRoom.maximumReaders) readers are connected already; close a page")
        }
        return .stream(contentType: "text/event-stream") { [room] waker in
            room.open(waker, of: scope, with: sources, while: mayRead)
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

    static func describe(_ identity: AccessControl.Identity, _ headers: [WebHeader]) -> WebAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", identity.name)
        writer.field("role", identity.role.rawValue)
        writer.field("athlete_id", identity.athlete)
        writer.endObject()
        return .json(writer.bytes, headers: headers)
    }
}
