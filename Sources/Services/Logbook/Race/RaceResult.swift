import Bytes
import Contract

/// The result of a piece, from the monitor's summary.
struct RaceResult: Equatable, Sendable {
    let session: String
    let revision: UInt64
    /// Whether the piece was rowed to its end, and the gateway received or could compute its result.
    let isComplete: Bool
    let centiseconds: Int64
    let decimeters: Int64
    var paceCentiseconds: Int64?
    var watts: Int64?
    var strokeRate: Int64?
    /// Whether the monitor's own result agrees; nil if the monitor sent none.
    var isVerified: Bool?

    func equals(_ other: Self, _ piece: RaceSettings.Piece) -> Bool {
        !isBetter(than: other, over: piece) && !other.isBetter(than: self, over: piece)
    }

    /// Whether this result is better. Incomplete results are compared by distance.
    func isBetter(than other: Self, over piece: RaceSettings.Piece) -> Bool {
        if case .distance = piece, isComplete, other.isComplete {
            return centiseconds < other.centiseconds
        }
        return decimeters > other.decimeters
    }
}

extension RaceResult {
    /// Reads a summary or a stored result.
    init?(_ fields: JSONObject) {
        let result = RecordedResult(fields)
        guard let session = fields.text("session_id"), let revision = fields.number("revision"),
            let centiseconds = fields.units(result.timeField, places: 2),
            let decimeters = fields.units(result.distanceField, places: 1)
        else { return nil }
        self.init(
            session: session, revision: revision, isComplete: result.isComplete,
            centiseconds: centiseconds, decimeters: decimeters)
        paceCentiseconds = fields.units("avg_pace_s_per_500m", places: 2)
        watts = fields.units("avg_power_w", places: 0)
        strokeRate = fields.units("avg_stroke_rate_spm", places: 0)
        if case .flag(let isVerified)? = fields["verified_against_pm5"] {
            self.isVerified = isVerified
        }
    }

    /// Writes the result with the field names of a summary.
    func write(to json: inout JSONWriter) {
        json.field("session_id", session)
        json.field("revision", revision)
        json.field("complete", isComplete)
        json.field("result_time_s", centiseconds, places: 2)
        json.field("distance_m", decimeters, places: 1)
        json.field("avg_pace_s_per_500m", paceCentiseconds, places: 2)
        json.field("avg_power_w", watts)
        json.field("avg_stroke_rate_spm", strokeRate)
        json.field("verified_against_pm5", isVerified)
    }
}

extension JSONObject {
    /// Returns a decimal in units of 10 to the power of minus `places`; nil outside of 0 ..< 10^9.
    func units(_ name: String, places: Int) -> Int64? {
        guard let value = decimal(name), (0..<1e9).contains(value) else { return nil }
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return Int64((value * scale).rounded())
    }
}
