import Bests
import Bytes

/// Mean features of the force curves of a session or a span of time. One handle cannot show the difference
/// between left and right.
package struct ForceFeatures: Equatable, Sendable {
    /// Number of curves used.
    package private(set) var curves: Int
    /// Sums over curves in units of 1/100 000; integers, so that the sum does not depend on the order.
    private var sums: [Int64]

    package static let leastCurves = 20
    private static let scale = 100_000.0
    package static let formula =
        "means over force curves: mean / peak; place of the peak; area / convex hull; "
        + "1 - RMSE to the session's mean curve, both by their peaks"

    /// - Parameter shapes: curves of one session.
    static func of(_ shapes: [ForceShape]) -> Result<ForceFeatures, MissingReason> {
        guard shapes.count >= leastCurves else {
            return .failure(
                MissingReason(.tooFewCurves, has: Double(shapes.count), needs: Double(leastCurves)))
        }
        let mean = (0..<ForceShape.points).map { point in
            shapes.reduce(0.0) { $0 + $1.curve[point] } / Double(shapes.count)
        }
        let peak = mean.max() ?? 1
        var found = none
        for shape in shapes {
            let squares = zip(shape.curve, mean).reduce(0.0) { sum, pair in
                sum + (pair.0 - pair.1 / peak) * (pair.0 - pair.1 / peak)
            }
            let similarity = 1 - (squares / Double(ForceShape.points)).squareRoot()
            let values = [
                shape.averageToPeak, shape.peakPosition, shape.smoothness, similarity,
            ]
            found.curves += 1
            for (index, value) in values.enumerated() {
                found.sums[index] += Int64((value * scale).rounded())
            }
        }
        return .success(found)
    }

    /// No curves.
    static let none = ForceFeatures(curves: 0, sums: [0, 0, 0, 0])

    func adding(_ other: ForceFeatures) -> ForceFeatures {
        ForceFeatures(
            curves: curves + other.curves, sums: zip(sums, other.sums).map { $0 + $1 })
    }

    private func mean(_ index: Int) -> Double {
        Double(sums[index]) / Self.scale / Double(max(1, curves))
    }

    package var averageToPeak: Double { mean(0) }
    package var peakPosition: Double { mean(1) }
    package var smoothness: Double { mean(2) }
    package var similarity: Double { mean(3) }

    /// Writes the members into an open object.
    func write(_ basis: FigureBasis, into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("avg_to_peak_ratio", averageToPeak, places: 3)
        json.decimal("peak_position_ratio", peakPosition, places: 3)
        json.decimal("smoothness_ratio", smoothness, places: 3)
        json.decimal("similarity_ratio", similarity, places: 3)
        json.field("curves", curves)
    }
}
