/// What can be asked for under `/api/v1`, by its address: a part in braces stands for any name.
///
/// `config/schema/openapi.json` describes each of them; a test holds the two against each other.
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

    /// What all addresses begin with.
    static let root = "/api/v1"

    /// Whether it is asked for by POST; all others by GET and HEAD.
    var isPost: Bool {
        switch self {
        case .signIn, .signOut, .commands, .suggestionAnswer, .heart, .setPlan, .removePlan,
            .races, .race:
            true
        default: false
        }
    }

    /// What it takes; nil where nothing is told that anybody might not know.
    var role: Role? {
        switch self {
        case .document, .health, .signIn, .signOut: nil
        case .live, .guest, .raceResults: .wall
        case .records, .gateways, .streams, .commands, .races, .race, .setPlan, .removePlan: .coach
        default: .athlete
        }
    }

    /// What may stand behind the question mark.
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

    /// A name behind the question mark.
    enum Parameter: String, CaseIterable, Sendable {
        case gateway = "gw"
        case erg
        case athlete = "athlete_id"
        case state, from, to, limit, cursor, format, kind
        case length = "by"
        case season
    }

    /// The endpoint at a path, and what stands for the parts in braces, in order.
    static func at(_ path: String) -> (Endpoint, names: [String])? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        for endpoint in allCases {
            if let names = endpoint.names(in: parts) { return (endpoint, names) }
        }
        return nil
    }

    private func names(in parts: [Substring]) -> [String]? {
        let own = rawValue.split(separator: "/", omittingEmptySubsequences: false)
        guard own.count == parts.count else { return nil }
        var names: [String] = []
        for (own, part) in zip(own, parts) {
            if own.hasPrefix("{") {
                names.append(String(part))
            } else if own != part {
                return nil
            }
        }
        return names
    }
}
