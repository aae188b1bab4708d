import Bests
import Bytes
import Contract

/// A suggested workout and its target.
package struct SuggestedWorkout: Equatable, Sendable {
    /// In notation with targets: `4x500m/1:00r@195-211w`.
    package let notation: String
    /// The same without targets, for the comparison with sessions.
    package let plainNotation: String
    /// Watts that meet the target; nil without a power target.
    package let watts: ClosedRange<Int>?

    /// Half width of a band, in percent of its middle: rowers who hold a power vary by 3 to 6 %.
    static let bandPercent = 4.0
    /// Maximum minutes of a steady piece.
    static let mostMinutes = 90

    /// With a power band; nil if a monitor cannot be set to it.
    init?(_ plain: String, watts: ClosedRange<Int>) {
        self.init(plain, "\(watts.lowerBound)-\(watts.upperBound)w", watts)
    }

    /// With a band about a power.
    init?(_ plain: String, about watts: Double) {
        let low = Int((watts * (1 - Self.bandPercent / 100)).rounded())
        let high = Int((watts * (1 + Self.bandPercent / 100)).rounded())
        guard low > 0, low < high else { return nil }
        self.init(plain, watts: low...high)
    }

    /// With a band of paces in seconds per 500 m; for rower and SkiErg.
    init?(_ plain: String, pace: ClosedRange<Double>) {
        func power(_ pace: Double) -> Int {
            let point = WorkPoint(
                centiseconds: Int64((pace * 100).rounded()), decimetres: 5000)
            return Int(point.watts(on: .rower).rounded())
        }
        let ends = [pace.lowerBound, pace.upperBound].map(Self.text)
        self.init(
            plain, "\(ends[0])-\(ends[1])", power(pace.upperBound)...power(pace.lowerBound))
    }

    /// A steady easy piece of whole minutes; by power if zones are known, else by stroke rate.
    init?(easyMinutes minutes: Int, _ watts: ClosedRange<Int>?) {
        guard (5...Self.mostMinutes).contains(minutes) else { return nil }
        let plain = WorkoutResult.Extent.clock(minutes * 60)
        if let watts {
            self.init(plain, watts: watts)
        } else {
            self.init(plain, "18-20spm", nil)
        }
    }

    private init?(_ plain: String, _ target: String, _ watts: ClosedRange<Int>?) {
        // In a list each interval has its own target.
        notation = plain.split(separator: "+").map { "\($0)@\(target)" }.joined(separator: "+")
        (plainNotation, self.watts) = (plain, watts)
        guard (try? WorkoutRequest(parsing: notation)) != nil else { return nil }
    }

    /// The fields of the command `workout`.
    package var order: [UInt8] {
        (try? WorkoutNotation(parsing: notation))?.json ?? Array("{}".utf8)
    }

    /// `1:52.5`.
    private static func text(_ pace: Double) -> String {
        let tenths = Int((pace * 10).rounded())
        return "\(WorkoutResult.Extent.clock(tenths / 10)).\(tenths % 10)"
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("row", notation)
        json.field("plain", plainNotation)
        json.field("power_min_w", watts?.lowerBound)
        json.field("power_max_w", watts?.upperBound)
        json.key("order")
        json.value(json: order)
    }
}

extension SuggestedWorkout {
    /// Reads a suggestion's workout; nil if it is invalid.
    package init?(_ fields: JSONObject) {
        guard let row = fields.text("row"), let plain = fields.text("plain"),
            (try? WorkoutRequest(parsing: row)) != nil
        else { return nil }
        (notation, plainNotation) = (row, plain)
        if let low = fields.number("power_min_w"), let high = fields.number("power_max_w"),
            low <= high
        {
            watts = Int(low)...Int(high)
        } else {
            watts = nil
        }
    }
}
