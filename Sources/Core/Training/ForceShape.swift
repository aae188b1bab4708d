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
