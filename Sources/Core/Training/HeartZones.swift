import Bests
import Bytes

/// An athlete's resting and maximal heart rate, entered by the athlete or a coach.
package struct HeartLimits: Equatable, Sendable {
    /// Beats per minute.
    package let resting: Int
    package let maximal: Int
    /// Unix milliseconds: when they were entered.
    package let givenAt: Int64

    /// Plausible resting heart rates; values outside are typing errors.
    package static let restingRange = 25...120
    package static let maximalRange = 100...240
    /// Minimum difference between the two; below it a zone would be a beat or two wide.
    package static let leastReserve = 40

    /// nil for implausible rates.
    package init?(resting: Int, maximal: Int, givenAt: Int64) {
        guard Self.restingRange.contains(resting), Self.maximalRange.contains(maximal),
            maximal - resting >= Self.leastReserve
        else { return nil }
        (self.resting, self.maximal, self.givenAt) = (resting, maximal, givenAt)
    }
}

/// An athlete's heart rate zones: fractions of the reserve between resting and maximal rate. They are the
/// same on all machines and need no results.
package struct HeartZones: TrainingZones {
    package let basis: FigureBasis
    package let limits: HeartLimits
    package let bounds: [Int]

    package static let formula = "resting rate + percent of (maximal - resting rate)"
    package static let timeFormula =
        "sum of the time of the strokes whose heart rate is in the zone"
    /// Lower bounds of UT2, UT1, AT, TR and AN; there is no zone above AN. Rule of thumb of Irish rowing's
    /// guide, whose author refers to the heart rate reserve.
    package static let percents = [55, 70, 80, 85, 95]

    /// - Parameter limits: nil if none were entered.
    package static func of(_ limits: HeartLimits?) -> Result<HeartZones, MissingReason> {
        limits.map { .success(HeartZones($0)) } ?? .failure(MissingReason(.noHeartLimits))
    }

    private init(_ limits: HeartLimits) {
        self.limits = limits
        basis = FigureBasis(.ruleOfThumb, Self.formula, of: [], on: limits.givenAt)
        let reserve = limits.maximal - limits.resting
        bounds = Self.percents.map { limits.resting + ($0 * reserve + 99) / 100 }
    }

    package func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64] {
        heart.time(between: bounds)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.field("resting_bpm", limits.resting)
        json.field("maximal_bpm", limits.maximal)
        writeBounds(into: &json, from: "from_bpm", to: "to_bpm")
    }
}
