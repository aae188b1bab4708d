import Bytes

/// The measurement for a rule at one moment.
struct AlertReading: Equatable {
    var verdict: AlertVerdict
    /// In hundredths.
    var value: Int?
    /// In hundredths.
    var threshold: Int?

    static let unknown = AlertReading(verdict: .unknown)
    static let right = AlertReading(verdict: .right)

    init(verdict: AlertVerdict, value: Int? = nil, threshold: Int? = nil) {
        self.verdict = verdict
        self.value = value
        self.threshold = threshold
    }

    /// Right or wrong, without a range in between.
    init(isWrong: Bool) { self.init(verdict: isWrong ? .wrong : .right) }

    /// A value that should stay below `limit`, and is right again at or below `exit`.
    init(_ value: Int, below limit: Int, exit: Int) {
        self.init(
            verdict: value >= limit ? .wrong : value <= exit ? .right : .between,
            value: value * 100, threshold: limit * 100)
    }

    /// A value that should be at least `limit`, and is right again at `exit`.
    init(_ value: Int, atLeast limit: Int, exit: Int) {
        self.init(
            verdict: value < limit ? .wrong : value >= exit ? .right : .between,
            value: value * 100, threshold: limit * 100)
    }

    /// A value in hundredths that should stay in a range, and is right again `margin` inside of it.
    init(_ value: Int, in band: ClosedRange<Int>, margin: Int) {
        let isInside = value >= band.lowerBound + margin && value <= band.upperBound - margin
        self.init(
            verdict: !band.contains(value) ? .wrong : isInside ? .right : .between,
            value: value,
            threshold: value > band.upperBound ? band.upperBound : band.lowerBound)
    }
}

/// The state of a rule at one moment. The limits for wrong and for right differ (hysteresis), so
/// that a value near either changes nothing.
package enum AlertVerdict: Equatable, Sendable {
    case wrong
    /// Between the two limits: neither starts nor ends an alert.
    case between
    case right
    /// Stale or unknown: no progress, and no end.
    case unknown
}
