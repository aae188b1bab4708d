import Bests
import Bytes

/// How much fewer watts a heartbeat carries in the second half of a steady piece: (AE1 - AE2) / AE1, of
/// AE = mean W / mean heart rate (Friel's decoupling).
package struct HeartDrift: Equatable, Sendable {
    package let basis: FigureBasis
    /// Above 0 where the heart beat more for the same power.
    package let percent: Double
    package let halves: [Half]

    package struct Half: Equatable, Sendable {
        package var watts: Double
        package var heartRate: Double
    }

    package static let leastSeconds = 1200.0
    /// Percent of the time of each half in which a heart rate has to be known.
    package static let leastHeard = 90.0
    /// Percent: coefficient of variation of the watts. A hand that holds a power wavers by 3 to 6 %.
    package static let steady = 10.0

    static func of(_ piece: RowedPiece) -> Told<HeartDrift> {
        let long = Double(piece.total.centiseconds) / 100
        guard long >= leastSeconds else {
            return .failure(Lack(.tooShort, has: long, needs: leastSeconds))
        }
        if case .failure(let lack) = piece.unbroken { return .failure(lack) }
        var halves = [Sums(), Sums()]
        var (all, clock) = (Spread(), 0.0)
        for stroke in piece.rowed {
            guard let time = stroke.centiseconds.map(Double.init), let watts = stroke.watts else {
                continue
            }
            halves[clock + time / 2 < long * 50 ? 0 : 1].add(stroke, Double(watts), time)
            all.add(Double(watts), weight: time)
            clock += time
        }
        let heard = halves.map(\.percentHeard).min() ?? 0
        guard heard >= leastHeard else {
            return .failure(Lack(.noHeartRate, has: heard, needs: leastHeard))
        }
        let variation = all.deviation / all.mean * 100
        guard variation <= steady else {
            return .failure(Lack(.notSteady, has: variation, needs: steady))
        }
        return .success(
            HeartDrift(
                halves.map { Half(watts: $0.power.mean, heartRate: $0.heart.mean) }, of: piece))
    }

    private init(_ halves: [Half], of piece: RowedPiece) {
        self.halves = halves
        let carried = halves.map { $0.watts / $0.heartRate }
        percent = (carried[0] - carried[1]) / carried[0] * 100
        basis = piece.basis("(AE1 - AE2) / AE1, AE = mean W / mean heart rate of each half")
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("drift_percent", percent, places: 1)
        json.list("halves", of: halves) { json, half in
            json.decimal("power_w", half.watts, places: 1)
            json.decimal("heart_rate_bpm", half.heartRate, places: 1)
        }
    }
}

/// Of the strokes of a half, by the time that they took.
private struct Sums {
    var power = Spread()
    var heart = Spread()
    private var (time, heard) = (0.0, 0.0)

    init() {}

    mutating func add(_ stroke: RowedStroke, _ watts: Double, _ long: Double) {
        power.add(watts, weight: long)
        time += long
        guard let rate = stroke.heartRate else { return }
        heart.add(Double(rate), weight: long)
        heard += long
    }

    var percentHeard: Double { time > 0 ? heard / time * 100 : 0 }
}
