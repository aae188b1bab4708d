import Bests
import Bytes

/// Loss of watts per heartbeat from the first to the second half of a steady piece: (AE1 - AE2) / AE1,
/// where AE = mean W / mean heart rate (Friel's decoupling).
package struct HeartDrift: Equatable, Sendable {
    package let basis: FigureBasis
    /// Above 0 if the heart beat faster for the same power.
    package let percent: Double
    package let halves: [Half]

    package struct Half: Equatable, Sendable {
        package var watts: Double
        package var heartRate: Double
    }

    package static let leastSeconds = 1200.0
    /// Percent of each half's time with a known heart rate, at least.
    package static let minimumHeartRateCoverage = 90.0
    /// Percent: coefficient of variation of the watts. Rowers who hold a power vary by 3 to 6 %.
    package static let steady = 10.0

    static func of(_ piece: RecordedPiece) -> Result<HeartDrift, MissingReason> {
        let seconds = Double(piece.total.centiseconds) / 100
        guard seconds >= leastSeconds else {
            return .failure(MissingReason(.tooShort, has: seconds, needs: leastSeconds))
        }
        if case .failure(let reason) = piece.unbroken { return .failure(reason) }
        var halves = [Sums(), Sums()]
        var (all, clock) = (Spread(), 0.0)
        for stroke in piece.strokes {
            guard let time = stroke.centiseconds.map(Double.init), let watts = stroke.watts else {
                continue
            }
            halves[clock + time / 2 < seconds * 50 ? 0 : 1].add(stroke, Double(watts), time)
            all.add(Double(watts), weight: time)
            clock += time
        }
        let coverage = halves.map(\.heartRateCoverage).min() ?? 0
        guard coverage >= minimumHeartRateCoverage else {
            return .failure(MissingReason(.noHeartRate, has: coverage, needs: minimumHeartRateCoverage))
        }
        let variation = all.deviation / all.mean * 100
        guard variation <= steady else {
            return .failure(MissingReason(.notSteady, has: variation, needs: steady))
        }
        return .success(
            HeartDrift(
                halves.map { Half(watts: $0.power.mean, heartRate: $0.heart.mean) }, piece.basis(formula)))
    }

    static let formula = "(AE1 - AE2) / AE1, AE = mean W / mean heart rate of each half"

    /// - Parameter halves: two.
    init(_ halves: [Half], _ basis: FigureBasis) {
        (self.halves, self.basis) = (halves, basis)
        let carried = halves.map { $0.watts / $0.heartRate }
        percent = (carried[0] - carried[1]) / carried[0] * 100
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("drift_percent", percent, places: 1)
        json.list("halves", of: halves) { json, half in
            json.decimal("power_w", half.watts, places: 1)
            json.decimal("heart_rate_bpm", half.heartRate, places: 1)
        }
    }
}

/// Sums over the strokes of a half, weighted by stroke time.
private struct Sums {
    var power = Spread()
    var heart = Spread()
    private var (time, timeWithHeartRate) = (0.0, 0.0)

    init() {}

    mutating func add(_ stroke: MeasuredStroke, _ watts: Double, _ duration: Double) {
        power.add(watts, weight: duration)
        time += duration
        guard let rate = stroke.heartRate else { return }
        heart.add(Double(rate), weight: duration)
        timeWithHeartRate += duration
    }

    var heartRateCoverage: Double { time > 0 ? timeWithHeartRate / time * 100 : 0 }
}
