import Bytes
import Timeline

/// The state of an erg on the board, as far as a race needs it.
struct ErgSnapshot: Equatable, Sendable {
    struct Rower: Equatable, Sendable {
        var athlete: String?
        var name: String?
    }

    /// Within this time, the clocks of a monitor and this machine differ by less than 10 ms.
    private static let exactTime = Duration.seconds(60)

    /// The `state` field of the `state` message.
    private let state: String
    let stateTime: BootInstant
    /// The assigned athlete; both fields are nil if no athlete is assigned.
    let rower: Rower
    /// The session in the `state` message.
    let session: String?
    /// The start of the piece, calculated from the monitor's elapsed time. Only for the first 60 s, because
    /// the clocks drift apart.
    let pieceBegan: BootInstant?
    /// The same after more than 60 s, less exact.
    private let approximatePieceBegan: BootInstant?
    /// The start of the newest result's piece, calculated from its time.
    private let resultPieceBegan: BootInstant?
    /// The result in the newest summary.
    let result: RaceResult?
    private let target: RaceSettings.Piece?

    /// Returns nil if the erg has no `state` message.
    init?(_ messages: [LiveBoard.Kind: LiveBoard.Message]) {
        guard let message = messages[.state], let fields = Self.object(message),
            let state = fields.text("state")
        else { return nil }
        self.state = state
        stateTime = message.timestamp
        rower = Rower(
            athlete: fields.text("athlete_id"),
            name: fields.text("athlete_name").map { String($0.prefix(80)) })
        session = fields.text("session_id")
        target = Self.target(fields)
        let live = Self.beginning(messages[.live])
        pieceBegan = live.flatMap { $0.elapsed <= Self.exactTime ? $0.began : nil }
        approximatePieceBegan = live?.began
        let newest = Self.newest([messages[.summary], messages[.lastSummary]])
        result = newest?.result
        resultPieceBegan = newest?.began
    }

    /// Returns the approximate start of a session whose first minute was not received.
    func approximateStart(of session: String) -> BootInstant? {
        state == "rowing"
            ? approximatePieceBegan : result?.session == session ? resultPieceBegan : nil
    }

    /// Whether the monitor is set to this piece and waits for the first stroke.
    func isSet(to piece: RaceSettings.Piece) -> Bool { state == "ready" && target == piece }

    /// Whether the piece has started.
    var hasStarted: Bool { ["rowing", "paused", "resting", "finished"].contains(state) }

    private static func object(_ message: LiveBoard.Message?) -> JSONObject? {
        message.flatMap { try? JSONObject(parsing: $0.payload) }
    }

    private static func target(_ fields: JSONObject) -> RaceSettings.Piece? {
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
        return (live.timestamp.earlier(by: passed), passed)
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
        return (result, message.timestamp.earlier(by: .milliseconds(result.centiseconds * 10)))
    }
}
