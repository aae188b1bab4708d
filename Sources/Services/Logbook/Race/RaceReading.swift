import Bytes
import Timeline

/// What the board has of an erg, as far as a race wants to know.
struct RaceReading: Equatable, Sendable {
    struct Rower: Equatable, Sendable {
        var athlete: String?
        var name: String?
    }

    /// So far into a piece two clocks stay together to a hundredth of a second.
    private static let exact = Duration.seconds(60)

    /// The word of `state`.
    private let state: String
    let stateHeard: BootInstant
    /// Nobody sits there where both are nil.
    let who: Rower
    /// Of the state.
    let session: String?
    /// When the piece began, by the time that the monitor shows: in the beginning alone, since its
    /// clock and ours do not run equally fast.
    let began: BootInstant?
    /// The same of a piece that is under way for long.
    private let longBegan: BootInstant?
    /// The same by its result.
    private let resultBegan: BootInstant?
    /// The newest summary.
    let result: RaceResult?
    private let target: RaceTerms.Piece?

    /// nil as long as the erg has no state.
    init?(_ messages: [LiveBoard.Kind: LiveBoard.Message]) {
        guard let message = messages[.state], let fields = Self.object(message),
            let state = fields.text("state")
        else { return nil }
        self.state = state
        stateHeard = message.since
        who = Rower(
            athlete: fields.text("athlete_id"),
            name: fields.text("athlete_name").map { String($0.prefix(80)) })
        session = fields.text("session_id")
        target = Self.target(fields)
        let live = Self.beginning(messages[.live])
        began = live.flatMap { $0.elapsed <= Self.exact ? $0.began : nil }
        longBegan = live?.began
        let newest = Self.newest([messages[.summary], messages[.lastSummary]])
        result = newest?.result
        resultBegan = newest?.began
    }

    /// When a session of which the beginning was not heard began.
    func roughlyBegan(_ session: String) -> BootInstant? {
        state == "rowing" ? longBegan : result?.session == session ? resultBegan : nil
    }

    /// Whether its monitor waits for the first stroke of this piece.
    func isSet(to piece: RaceTerms.Piece) -> Bool { state == "ready" && target == piece }

    var isUnderWay: Bool { ["rowing", "paused", "resting", "finished"].contains(state) }

    private static func object(_ message: LiveBoard.Message?) -> JSONObject? {
        message.flatMap { try? JSONObject(parsing: $0.payload) }
    }

    private static func target(_ fields: JSONObject) -> RaceTerms.Piece? {
        switch fields.text("session_type") {
        case "distance": fields.decimal("target_distance_m").map { .distance(meters: Int($0)) }
        case "time": fields.decimal("target_time_s").map { .time(seconds: Int($0)) }
        default: nil
        }
    }

    private static func beginning(
        _ live: LiveBoard.Message?
    ) -> (began: BootInstant, elapsed: Duration)? {
        guard let live, let fields = object(live), fields.text("state") == "rowing",
            fields["stale"] != .flag(true), let elapsed = fields.units("elapsed_s", places: 2)
        else { return nil }
        let passed = Duration.milliseconds(elapsed * 10)
        return (live.since.earlier(by: passed), passed)
    }

    private static func newest(
        _ messages: [LiveBoard.Message?]
    ) -> (result: RaceResult, began: BootInstant)? {
        let all = messages.compactMap { message in
            message.flatMap { message in object(message).map { (message, $0) } }
        }
        let order = { (one: JSONObject) in
            (one.number("ended_ms") ?? 0, one.number("revision") ?? 0)
        }
        guard let (message, fields) = all.max(by: { order($0.1) < order($1.1) }),
            let result = RaceResult(fields)
        else { return nil }
        return (result, message.since.earlier(by: .milliseconds(result.centiseconds * 10)))
    }
}
