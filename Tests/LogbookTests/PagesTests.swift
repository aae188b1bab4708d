import HostRuntime
import TestSupport
import Testing
import WebPages

@testable import Logbook
@testable import WebServer

@Suite struct PagesTests {
    private let folder: TemporaryFolder
    private let router: LogbookRouter

    init() throws {
        folder = try TemporaryFolder()
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "test", threshold: .critical))
        let room = LiveRoom(runtime: runtime, log: log)
        let commands = CommandService(room: room, runtime: runtime, log: log)
        let access = AccessControl(
            TokenFile(path: folder.path("tokens")), wall: .machine, runtime: runtime, log: log)
        let pages = Pages(of: PageClub(timeZone: "Europe/Berlin"))
        let records = RecordRequestHandler(
            reader: nil, writer: nil, room: room, history: AthleteHistory(in: .utc))
        let races = RaceService(room: room, commands: commands, path: nil, runtime: runtime, log: log)
        router = LogbookRouter(
            pages: pages, room: room, commands: commands, races: races,
            regattas: RegattaHandler(reader: nil, writer: nil, races: races, runtime: runtime, log: log),
            access: access, records: records,
            users: UserRequestHandler(
                nil, access: access, configuredAddress: "http://127.0.0.1:8080/", runtime: runtime, log: log),
            pieceLinks: PieceLinkHandler(
                records, access: access, pages: pages, configuredAddress: "http://127.0.0.1:8080/",
                runtime: runtime, log: log),
            uploads: UploadRequestHandler(records, nil, runtime: runtime, log: log),
            checkIn: CheckInService(
                for: .network, reader: nil, claims: ErgClaimService(room: room, commands: commands),
                runtime: runtime, log: log))
    }

    @Test(arguments: [
        ("", "en"), ("fr", "en"), ("fr, de;q=0.8, en;q=0.5", "de"), ("EN-us,de", "en"), ("de-AT", "de"),
    ])
    func servesPagesInTheLanguageOfTheBrowser(accepted: String, language: String) throws {
        for (query, expected) in [([], language), ([WebParameter(name: "lang", value: "de")], "de")] {
            let request = WebRequest(
                path: "/wall", query: query, client: ClientAddress([127, 0, 0, 1]), languages: accepted)
            guard case .file(let file) = router.answer(request) else {
                Issue.record("no page")
                continue
            }
            #expect(String(decoding: file.bytes, as: UTF8.self).contains("<html lang=\"\(expected)\""))
            #expect(file.varies == "Accept-Encoding, Accept-Language, Cookie")
        }
        guard case .file(let script) = answer("/assets/common/page.js") else {
            Issue.record("no script")
            return
        }
        #expect(script.varies == "Accept-Encoding")
    }

    @Test(arguments: [
        ("", "en", "(prefers-color-scheme: light), print"),
        ("rowgate-language=de; rowgate-theme=light", "de", "all"),
        ("rowgate-theme=dark", "en", "print"),
        ("rowgate-language=tlh; rowgate-theme=pink", "en", "(prefers-color-scheme: light), print"),
    ])
    func servesPagesAsTheSettingsSay(cookies: String, language: String, media: String) throws {
        guard case .file(let file) = answer("/wall", cookies: cookies) else {
            Issue.record("no page")
            return
        }
        let page = String(decoding: file.bytes, as: UTF8.self)
        #expect(page.contains("<html lang=\"\(language)\""))
        #expect(page.contains("media=\"\(media)\""))
        // The address has priority.
        let query = [WebParameter(name: "lang", value: "en"), WebParameter(name: "theme", value: "dark")]
        guard case .file(let asked) = answer("/wall", query: query, cookies: cookies) else {
            Issue.record("no page")
            return
        }
        let text = String(decoding: asked.bytes, as: UTF8.self)
        #expect(text.contains("<html lang=\"en\"") && text.contains("media=\"print\""))
    }

    private func answer(
        _ path: String, _ method: WebMethod = .get, query: [WebParameter] = [], body: String = "",
        cookies: String? = nil, isHere: Bool = true
    ) -> WebAnswer {
        router.answer(
            WebRequest(
                method, path: path, query: query, body: Array(body.utf8),
                client: ClientAddress(isHere ? [127, 0, 0, 1] : [192, 0, 2, 1]), cookies: cookies))
    }

    @Test func servesKnownAddressesOnly() {
        for path in [
            "/", "/wall", "/sessions", "/session", "/gateways", "/athletes", "/athlete",
            "/assets/wall/wall.html",
        ] {
            guard case .file(let file) = answer(path) else {
                Issue.record("no file at \(path)")
                continue
            }
            #expect(file.contentType == "text/html; charset=utf-8")
            #expect(file.entityTag.count == 18)
        }
        for path in [
            "/assets/", "/assets/../wall/wall.html", "/assets/wall", "/assets/common/shell.html",
            "/wall.html", "/api/v1", "", "/wall/",
        ] {
            guard case .failure(status: 404, _, _, _) = answer(path) else {
                Issue.record("something is at \(path)")
                continue
            }
        }
        guard case .stream("text/event-stream", _) = answer("/api/v1/live")
        else {
            Issue.record("no stream")
            return
        }
    }

    @Test func requiresSignIn() throws {
        for (path, place) in [
            ("/", "/sign-in"), ("/wall", "/sign-in"), ("/coach", "/sign-in?next=/coach"),
        ] {
            guard case .redirect(place) = answer(path, isHere: false) else {
                Issue.record("\(path) leads elsewhere")
                continue
            }
        }
        for (path, method) in [
            ("/api/v1/live", WebMethod.get), ("/api/v1/me", .get), ("/api/v1/session", .get),
            ("/api/v1/commands", .post),
        ] {
            guard case .failure(status: 401, _, _, _) = answer(path, method, isHere: false) else {
                Issue.record("\(path) is open")
                continue
            }
        }
        for (body, status) in [("", 400), ("{}", 400), (#"{"token":"abc"}"#, 401)] {
            let answer = answer("/api/v1/sign-in", .post, body: body)
            guard case .failure(UInt32(status), _, _, _) = answer else {
                Issue.record("\(body) is accepted")
                continue
            }
        }
        let token = Token(by: SystemRuntime())
        try TokenFile(path: folder.path("tokens")).replace(with: [
            TokenHolder(name: "anna", role: .coach, digest: token.digest, createdMilliseconds: 0)
        ])
        let body = #"{"token":"\#(token.printed)"}"#
        guard case .json(200, let bytes, let headers) = answer("/api/v1/sign-in", .post, body: body)
        else {
            Issue.record("the coach cannot sign in")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"name":"anna","role":"coach"}"#)
        let cookie = String(headers[0].value.prefix { $0 != ";" })
        guard case .file = answer("/coach", cookies: cookie, isHere: false) else {
            Issue.record("no page for the coach")
            return
        }
        // The command is only refused because the broker is not connected.
        let command = #"{"verb":"terminate","to":[{"gw":"b","erg":"e-1"}]}"#
        guard
            case .failure(status: 503, _, _, _) = answer(
                "/api/v1/commands", .post, body: command, cookies: cookie, isHere: false)
        else {
            Issue.record("the command is refused for another reason")
            return
        }
    }

    @Test(arguments: [
        ("/coach", ["gw": "boathouse"], "/sign-in?next=/coach%3Fgw%3Dboathouse"),
        ("/coach", ["lang": "de"], "/sign-in?next=/coach&lang=de"),
        (
            "/wall", ["gw": "b&c", "theme": "light"],
            "/sign-in?next=/wall%3Fgw%3Db%2526c&theme=light"
        ),
        ("/", ["gw": "boathouse"], "/sign-in?next=/wall%3Fgw%3Dboathouse"),
        ("/wall", ["lang": "de"], "/sign-in?lang=de"), ("/race", [:], "/sign-in?next=/race"),
    ])
    func signInLeadsBackToTheRequestedPage(path: String, query: [String: String], place: String) {
        let parameters = query.sorted { $0.key < $1.key }
            .map { WebParameter(name: $0.key, value: $0.value) }
        guard case .redirect(let found) = answer(path, query: parameters, isHere: false) else {
            Issue.record("\(path) is open")
            return
        }
        #expect(found == place)
    }

    @Test func doesNotRedirectSignedInUsers() throws {
        // The sign-in page would redirect them back, which is an endless loop.
        let tokens = Role.allCases.map { ($0, Token(by: SystemRuntime())) }
        try TokenFile(path: folder.path("tokens")).replace(
            with: tokens.map { role, token in
                TokenHolder(
                    name: role.rawValue, role: role, athlete: role == .athlete ? "zoe" : nil,
                    digest: token.digest, createdMilliseconds: 0)
            })
        for (role, token) in tokens {
            for path in ["/", "/wall", "/race", "/coach"] {
                let answer = answer(path, cookies: "rowgate=\(token.text)", isHere: false)
                switch answer {
                case .file: #expect(path != "/coach" || role.includes(.coach))
                case .failure(status: 403, "not_allowed", _, _):
                    #expect(path == "/coach" && !role.includes(.coach))
                default: Issue.record("\(role) at \(path): \(answer)")
                }
            }
        }
    }

    @Test func refusesOtherMethods() {
        let posts = [
            "/", "/race", "/coach", "/sessions", "/session", "/gateways", "/athletes", "/athlete",
            "/assets/wall/wall.js", "/api/v1/live", "/api/v1/me", "/api/v1/session",
        ]
        let gets = ["/api/v1/regattas", "/api/v1/commands", "/api/v1/sign-in", "/api/v1/sign-out"]
        for (path, method) in posts.map({ ($0, WebMethod.post) }) + gets.map({ ($0, .get) }) {
            for method in [method, .other] {
                guard case .failure(status: 405, _, _, _) = answer(path, method) else {
                    Issue.record("\(path) accepts \(method)")
                    continue
                }
            }
        }
    }
}
