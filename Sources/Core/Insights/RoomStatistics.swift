import Bytes
import Contract
import Rowing

/// The values of one erg for a room or a crew; nil if unknown.
struct ErgStatistics: Equatable {
    var erg: StationID
    /// Of the session so far, or of the summed strokes.
    var distance: Meters
    /// Tenths of watts.
    var power: Int?
    /// Tenths of strokes per minute.
    var rate: Int?
    /// Tenths of beats per minute.
    var heartRate: Int?
    /// In hundredths of a millimetre per second.
    var speed: Int?
    /// The shape of its force, at 100 points.
    var form: [Int]?

    /// Of an erg that is being rowed; nil for another.
    init?(_ erg: StationID, _ sample: MetricsSample?, form: [Int]?) {
        guard let sample, sample.state == .rowing, !sample.isStale else { return nil }
        self.erg = erg
        distance = sample.distance
        power = sample.powerWatts.map { $0 * 10 }
        rate = sample.strokeRate.map { $0 * 10 }
        heartRate = sample.heartRate.map { $0 * 10 }
        speed = sample.pace?.speed
        self.form = form
    }

    /// Creates the values of an erg for a period: the sum of the strokes' distances, and means of the other values. nil
    /// without a stroke.
    init?(_ erg: StationID, _ sums: ErgStrokeSums) {
        guard sums.strokes > 0 else { return nil }
        self.erg = erg
        distance = sums.distance
        power = sums.watts.mean(scaled: 10)
        rate = sums.rate.mean(scaled: 10)
        heartRate = sums.heartRate.mean(scaled: 10)
        speed = sums.speed.mean(scaled: 1)
        form = sums.curves.form
    }
}

/// A ratio for one erg.
struct ErgRatio: Equatable {
    var erg: StationID
    var thousandths: Int
}

/// Values of several ergs together. Each erg counts once in a mean, however many strokes it has.
package struct RoomStatistics: Equatable, Sendable {
    /// The ergs that are being rowed.
    package let ergs: [StationID]
    let distance: Meters
    /// Tenths of watts.
    let totalPower: Int?
    /// Tenths of watts.
    let power: Int?
    /// Tenths of strokes per minute.
    let rate: Int?
    /// Tenths of beats per minute.
    let heartRate: Int?
    /// The pace of the mean speed: a boat goes as far as the mean of its rowers. The mean of the
    /// paces would differ: a single very slow rower could make it arbitrarily long.
    let pace: Pace?
    /// How close each erg's rate is to the mean.
    let rateSimilarity: [ErgRatio]
    /// How close the shape of each erg's force is to the mean shape.
    let forceSimilarity: [ErgRatio]

    /// nil if no erg is being rowed.
    init?(_ statistics: [ErgStatistics]) {
        guard !statistics.isEmpty else { return nil }
        ergs = statistics.map(\.erg)
        distance = statistics.reduce(.zero) { $0 + $1.distance }
        let powers = statistics.compactMap(\.power)
        totalPower = powers.isEmpty ? nil : powers.reduce(0, +)
        power = Self.mean(powers)
        rate = Self.mean(statistics.compactMap(\.rate))
        heartRate = Self.mean(statistics.compactMap(\.heartRate))
        pace = Self.mean(statistics.compactMap(\.speed)).flatMap { Pace(speed: $0) }
        rateSimilarity = Self.rates(statistics)
        forceSimilarity = Self.forms(statistics)
    }

    private static func mean(_ values: [Int]) -> Int? {
        guard !values.isEmpty else { return nil }
        return (values.reduce(0, +) + values.count / 2) / values.count
    }

    /// 1 minus the relative difference to the mean; empty for fewer than two.
    private static func rates(_ statistics: [ErgStatistics]) -> [ErgRatio] {
        let rates = statistics.compactMap { erg in erg.rate.map { (erg.erg, $0) } }
        guard rates.count > 1, let mean = mean(rates.map(\.1)), mean > 0 else { return [] }
        return rates.map { erg, rate in
            let difference = (abs(rate - mean) * 1000 + mean / 2) / mean
            return ErgRatio(erg: erg, thousandths: max(0, 1000 - difference))
        }
    }

    /// Empty for fewer than two.
    private static func forms(_ statistics: [ErgStatistics]) -> [ErgRatio] {
        let forms = statistics.compactMap { erg in erg.form.map { (erg.erg, $0) } }
        guard forms.count > 1 else { return [] }
        var all = MeanCurve()
        for (_, form) in forms { all.add(form) }
        guard let mean = all.form else { return [] }
        return forms.map {
            ErgRatio(erg: $0, thousandths: MeanCurve.similarity($1, mean))
        }
    }
}

extension JSONWriter {
    mutating func names(of crew: Crew) {
        field("crew", crew.id.slug)
        field("members", crew.ergs.map(\.slug))
    }

    mutating func sums(_ statistics: RoomStatistics) {
        meters("distance_m", statistics.distance)
        field("total_power_w", statistics.totalPower.map(Int64.init), places: 1)
        field("avg_power_w", statistics.power.map(Int64.init), places: 1)
        field("avg_stroke_rate_spm", statistics.rate.map(Int64.init), places: 1)
        field("avg_heart_rate_bpm", statistics.heartRate.map(Int64.init), places: 1)
        pace("pace_s_per_500m", statistics.pace)
    }

    mutating func similarities(_ statistics: RoomStatistics) {
        ratios("erg_rate_similarity_ratio", statistics.rateSimilarity)
        ratios("erg_force_similarity_ratio", statistics.forceSimilarity)
    }

    private mutating func ratios(_ name: StaticString, _ ratios: [ErgRatio]) {
        object(name) { json in
            for ratio in ratios {
                json.key(ratio.erg.slug)
                json.value(Int64(ratio.thousandths), places: 3)
            }
        }
    }
}
