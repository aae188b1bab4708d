import Bests
import Bytes

/// How equal the strokes of a session are (after Kleshnev, Biomechanics of Rowing).
package struct Consistency: Equatable, Sendable {
    package let basis: FigureBasis
    /// Coefficients of variation, standard deviation divided by mean, in percent.
    package let powerPercent: Double
    package let ratePercent: Double
    /// Standard deviation of the drive time in seconds; nil if the monitor reported no drive times.
    package let driveSeconds: Double?
    /// Number of strokes used.
    package let strokes: Int

    /// Strokes at the beginning of the piece, and of each interval, that are not yet steady.
    package static let starting = 5
    package static let leastStrokes = 20

    static let formula =
        "standard deviation / mean over the strokes behind the first 5 of the piece or interval"

    /// Intervals are measured about their own means.
    static func of(_ piece: RecordedPiece) -> Result<Consistency, MissingReason> {
        let parts = Dictionary(grouping: piece.strokes, by: \.interval).values
            .map { $0.dropFirst(starting).filter { ($0.watts ?? 0) > 0 && $0.rate != nil } }
        let count = parts.map(\.count).reduce(0, +)
        guard count >= leastStrokes else {
            return .failure(MissingReason(.tooFewStrokes, has: Double(count), needs: Double(leastStrokes)))
        }
        let drives = parts.map { $0.compactMap(\.driveCentiseconds) }
        return .success(
            Consistency(
                basis: piece.basis(formula),
                powerPercent: variation(parts.map { $0.compactMap(\.watts).map(Double.init) })
                    * 100,
                ratePercent: variation(parts.map { $0.compactMap(\.rate).map(Double.init) }) * 100,
                driveSeconds: drives.map(\.count).reduce(0, +) >= leastStrokes
                    ? deviation(drives.map { $0.map { Double($0) / 100 } }) : nil,
                strokes: count))
    }

    /// Returns the standard deviation about each part's mean.
    private static func deviation(_ parts: [[Double]]) -> Double {
        // Sorted, because dictionary order is random and would change the rounding.
        let spreads = parts.map(Spread.init).map(\.about).sorted()
        let count = parts.map(\.count).reduce(0, +)
        return (spreads.reduce(0, +) / Double(count)).squareRoot()
    }

    private static func variation(_ parts: [[Double]]) -> Double {
        let sum = parts.map { $0.reduce(0, +) }.sorted().reduce(0, +)
        let count = parts.map(\.count).reduce(0, +)
        return deviation(parts) / (sum / Double(count))
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("power_cv_percent", powerPercent, places: 1)
        json.decimal("rate_cv_percent", ratePercent, places: 1)
        if let driveSeconds { json.decimal("drive_sd_s", driveSeconds, places: 3) }
        json.field("strokes", strokes)
    }
}

extension Spread {
    fileprivate init(_ values: [Double]) {
        self.init()
        for value in values { add(value) }
    }
}
