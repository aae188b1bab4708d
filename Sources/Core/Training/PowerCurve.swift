import Bests
import Bytes

/// Power as a function of time: P(t) = P1 / (1 + t/T1) + P2 / (1 + t/T2), a fast and a slow energy store,
/// fitted by least squares of the logarithms.
package struct PowerCurve: Equatable, Sendable {
    package private(set) var basis: FigureBasis
    /// The two terms, the faster one first.
    package let terms: [Term]
    /// Fraction of the variance of the logarithms that the fit explains: R^2.
    package let explained: Double
    /// Seconds that the fit covers; it is not valid outside.
    package let durations: ClosedRange<Double>

    package struct Term: Equatable, Sendable {
        package var watts: Double
        package var seconds: Double
    }

    package static let leastBests = 5
    package static let leastRatio = 10.0
    package static let leastExplained = 0.90

    /// - Parameter efforts: maximal efforts, shortest first.
    static func of(_ efforts: [Effort]) -> Result<PowerCurve, MissingReason> {
        guard efforts.count >= leastBests, let first = efforts.first, let last = efforts.last else {
            return .failure(
                MissingReason(.tooFewResults, has: Double(efforts.count), needs: Double(leastBests)))
        }
        let ratio = last.seconds / first.seconds
        guard ratio >= leastRatio else {
            return .failure(MissingReason(.tooNarrow, has: ratio, needs: leastRatio))
        }
        guard let fit = PowerCurveFit.best(efforts) else { return .failure(MissingReason(.poorFit)) }
        let logarithms = efforts.map { Logarithm.natural($0.watts) }
        let mean = logarithms.reduce(0, +) / Double(efforts.count)
        let spread = logarithms.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let explained = 1 - fit.error / spread
        guard explained >= leastExplained else { return .failure(MissingReason(.poorFit)) }
        let basis = FigureBasis(
            .estimated, "P(t) = P1 / (1 + t/T1) + P2 / (1 + t/T2), least squares of ln P",
            of: efforts.map(\.figure))
        return .success(
            PowerCurve(
                basis: basis, terms: fit.terms, explained: explained,
                durations: first.seconds...last.seconds))
    }

    /// Returns the watts that can be held for a time.
    package func watts(for seconds: Double) -> Double { terms.watts(for: seconds) }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.list("terms", of: terms) { json, term in
            json.decimal("power_w", term.watts, places: 1)
            json.decimal("time_s", term.seconds, places: 1)
        }
        json.decimal("r_squared", explained, places: 3)
        json.decimal("from_s", durations.lowerBound, places: 2)
        json.decimal("to_s", durations.upperBound, places: 2)
    }
}

extension [PowerCurve.Term] {
    func watts(for seconds: Double) -> Double {
        reduce(0) { $0 + $1.watts / (1 + seconds / $1.seconds) }
    }
}
