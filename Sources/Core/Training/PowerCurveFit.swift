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
