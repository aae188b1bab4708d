import Bests
import Bytes
import Contract

/// A workout that is suggested: what a monitor can be given, and what it is to come to.
package struct SuggestedWorkout: Equatable, Sendable {
    /// As it stands on a whiteboard, with its targets: `4x500m/1:00r@195-211w`.
    package let row: String
    /// The same without targets, which a session is known again by.
    package let plain: String
    /// Watts from where to where it is as it was meant; nil where power is not asked for.
    package let watts: ClosedRange<Int>?

    /// A hand that holds a power wavers by 3 to 6 %: percent about the middle of a band.
    static let bandPercent = 4.0
    /// Minutes of a steady piece, at most.
    static let mostMinutes = 90

    /// With a band of watts; nil of what a monitor cannot be given.
    init?(_ plain: String, watts: ClosedRange<Int>) {
        self.init(plain, "\(watts.lowerBound)-\(watts.upperBound)w", watts)
    }

    /// About so many watts.
    init?(_ plain: String, about watts: Double) {
        let low = Int((watts * (1 - Self.bandPercent / 100)).rounded())
        let high = Int((watts * (1 + Self.bandPercent / 100)).rounded())
        guard low > 0, low < high else { return nil }
        self.init(plain, watts: low...high)
    }

    /// With a band of paces, in seconds for 500 m: a rower's and a skier's.
    init?(_ plain: String, pace: ClosedRange<Double>) {
        func power(_ pace: Double) -> Int {
            let point = RowedPoint(
                centiseconds: Int64((pace * 100).rounded()), decimetres: 5000)
            return Int(point.watts(on: .rower).rounded())
        }
        let ends = [pace.lowerBound, pace.upperBound].map(Self.text)
        self.init(
            plain, "\(ends[0])-\(ends[1])", power(pace.upperBound)...power(pace.lowerBound))
    }

    /// Easy: a steady piece of whole minutes, by power where zones are known, else by rate.
    init?(easyMinutes minutes: Int, _ watts: ClosedRange<Int>?) {
        guard (5...Self.mostMinutes).contains(minutes) else { return nil }
        let plain = RowedWorkout.Extent.clock(minutes * 60)
        if let watts {
            self.init(plain, watts: watts)
        } else {
            self.init(plain, "18-20spm", nil)
        }
    }

    private init?(_ plain: String, _ target: String, _ watts: ClosedRange<Int>?) {
        // In a list each interval has a target of its own.
        row = plain.split(separator: "+").map { "\($0)@\(target)" }.joined(separator: "+")
        (self.plain, self.watts) = (plain, watts)
        guard (try? WorkoutOrder(parsing: row)) != nil else { return nil }
    }

    /// The fields of the command `workout`.
    package var order: [UInt8] {
        (try? WorkoutNotation(parsing: row))?.json ?? Array("{}".utf8)
    }

    /// `1:52.5`.
    private static func text(_ pace: Double) -> String {
        let tenths = Int((pace * 10).rounded())
        return "\(RowedWorkout.Extent.clock(tenths / 10)).\(tenths % 10)"
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        json.field("row", row)
        json.field("plain", plain)
        json.field("power_min_w", watts?.lowerBound)
        json.field("power_max_w", watts?.upperBound)
        json.key("order")
        json.value(json: order)
    }
}

extension SuggestedWorkout {
    /// As it stands in a suggestion; nil of what is none.
    package init?(_ fields: JSONObject) {
        guard let row = fields.text("row"), let plain = fields.text("plain"),
            (try? WorkoutOrder(parsing: row)) != nil
        else { return nil }
        (self.row, self.plain) = (row, plain)
        if let low = fields.number("power_min_w"), let high = fields.number("power_max_w"),
            low <= high
        {
            watts = Int(low)...Int(high)
        } else {
            watts = nil
        }
    }
}
