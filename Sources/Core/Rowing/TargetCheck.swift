import Bytes
import PM5Codec

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
