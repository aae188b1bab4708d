import HostRuntime
import TestSupport
import Testing

@testable import Logbook
@testable import WebServer

/// Each route with each role.
@Suite struct RouteTests {
    private let fixture: InterfaceFixture

    init() throws { fixture = try InterfaceFixture() }

    /// The caller of a route; nil for a client without a token that may not see the wall.
    private static let callers: [Role?] = [nil] + Role.allCases

    private func isAllowed(_ route: Route, to caller: Role?) -> Bool {
        guard let role = route.role else { return true }
        return caller?.includes(role) ?? false
    }

    private func answer(_ route: Route, as role: Role?) async -> WebAnswer {
        let path = route.path.replacing(/\{\w+\}/, with: "unknown")
        return await fixture.answer(path: path, as: role, route.method)
    }

    @Test func eachRouteAnswersItsRolesAndNoOthers() async {
        for route in Route.all where route.role != nil || !route.isForCheckIn {
            for caller in Self.callers {
                let expected: UInt32? = isAllowed(route, to: caller) ? nil : caller == nil ? 401 : 403
                let found: UInt32? =
                    switch await answer(route, as: caller) {
                    case .failure(let status, _, _, _) where [401, 403].contains(status): status
                    // A page redirects a client without a token to the sign-in.
                    case .redirect(let place) where place.hasPrefix("/sign-in"): 401
                    default: nil
                    }
                #expect(found == expected, "\(route.method) \(route.path) as \(String(describing: caller))")
            }
        }
    }

    @Test func routesOfCheckInsAreClosedForEachRoleByDefault() async {
        let routes = Route.all.filter { $0.role == nil && $0.isForCheckIn }
        #expect(routes.count == 3)
        for route in routes {
            let path = route.path.replacing("{gw}", with: "boathouse").replacing("{erg}", with: "erg-1")
            for caller in Self.callers {
                let expected = route.method == .delete ? "check_in_over" : "check_in_closed"
                guard
                    case .failure(_, expected, _, _) = await fixture.answer(
                        path: path, as: caller, route.method)
                else {
                    Issue.record("\(route.method) \(path) as \(String(describing: caller))")
                    continue
                }
            }
        }
    }

    @Test func roomDevicesGetNoHistoriesExportsOrManagement() {
        let allowed = Set(
            Route.all.filter { isAllowed($0, to: .room) && !isAllowed($0, to: .wall) }.map {
                "\($0.method.rawValue) \($0.path)"
            })
        #expect(
            allowed == [
                "GET /check-in", "GET /api/v1/check-in/athletes", "POST /api/v1/ergs/{gw}/{erg}/assignment",
                "DELETE /api/v1/ergs/{gw}/{erg}/assignment",
            ])
        #expect(!Role.athlete.includes(.room) && !Role.room.includes(.athlete))
    }

    @Test func eachEndpointHasOneRoute() {
        for endpoint in Endpoint.allCases {
            #expect(Route.all.count { $0.target == .endpoint(endpoint) } == 1, "\(endpoint)")
        }
        let addresses = Route.all.map { "\($0.method.rawValue) \($0.path)" }
        #expect(Set(addresses).count == addresses.count)
    }

    @Test func pagesKnowTheirAddressesAndMenu() throws {
        let files = Route.pages.compactMap { route in
            if case .page(let file) = route.target { "  '\(route.path)': '\(file)',\n" } else { nil }
        }
        let entries = Route.pages.compactMap { route in
            route.menuEntry.map {
                "  { path: '\(route.path)', title: '\($0.title)', role: '\($0.role.rawValue)', "
                    + "isOfRoom: \($0.isOfRoom) },\n"
            }
        }
        let roles = Role.allCases.map { role in
            let included = Role.allCases.filter { role.includes($0) }.map { "'\($0.rawValue)'" }
            return "  \(role.rawValue): [\(included.joined(separator: ", "))],\n"
        }
        let text = """
            // The addresses of the pages, their menu, and the roles. RouteTests.swift writes this file from Routes.swift.
            /** The file of each page, by path. */
            export const PAGES = {
            \(files.joined())};

            /** The roles that each role includes. */
            const ROLES = {
            \(roles.joined())};

            /**
             * Whether a user of a role may use what needs the role `least`. Guests have no role, or the role of the wall.
             * @type {(role: string, least: string) => boolean}
             */
            export const isAtLeast = (role, least) => (ROLES[role] || []).indexOf(least) >= 0;

            /**
             * The menu of all pages. `title` is a key of the strings; `role` is the role that has a use for the page.
             * @type {{ path: string, title: string, role: string, isOfRoom: boolean }[]}
             */
            export const MENU = [
            \(entries.joined())];

            """
        #expect(
            try generatedText("Sources/Services/WebPages/Files/common/routes.js", for: text) == text,
            "run this test with ROWGATE_UPDATE_GOLDEN=1")
    }

    @Test func documentationListsEachRouteWithItsRoles() throws {
        let rows = Route.all.map { route in
            let use =
                switch route.target {
                case .page(let file): "page `\(file)`"
                case .endpoint(let endpoint): "`\(endpoint)`"
                case .ergCard: "redirects to `/erg`"
                case .sharedPiece: "page `group/shared.html`, for a valid link only"
                }
            let marks = Self.callers.map { caller in
                guard route.isForCheckIn else { return isAllowed(route, to: caller) ? "yes" : "–" }
                return route.role != nil && isAllowed(route, to: caller) ? "yes" : "check-in"
            }
            let name = "`\(route.method.rawValue) \(route.path)`"
            let deprecated = route.successor.map { ", deprecated for `\($0)`" } ?? ""
            return "| \(name) | \(use)\(deprecated) | \(marks.joined(separator: " | ")) |\n"
        }
        let roles = Role.allCases.map(\.rawValue).joined(separator: " | ")
        let text = """
            # Routes

            Every page and every operation of the HTTP interface, and the roles that may use it.

            `RouteTests.swift` writes this page from `Routes.swift`, and sends each request with each role and without a
            token. "No token" is a client that `http.open_wall` does not let see the wall; with an open wall, a client
            without a token has the role `wall`. Files below `/assets/` are open to all. An athlete gets only data of that
            athlete, even where the route is open to the role: see `Interface.md`. "check-in" means phones that check in
            with the code on the wall, if `http.open_check_in` allows it.

            | request | use | no token | \(roles) |
            |---|---|---|\(Role.allCases.map { _ in "---|" }.joined())
            \(rows.joined())
            """
        let page = "Sources/Services/Logbook/Documentation.docc/Routes.md"
        #expect(
            try generatedText(page, for: text) == text, "run this test with ROWGATE_UPDATE_GOLDEN=1")
    }

    @Test func formerAddressesAnswerAndNameTheirSuccessors() async throws {
        for (method, path, successor) in [
            (WebMethod.get, "/api/v1/session", "/api/v1/me"),
            (.post, "/api/v1/plans/winter/remove", "/api/v1/plans/winter"),
        ] {
            let headers: [WebHeader] =
                switch await fixture.answer(path: path, as: .coach, method) {
                case .json(_, _, let headers), .failure(_, _, _, let headers): headers
                default: []
                }
            let date = try #require(headers.first { $0.name == "Deprecation" }?.value)
            #expect(date.wholeMatch(of: /@[0-9]+/) != nil)
            #expect(
                headers.first { $0.name == "Link" }?.value == "<\(successor)>; rel=\"successor-version\"")
        }
        guard case .json(200, let former, _) = await fixture.answer(path: "/api/v1/session", as: .coach),
            case .json(200, let new, let headers) = await fixture.answer(path: "/api/v1/me", as: .coach)
        else {
            Issue.record("no answer")
            return
        }
        #expect(former == new && headers.isEmpty)
    }
}
