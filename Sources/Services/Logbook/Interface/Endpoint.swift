/// The endpoints under `/api/v1`, by path. A part in braces is a path parameter.
///
/// The case values are the operation ids in `config/schema/openapi.json`. A test compares the two.
enum Endpoint: String, CaseIterable, Sendable {
    case document = "/api/v1/openapi.json"
    case health = "/api/v1/health"
    case live = "/api/v1/live"
    case guest = "/api/v1/session"
    case signIn = "/api/v1/sign-in"
    case signOut = "/api/v1/sign-out"
    case commands = "/api/v1/commands"
    case races = "/api/v1/races"
    case race = "/api/v1/races/{race_id}"
    case raceResults = "/api/v1/races/{race_id}/results"
    case gateways = "/api/v1/gateways"
    case streams = "/api/v1/gateways/{gw}/streams"
    case athletes = "/api/v1/athletes"
    case athlete = "/api/v1/athletes/{athlete_id}"
    case records = "/api/v1/records"
    case volume = "/api/v1/athletes/{athlete_id}/volume"
    case training = "/api/v1/athletes/{athlete_id}/training"
    case heart = "/api/v1/athletes/{athlete_id}/heart"
    case suggestions = "/api/v1/athletes/{athlete_id}/suggestions"
    case suggestionAnswer = "/api/v1/athletes/{athlete_id}/suggestions/{suggestion_id}"
    case athletePlans = "/api/v1/athletes/{athlete_id}/plans"
    case plans = "/api/v1/plans"
    case plan = "/api/v1/plans/{plan_id}"
    case setPlan = "/api/v1/plans/{plan_id}/set"
    case removePlan = "/api/v1/plans/{plan_id}/remove"
    case exportPlan = "/api/v1/plans/{plan_id}/export"
    case adherence = "/api/v1/plans/{plan_id}/adherence"
    case sessions = "/api/v1/sessions"
    case exportSessions = "/api/v1/sessions/export"
    case session = "/api/v1/sessions/{gw}/{session_id}"
    case strokes = "/api/v1/sessions/{gw}/{session_id}/strokes"
    case forces = "/api/v1/sessions/{gw}/{session_id}/forces"
    case splits = "/api/v1/sessions/{gw}/{session_id}/splits"
    case gaps = "/api/v1/sessions/{gw}/{session_id}/gaps"
    case rollups = "/api/v1/sessions/{gw}/{session_id}/rollups"
    case alerts = "/api/v1/sessions/{gw}/{session_id}/alerts"
    case sessionTraining = "/api/v1/sessions/{gw}/{session_id}/training"
    case export = "/api/v1/sessions/{gw}/{session_id}/export"

    /// The common prefix of all paths.
    static let root = "/api/v1"

    /// Whether the method is POST; all others allow GET and HEAD.
    var isPost: Bool {
        switch self {
        case .signIn, .signOut, .commands, .suggestionAnswer, .heart, .setPlan, .removePlan,
            .races, .race:
            true
        default: false
        }
    }

    /// The required role; nil for public endpoints.
    var role: Role? {
        switch self {
        case .document, .health, .signIn, .signOut: nil
        case .live, .guest, .raceResults: .wall
        case .records, .gateways, .streams, .commands, .races, .race, .setPlan, .removePlan: .coach
        default: .athlete
        }
    }

    /// The allowed query parameters.
    var parameters: [Parameter] {
        switch self {
        case .live: [.gateway]
        case .sessions: [.gateway, .erg, .athlete, .state, .from, .to, .limit, .cursor]
        case .streams, .athletes, .strokes, .forces, .splits, .gaps, .rollups, .alerts:
            [.limit, .cursor]
        case .export: [.format, .kind]
        case .exportSessions: [.format, .kind, .gateway, .erg, .athlete, .state, .from, .to]
        case .volume, .training: [.length, .season]
        case .exportPlan: [.format]
        case .adherence: [.athlete]
        default: []
        }
    }

    /// The name of a query parameter.
    enum Parameter: String, CaseIterable, Sendable {
        case gateway = "gw"
        case erg
        case athlete = "athlete_id"
        case state, from, to, limit, cursor, format, kind
        case length = "by"
        case season
    }

    /// Returns the endpoint at a path, and the values of its path parameters in order.
    static func matching(_ path: String) -> (Endpoint, values: [String])? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for endpoint in allCases {
            if let values = endpoint.parameterValues(in: parts) { return (endpoint, values) }
        }
        return nil
    }

    private func parameterValues(in parts: [Substring]) -> [String]? {
        let template = rawValue.split(separator: "/", omittingEmptySubsequences: false)
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
}
