import Contract
import Rowing

/// What one erg puts into the figures of a room or a crew; nil where it tells nothing.
struct ErgFigure: Equatable {
    var erg: StationID
    /// Of the session so far, or of the strokes that are put together.
    var distance: Meters
    /// Tenths of watts.
    var power: Int?
    /// Tenths of strokes per minute.
    var rate: Int?
    /// Tenths of beats per minute.
    var heartRate: Int?
    /// Hundredths of a millimetre per second.
    var speed: Int?
    /// The form of its force, at 100 points.
    var form: [Int]?

    /// Of an erg that is rowed now; nil for another.
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

    /// Of the strokes of a while; nil without any.
    init?(_ erg: StationID, _ share: ErgShare) {
        guard share.strokes > 0 else { return nil }
        self.erg = erg
        distance = share.distance
        power = share.watts.mean(scaled: 10)
        rate = share.rate.mean(scaled: 10)
        heartRate = share.heartRate.mean(scaled: 10)
        speed = share.speed.mean(scaled: 1)
        form = share.curves.form
    }
}

/// A part of an erg in something.
struct ErgRatio: Equatable {
    var erg: StationID
    var thousandths: Int
}

/// What several ergs come to together. Each counts as one in a mean, however many strokes it has.
package struct RoomFigures: Equatable, Sendable {
    /// Those that row.
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
    /// Of the mean of their speeds: in the same time a boat goes as far as they do in the mean. The mean
    /// of paces would be another one, and one who hardly pulls would alone make it as long as he likes.
    let pace: Pace?
    /// How near each one's rate is to the mean.
    let rateSimilarity: [ErgRatio]
    /// How near the form of each one's force is to that of all.
    let forceSimilarity: [ErgRatio]

    /// nil where nobody rows.
    init?(_ figures: [ErgFigure]) {
        guard !figures.isEmpty else { return nil }
        ergs = figures.map(\.erg)
        distance = figures.reduce(.zero) { $0 + $1.distance }
        let powers = figures.compactMap(\.power)
        totalPower = powers.isEmpty ? nil : powers.reduce(0, +)
        power = Self.mean(powers)
        rate = Self.mean(figures.compactMap(\.rate))
        heartRate = Self.mean(figures.compactMap(\.heartRate))
        pace = Self.mean(figures.compactMap(\.speed)).flatMap { Pace(speed: $0) }
        rateSimilarity = Self.rates(figures)
        forceSimilarity = Self.forms(figures)
    }

    private static func mean(_ values: [Int]) -> Int? {
        guard !values.isEmpty else { return nil }
        return (values.reduce(0, +) + values.count / 2) / values.count
    }

    /// 1 less the part of the mean that it differs by; nothing of fewer than two.
    private static func rates(_ figures: [ErgFigure]) -> [ErgRatio] {
        let rates = figures.compactMap { figure in figure.rate.map { (figure.erg, $0) } }
        guard rates.count > 1, let mean = mean(rates.map(\.1)), mean > 0 else { return [] }
        return rates.map { erg, rate in
            let difference = (abs(rate - mean) * 1000 + mean / 2) / mean
            return ErgRatio(erg: erg, thousandths: max(0, 1000 - difference))
        }
    }

    /// Nothing of fewer than two.
    private static func forms(_ figures: [ErgFigure]) -> [ErgRatio] {
        let forms = figures.compactMap { figure in figure.form.map { (figure.erg, $0) } }
        guard forms.count > 1 else { return [] }
        var all = MeanCurve()
        for (_, form) in forms { all.add(form) }
        guard let mean = all.form else { return [] }
        return forms.map {
            ErgRatio(erg: $0, thousandths: MeanCurve.similarity($1, mean))
        }
    }
}
