import Bests
import Bytes

/// The shape of one stroke's force curve: 100 points from catch to finish, each as a fraction of the peak.
package struct ForceShape: Equatable, Sendable {
    static let points = 100
    /// Minimum number of samples of a curve.
    static let leastPoints = 10

    let curve: [Double]
    /// Mean divided by peak: 0.5 for a triangle, usually 0.55 to 0.65.
    let averageToPeak: Double
    /// Position of the peak: 0 at the catch, 1 at the finish.
    let peakPosition: Double
    /// Area divided by the area of the convex hull: 1 without a dent.
    let smoothness: Double

    /// Reads a `force` record; nil if the curve is incomplete or not a curve.
    package init?(_ fields: JSONObject) {
        guard fields["complete"] == .flag(true), case .list(let values)? = fields["force_n"],
            values.count >= Self.leastPoints
        else { return nil }
        let forces = values.map { value -> Double in
            guard case .number(let digits) = value, let force = Double(digits) else { return .nan }
            return max(0, force)
        }
        self.init(forces)
    }

    /// From forces at equal distances; nil without a peak.
    init?(_ forces: [Double]) {
        guard forces.count >= Self.leastPoints, forces.allSatisfy(\.isFinite),
            let peak = forces.max(), peak > 0, let index = forces.firstIndex(of: peak)
        else { return nil }
        let last = Double(forces.count - 1)
        let sampled = (0..<Self.points).map { point in
            let place = Double(point) / Double(Self.points - 1) * last
            let left = min(Int(place), forces.count - 2)
            let part = place - Double(left)
            return forces[left] * (1 - part) + forces[left + 1] * part
        }
        // The peak of the sampled points, which may miss the peak of the curve.
        guard let most = sampled.max(), most > 0 else { return nil }
        curve = sampled.map { $0 / most }
        averageToPeak = forces.reduce(0, +) / Double(forces.count) / peak
        peakPosition = Double(index) / last
        smoothness = Self.area(of: forces) / Self.area(of: Self.hull(of: forces))
    }

    private static func area(of forces: [Double]) -> Double {
        zip(forces, forces.dropFirst()).reduce(0) { $0 + ($1.0 + $1.1) / 2 }
    }

    /// Returns the convex hull: the least concave line above all points, at the same positions.
    private static func hull(of forces: [Double]) -> [Double] {
        var corners: [Int] = []
        for index in forces.indices {
            while corners.count > 1 {
                let (first, second) = (corners[corners.count - 2], corners[corners.count - 1])
                let rise = (forces[second] - forces[first]) * Double(index - first)
                guard rise <= (forces[index] - forces[first]) * Double(second - first) else {
                    break
                }
                corners.removeLast()
            }
            corners.append(index)
        }
        var line = forces
        for (left, right) in zip(corners, corners.dropFirst()) {
            for index in left...right {
                let part = Double(index - left) / Double(right - left)
                line[index] = forces[left] * (1 - part) + forces[right] * part
            }
        }
        return line
    }
}

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

/// The form in which a store keeps them.
extension ForceFeatures {
    /// The number of curves, and the sums: whole numbers, which a Double represents exactly.
    var values: [Double] { [Double(curves)] + sums.map { Double($0) } }

    /// Returns nil if `values` cannot be those of another one.
    init?(values: [Double]) {
        let numbers = values.compactMap { Int64(exactly: $0) }
        guard numbers.count == 5, values.count == 5 else { return nil }
        self.init(curves: Int(numbers[0]), sums: Array(numbers.dropFirst()))
    }
}

/// Mean features of the force curves of a day, a week or a season.
package struct ForceInSpan: Equatable, Sendable {
    package let span: TrainingSpan
    package let basis: FigureBasis
    package let features: ForceFeatures

    /// All spans with enough curves of a session, in order.
    static func all(
        of pieces: [PieceTraining], _ length: TrainingSpan.Length, in season: Season? = nil
    ) -> [ForceInSpan] {
        let known = pieces.compactMap {
            piece -> (metrics: PieceMetrics, features: ForceFeatures)? in
            guard case .success(let features) = piece.force else { return nil }
            let isWanted = season.map { $0 == piece.metrics.season } ?? true
            return isWanted ? (piece.metrics, features) : nil
        }
        return Dictionary(grouping: known) { TrainingSpan(length, of: $0.metrics.startedOn) }
            .sorted { $0.key < $1.key }
            .map { span, found in
                ForceInSpan(
                    span: span,
                    basis: FigureBasis(
                        .computed, ForceFeatures.formula, of: found.map(\.metrics.name),
                        on: found.map(\.metrics.startedAt).max() ?? 0),
                    features: found.map(\.features).reduce(.none) { $0.adding($1) })
            }
    }
}
