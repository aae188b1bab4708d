import Bytes
import PM5Codec

/// How a figure stands to what was asked for.
package enum TargetPlace: String, CaseIterable, Sendable {
    /// Less than was asked for: fewer watts, strokes or beats, or a slower pace.
    case below
    case within = "in"
    case above
}

/// From where to where a figure is as it was asked for. An end that is nil is open.
package struct TargetBand: Hashable, Sendable {
    package var low: Int?
    package var high: Int?

    package init(low: Int?, high: Int?) { (self.low, self.high) = (low, high) }

    /// Halfway, or the only end there is.
    package var middle: Int? {
        guard let low, let high else { return low ?? high }
        return (low + high) / 2
    }

    /// The margin of a pace that is asked for exactly: a second for 500 m, in hundredths.
    private static let paceMargin = 100

    /// The paces that meet a band of paces: the band itself; of a single pace a second each way,
    /// since nobody rows to the hundredth.
    package var acceptedPaces: TargetBand {
        guard let low, low == high else { return self }
        return TargetBand(low: low - Self.paceMargin, high: low + Self.paceMargin)
    }

    func place(of value: Int) -> TargetPlace {
        if let low, value < low { return .below }
        if let high, value > high { return .above }
        return .within
    }
}

/// What the strokes of an interval are held against; nil where nothing was asked for.
package struct TargetBands: Hashable, Sendable {
    /// Hundredths of a second for 500 m: the low end is the fastest pace.
    package var pace: TargetBand?
    package var watts: TargetBand?
    /// Percent of what the athlete has over 2000 m; `watts` as soon as it is known who that is.
    package var powerShare: TargetBand?
    /// Strokes per minute.
    package var rate: TargetBand?
    /// Beats per minute.
    package var heartRate: TargetBand?

    package init() {}

    package var isEmpty: Bool { self == TargetBands() }
}

/// What each interval of a workout is held against, in order. Behind the last it begins again, so that
/// one element is for the whole of a piece, and for every interval.
package struct WorkoutTargets: Hashable, Sendable {
    /// As many as a monitor holds.
    static let maximumCount = WorkoutProgram.maximumIntervals

    package private(set) var intervals: [TargetBands]

    /// - Parameter intervals: as many as are rowed; when none has a band, there is no target.
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

    /// Whether it depends on who rows.
    package var isPersonal: Bool { intervals.contains { $0.powerShare != nil } }

    /// The same for an athlete with so many watts over 2000 m.
    package func resolved(power2k: Int) -> WorkoutTargets {
        func watts(_ percent: Int?) -> Int? { percent.map { ($0 * power2k + 50) / 100 } }
        return WorkoutTargets(
            intervals.map { bands in
                guard let share = bands.powerShare else { return bands }
                var bands = bands
                bands.powerShare = nil
                bands.watts = TargetBand(low: watts(share.low), high: watts(share.high))
                return bands
            })
    }

    /// Nil where nothing was asked for.
    ///
    /// - Parameter number: 1-based.
    package func bands(ofInterval number: Int?) -> TargetBands? {
        guard !intervals.isEmpty else { return nil }
        guard intervals.count > 1 else { return intervals[0] }
        guard let number, number > 0 else { return nil }
        let bands = intervals[(number - 1) % intervals.count]
        return bands.isEmpty ? nil : bands
    }

    /// How figures of an interval stand to what was asked for; nil where nothing was.
    func check(_ figures: some RowedFigures, ofInterval number: Int?) -> TargetCheck? {
        bands(ofInterval: number).map { bands in
            TargetCheck(
                bands, pace: figures.pace, watts: figures.powerWatts, rate: figures.strokeRate,
                heartRate: figures.heartRate)
        }
    }
}

/// What can be held against a target.
protocol RowedFigures {
    var pace: Pace? { get }
    var powerWatts: Int? { get }
    var strokeRate: Int? { get }
    var heartRate: Int? { get }
}

/// How a stroke, or a moment, stands to the bands of its interval.
package struct TargetCheck: Equatable, Sendable {
    package let bands: TargetBands
    /// Nil without a band, and without a figure; so are those below.
    package let pace: TargetPlace?
    package let watts: TargetPlace?
    package let rate: TargetPlace?
    package let heartRate: TargetPlace?

    init(_ bands: TargetBands, pace: Pace?, watts: Int?, rate: Int?, heartRate: Int?) {
        func place(_ band: TargetBand?, _ value: Int?) -> TargetPlace? {
            band.flatMap { band in value.map { band.place(of: $0) } }
        }
        self.bands = bands
        let hundredths = pace.map { Int($0.millisecondsPer500m / 10) }
        self.pace = place(bands.pace?.acceptedPaces, hundredths)?.reversed
        self.watts = place(bands.watts, watts)
        self.rate = place(bands.rate, rate)
        self.heartRate = place(bands.heartRate, heartRate)
    }

    /// Whether every figure is in its band; nil when none can be told.
    var isMet: Bool? {
        let isKnown = pace != nil || watts != nil || rate != nil || heartRate != nil
        guard isKnown else { return nil }
        func isIn(_ place: TargetPlace?) -> Bool { place == nil || place == .within }
        return isIn(pace) && isIn(watts) && isIn(rate) && isIn(heartRate)
    }
}

extension TargetPlace {
    /// More seconds for 500 m are less speed.
    fileprivate var reversed: TargetPlace {
        switch self {
        case .below: .above
        case .within: .within
        case .above: .below
        }
    }
}

/// How many strokes could be held against a target, and how many of them were in every band of it.
package struct TargetTally: Equatable, Sendable {
    package private(set) var strokes = 0
    package private(set) var met = 0

    package init() {}

    package mutating func add(_ check: TargetCheck?) {
        guard let isMet = check?.isMet else { return }
        strokes += 1
        if isMet { met += 1 }
    }

    /// The share that was in, in thousandths; nil of no stroke.
    package var thousandths: Int? { strokes > 0 ? (met * 2000 + strokes) / (2 * strokes) : nil }
}

extension TargetTally {
    mutating func code(with coder: inout ByteCoder) {
        coder.count(&strokes)
        coder.count(&met)
        met = min(met, strokes)
    }
}
