import Rowing

/// The mean shape of several force curves: each is resampled over its drive and scaled to its own
/// maximum, so that neither a long drive nor a strong one counts more.
package struct MeanCurve: Equatable, Sendable {
    /// Points per drive, however many the monitor sends.
    static let points = 100
    /// The scaled maximum force.
    static let peak = 10_000

    package private(set) var count = 0
    /// Sum of the curves at each point; empty if there are none.
    private var sums: [Int] = []

    package init() {}

    /// Adds a curve, if it is complete.
    mutating func add(_ curve: ForceCurve) {
        guard curve.isComplete, curve.poundsForce.count > 1,
            let greatest = curve.poundsForce.max(), greatest > 0
        else { return }
        let last = curve.poundsForce.count - 1
        add { point in
            // The two neighbouring values of the curve, and the fraction between them.
            let (index, part) = (point * last).quotientAndRemainder(dividingBy: Self.points - 1)
            let before = Int(curve.poundsForce[index])
            let behind = Int(curve.poundsForce[min(index + 1, last)])
            let value = before * (Self.points - 1) + (behind - before) * part
            return value * Self.peak / ((Self.points - 1) * Int(greatest))
        }
    }

    /// Adds a shape, which counts as one curve.
    mutating func add(_ form: [Int]) { add { form[$0] } }

    /// Adds all curves of `other`.
    mutating func add(_ other: MeanCurve) {
        guard other.count > 0 else { return }
        add { other.sums[$0] }
        count += other.count - 1
    }

    private mutating func add(_ value: (Int) -> Int) {
        if sums.isEmpty { sums = [Int](repeating: 0, count: Self.points) }
        for point in 0..<Self.points { sums[point] += value(point) }
        count += 1
    }

    /// The mean at each point, scaled to its maximum; nil without curves.
    var form: [Int]? {
        guard let greatest = sums.max(), greatest > 0 else { return nil }
        return sums.map { ($0 * Self.peak + greatest / 2) / greatest }
    }

    /// The similarity of two shapes in thousandths: 1 - RMSE over all points.
    static func similarity(_ form: [Int], _ other: [Int]) -> Int {
        let squares = zip(form, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let error = (Double(squares) / Double(points)).squareRoot() / Double(peak)
        return Int(((1 - error) * 1000).rounded())
    }
}
