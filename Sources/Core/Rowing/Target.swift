import Bytes
import PM5Codec

/// The position of a value relative to its target.
package enum TargetPosition: String, CaseIterable, Sendable {
    /// Less than the target: fewer watts, strokes or beats, or a slower pace.
    case below
    case within = "in"
    case above
}

/// The range of values that meet a target. A nil end is open.
package struct TargetBand: Hashable, Sendable {
    package var low: Int?
    package var high: Int?

    package init(low: Int?, high: Int?) { (self.low, self.high) = (low, high) }

    /// The middle, or the only end.
    package var middle: Int? {
        guard let low, let high else { return low ?? high }
        return (low + high) / 2
    }

    /// The margin of an exact pace target: one second per 500 m, in hundredths.
    private static let paceMargin = 100

    /// The paces that meet the target: the band itself, or a single pace ± 1 s.
    package var acceptedPaces: TargetBand {
        guard let low, low == high else { return self }
        return TargetBand(low: low - Self.paceMargin, high: low + Self.paceMargin)
    }

    func place(of value: Int) -> TargetPosition {
        if let low, value < low { return .below }
        if let high, value > high { return .above }
        return .within
    }
}

/// A distance whose result is the base of targets that are relative to an athlete.
package enum TestDistance: String, CaseIterable, Sendable {
    case twoK = "2k"
    case sixK = "6k"
}

/// The mean powers of an athlete over the test distances, in watts; nil if unknown.
package struct TestPowers: Equatable, Sendable {
    package var twoK: Int?
    package var sixK: Int?

    package init(twoK: Int? = nil, sixK: Int? = nil) { (self.twoK, self.sixK) = (twoK, sixK) }

    package subscript(distance: TestDistance) -> Int? {
        switch distance {
        case .twoK: twoK
        case .sixK: sixK
        }
    }
}

/// A target pace relative to the athlete's pace over a test distance.
package struct PaceOffset: Hashable, Sendable {
    package var distance: TestDistance
    /// Hundredths of a second per 500 m, positive if slower. The low end is the fastest pace.
    package var band: TargetBand

    package init(_ distance: TestDistance, _ band: TargetBand) {
        (self.distance, self.band) = (distance, band)
    }
}

/// Why targets that are relative to an athlete have no value.
package enum RelativeTargetError: Error, Equatable {
    /// The athlete's power over this distance is unknown.
    case unknownPower(TestDistance)
    /// The pace, in hundredths of a second per 500 m, is outside `TargetBands.paces`.
    case paceOutOfRange(Int)
}

/// The targets for the strokes of an interval; nil without a target.
package struct TargetBands: Hashable, Sendable {
    /// Hundredths of a second per 500 m. The low end is the fastest pace.
    package var pace: TargetBand?
    /// Becomes `pace` when the athlete is known.
    package var paceOffset: PaceOffset?
    package var watts: TargetBand?
    /// Percent of the athlete's power over 2000 m. It becomes `watts` when the athlete is known.
    package var powerShare: TargetBand?
    /// Strokes per minute.
    package var rate: TargetBand?
    /// Beats per minute.
    package var heartRate: TargetBand?

    package init() {}

    package var isEmpty: Bool { self == TargetBands() }

    /// The paces that a monitor can show, in hundredths of a second per 500 m.
    package static let paces = 6_000...60_000

    /// W = 2.80 / (s per m)³; for a pace in hundredths of a second per 500 m it is 3.5e14 / pace³.
    package static func pace(ofWatts watts: Int) -> Int? {
        guard watts > 0 else { return nil }
        let cube = 350_000_000_000_000 / watts
        var (low, high) = (0, 100_000)
        while low < high {
            let middle = (low + high + 1) / 2
            if middle * middle * middle <= cube { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The test distances whose results the targets need.
    fileprivate var testDistances: [TestDistance] {
        (powerShare == nil ? [] : [.twoK]) + (paceOffset.map { [$0.distance] } ?? [])
    }

    fileprivate func resolved(_ powers: TestPowers) throws(RelativeTargetError) -> TargetBands {
        var bands = self
        if let share = powerShare {
            guard let power = powers.twoK else { throw .unknownPower(.twoK) }
            func watts(_ percent: Int?) -> Int? { percent.map { ($0 * power + 50) / 100 } }
            bands.powerShare = nil
            bands.watts = TargetBand(low: watts(share.low), high: watts(share.high))
        }
        if let offset = paceOffset {
            guard let base = powers[offset.distance].flatMap(Self.pace(ofWatts:)) else {
                throw .unknownPower(offset.distance)
            }
            let (low, high) = (offset.band.low.map { base + $0 }, offset.band.high.map { base + $0 })
            for pace in [low, high].compactMap(\.self) where !Self.paces.contains(pace) {
                throw .paceOutOfRange(pace)
            }
            bands.paceOffset = nil
            bands.pace = TargetBand(low: low, high: high)
        }
        return bands
    }
}

/// The targets of each interval of a workout, in order. The list repeats after its last element, so one
/// element applies to a whole piece or to every interval.
package struct WorkoutTargets: Hashable, Sendable {
    /// The number of intervals that a monitor can hold.
    static let maximumCount = WorkoutProgram.maximumIntervals

    package private(set) var intervals: [TargetBands]

    /// - Parameter intervals: one per interval. If all are empty, there is no target.
    package init(_ intervals: [TargetBands] = []) {
        if intervals.allSatisfy(\.isEmpty) {
            self.intervals = []
        } else if let first = intervals.first, intervals.allSatisfy({ $0 == first }) {
            self.intervals = [first]
        } else {
            self.intervals = intervals
        }
    }

    package var isEmpty: Bool { intervals.isEmpty }

    /// The test distances whose results the targets need, each once; empty if the targets do not depend on
    /// the athlete.
    package var testDistances: [TestDistance] {
        TestDistance.allCases.filter { distance in
            intervals.contains { $0.testDistances.contains(distance) }
        }
    }

    /// Returns the targets for an athlete with these powers.
    package func resolved(_ powers: TestPowers) throws(RelativeTargetError) -> WorkoutTargets {
        WorkoutTargets(
            try intervals.map { bands throws(RelativeTargetError) in try bands.resolved(powers) })
    }

    /// Returns the targets of an interval; nil without one.
    ///
    /// - Parameter number: 1-based.
    package func bands(ofInterval number: Int?) -> TargetBands? {
        guard !intervals.isEmpty else { return nil }
        guard intervals.count > 1 else { return intervals[0] }
        guard let number, number > 0 else { return nil }
        let bands = intervals[(number - 1) % intervals.count]
        return bands.isEmpty ? nil : bands
    }

    /// Compares values with the targets of an interval; nil without a target.
    func check(_ figures: some PerformanceValues, ofInterval number: Int?) -> TargetCheck? {
        bands(ofInterval: number).map { bands in
            TargetCheck(
                bands, pace: figures.pace, watts: figures.powerWatts, rate: figures.strokeRate,
                heartRate: figures.heartRate)
        }
    }
}

/// Values that can be compared with a target.
protocol PerformanceValues {
    var pace: Pace? { get }
    var powerWatts: Int? { get }
    var strokeRate: Int? { get }
    var heartRate: Int? { get }
}

/// The comparison of a stroke, or of a moment, with the targets of its interval.
package struct TargetCheck: Equatable, Sendable {
    package let bands: TargetBands
    /// Nil without a target or without a value, like the properties below.
    package let pace: TargetPosition?
    package let watts: TargetPosition?
    package let rate: TargetPosition?
    package let heartRate: TargetPosition?

    init(_ bands: TargetBands, pace: Pace?, watts: Int?, rate: Int?, heartRate: Int?) {
        func place(_ band: TargetBand?, _ value: Int?) -> TargetPosition? {
            band.flatMap { band in value.map { band.place(of: $0) } }
        }
        self.bands = bands
        let hundredths = pace.map { Int($0.millisecondsPer500m / 10) }
        self.pace = place(bands.pace?.acceptedPaces, hundredths)?.reversed
        self.watts = place(bands.watts, watts)
        self.rate = place(bands.rate, rate)
        self.heartRate = place(bands.heartRate, heartRate)
    }

    /// Whether every value meets its target; nil if no value can be compared.
    var isMet: Bool? {
        let isKnown = pace != nil || watts != nil || rate != nil || heartRate != nil
        guard isKnown else { return nil }
        func isIn(_ place: TargetPosition?) -> Bool { place == nil || place == .within }
        return isIn(pace) && isIn(watts) && isIn(rate) && isIn(heartRate)
    }
}

extension TargetPosition {
    /// For a pace, more seconds mean less speed.
    fileprivate var reversed: TargetPosition {
        switch self {
        case .below: .above
        case .within: .within
        case .above: .below
        }
    }
}

/// The number of strokes with a target, and how many of them met it completely.
package struct TargetTally: Equatable, Sendable {
    package private(set) var strokes = 0
    package private(set) var met = 0

    package init() {}

    package mutating func add(_ check: TargetCheck?) {
        guard let isMet = check?.isMet else { return }
        strokes += 1
        if isMet { met += 1 }
    }

    /// The share of strokes that met the target, in thousandths; nil without strokes.
    package var thousandths: Int? { strokes > 0 ? (met * 2000 + strokes) / (2 * strokes) : nil }
}

extension TargetTally {
    mutating func code(with coder: inout ByteCoder) {
        coder.count(&strokes)
        coder.count(&met)
        met = min(met, strokes)
    }
}

/// The target results of a session's strokes: in total, and for the last two splits or intervals. A stroke
/// may be published after its split.
struct TargetTotals: Equatable {
    private struct Part: Equatable {
        var interval = 0
        var tally = TargetTally()
    }

    private(set) var all = TargetTally()
    private var latest = Part()
    private var before = Part()

    init() {}

    mutating func add(_ check: TargetCheck?, interval: Int?) {
        guard let check else { return }
        all.add(check)
        guard let interval else { return }
        if interval > latest.interval { (before, latest) = (latest, Part(interval: interval)) }
        if interval == latest.interval {
            latest.tally.add(check)
        } else if interval == before.interval {
            before.tally.add(check)
        }
    }

    /// The result of a split or interval; nil if none of its strokes had a target.
    func tally(ofInterval number: Int) -> TargetTally? {
        [latest, before].first { $0.interval == number && $0.tally.strokes > 0 }?.tally
    }
}

// MARK: - Bytes of a checkpoint

extension TargetTotals {
    mutating func code(with coder: inout ByteCoder) {
        all.code(with: &coder)
        for part in [\TargetTotals.latest, \TargetTotals.before] {
            coder.count(&self[keyPath: part].interval)
            self[keyPath: part].tally.code(with: &coder)
        }
    }
}

extension WorkoutTargets {
    mutating func code(with coder: inout ByteCoder) {
        var bands = intervals
        coder.list(&bands, blank: TargetBands()) { coder, bands in
            coder.band(&bands.pace)
            coder.band(&bands.watts)
            coder.band(&bands.rate)
            coder.band(&bands.heartRate)
        }
        guard bands.count <= Self.maximumCount else { return coder.refuse() }
        self = WorkoutTargets(bands)
    }
}

extension ByteCoder {
    /// Codes each end as 0 if open, otherwise plus one. Two zeros mean no band.
    fileprivate mutating func band(_ band: inout TargetBand?) {
        var low = band?.low.map { $0 + 1 } ?? 0
        var high = band?.high.map { $0 + 1 } ?? 0
        count(&low)
        count(&high)
        guard isReading else { return }
        let ends = TargetBand(low: low > 0 ? low - 1 : nil, high: high > 0 ? high - 1 : nil)
        band = ends == TargetBand(low: nil, high: nil) ? nil : ends
    }
}
