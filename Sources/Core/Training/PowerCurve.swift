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

/// Fits the two terms of a power curve to efforts.
///
/// For given times the powers are a linear problem. So times are tried on a grid that is refined about the
/// best pair. No starting point is needed, and equal efforts yield equal curves.
struct PowerCurveFit {
    var terms: [PowerCurve.Term]
    /// Sum of the squares of ln P - ln P(t).
    var error: Double

    /// ln of the seconds that the fast and the slow store last.
    private static let (fast, slow) = (1.0...6.5, 6.0...13.0)
    private static let (steps, rounds) = (16, 10)

    static func best(_ efforts: [Effort]) -> PowerCurveFit? {
        var (fast, slow) = (fast, slow)
        var best: PowerCurveFit?
        for _ in 0..<rounds {
            for first in times(in: fast) {
                for second in times(in: slow) where first < second {
                    guard let fit = PowerCurveFit(efforts, [first, second]) else { continue }
                    if best.map({ fit.error < $0.error }) ?? true { best = fit }
                }
            }
            guard let best else { return nil }
            fast = narrowed(fast, about: best.terms[0].seconds, within: Self.fast)
            slow = narrowed(slow, about: best.terms[1].seconds, within: Self.slow)
        }
        return best
    }

    private static func times(in range: ClosedRange<Double>) -> [Double] {
        (0...steps).map { step in
            let part = Double(step) / Double(steps)
            return Logarithm.exponential(
                range.lowerBound + part * (range.upperBound - range.lowerBound))
        }
    }

    private static func narrowed(
        _ range: ClosedRange<Double>, about time: Double, within limits: ClosedRange<Double>
    ) -> ClosedRange<Double> {
        let half = (range.upperBound - range.lowerBound) / 4
        let middle = Logarithm.natural(time)
        return (middle - half...middle + half).clamped(to: limits)
    }

    /// Solves for the powers with these times; nil if a power would be negative.
    private init?(_ efforts: [Effort], _ times: [Double]) {
        var fitted = efforts.map(\.watts)
        terms = []
        // Near f, ln P - ln f is about (P - f) / f: a few linear steps converge to the solution for
        // logarithms.
        for _ in 0..<4 {
            var (aa, ab, bb, ay, by) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for (effort, now) in zip(efforts, fitted) {
                let a = 1 / (1 + effort.seconds / times[0]) / now
                let b = 1 / (1 + effort.seconds / times[1]) / now
                let y = 1 + Logarithm.natural(effort.watts / now)
                (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b)
                (ay, by) = (ay + a * y, by + b * y)
            }
            let determinant = aa * bb - ab * ab
            guard determinant > 1e-12 * aa * bb else { return nil }
            let powers = [(ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant]
            guard powers.allSatisfy({ $0 >= 0 }), powers.contains(where: { $0 > 0 }) else {
                return nil
            }
            terms = zip(powers, times).map { PowerCurve.Term(watts: $0, seconds: $1) }
            fitted = efforts.map { [terms] effort in terms.watts(for: effort.seconds) }
        }
        error = zip(efforts, fitted).reduce(0) { sum, pair in
            let off = Logarithm.natural(pair.0.watts / pair.1)
            return sum + off * off
        }
    }
}
