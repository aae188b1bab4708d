import Bests
import Bytes

/// Somebody's resting and maximal heart rate, as they or their coach gave them.
package struct HeartLimits: Equatable, Sendable {
    /// Beats a minute.
    package let resting: Int
    package let maximal: Int
    /// Unix milliseconds: when they were given.
    package let givenAt: Int64

    /// What a heart at rest does; below and above, somebody has mistyped.
    package static let restingRange = 25...120
    package static let maximalRange = 100...240
    /// Between the two at least: zones of less would be a beat or two wide.
    package static let leastReserve = 40

    /// nil for what is no human's.
    package init?(resting: Int, maximal: Int, givenAt: Int64) {
        guard Self.restingRange.contains(resting), Self.maximalRange.contains(maximal),
            maximal - resting >= Self.leastReserve
        else { return nil }
        (self.resting, self.maximal, self.givenAt) = (resting, maximal, givenAt)
    }
}

/// Somebody's zones by heart rate: shares of the reserve between resting and maximal rate. They are the
/// same on all machines, and take no result, but the two rates.
package struct HeartZones: TrainingZones {
    package let basis: FigureBasis
    package let limits: HeartLimits
    package let bounds: [Int]

    package static let formula = "resting rate + percent of (maximal - resting rate)"
    package static let timeFormula =
        "sum of the time of the strokes whose heart rate is in the zone"
    /// Where UT2, UT1, AT, TR and AN begin; nothing is above AN. Rule of thumb of Irish rowing's guide,
    /// whose author means the reserve.
    package static let percents = [55, 70, 80, 85, 95]

    /// - Parameter limits: nil where nobody gave them.
    package static func of(_ limits: HeartLimits?) -> Told<HeartZones> {
        limits.map { .success(HeartZones($0)) } ?? .failure(Lack(.noHeartLimits))
    }

    private init(_ limits: HeartLimits) {
        self.limits = limits
        basis = FigureBasis(.ruleOfThumb, Self.formula, of: [], on: limits.givenAt)
        let reserve = limits.maximal - limits.resting
        bounds = Self.percents.map { limits.resting + ($0 * reserve + 99) / 100 }
    }

    package func time(power: StrokeTime, heart: StrokeTime) -> [Int64] {
        heart.time(between: bounds)
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.field("resting_bpm", limits.resting)
        json.field("maximal_bpm", limits.maximal)
        writeBounds(into: &json, from: "from_bpm", to: "to_bpm")
    }
}
