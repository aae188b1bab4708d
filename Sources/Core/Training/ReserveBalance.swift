import Bests
import Bytes

/// The anaerobic reserve that was left at the hardest moment of a session: an experimental metric.
///
/// Skiba 2012: the used reserve recovers exponentially with tau = 546 e^(-0.01 D) + 316 s, where D is how
/// many watts the mean of the easy parts is below critical power. The constants were fitted to seven
/// cyclists; they are not validated for rowers.
package struct ReserveBalance: Equatable, Sendable {
    package let basis: FigureBasis
    /// Minimum reserve in joules; below 0 if the model did not hold.
    package let least: Double
    /// The same in percent of W'.
    package let percent: Double
    /// Time of the minimum, in hundredths of a second of work.
    package let at: Int64

    static func of(
        _ piece: RecordedPiece, by critical: Result<CriticalPower, MissingReason>
    ) -> Result<ReserveBalance, MissingReason> {
        let limit: CriticalPower
        switch critical {
        case .success(let found): limit = found
        case .failure(let reason): return .failure(reason)
        }
        guard !piece.hasGap, !piece.strokes.isEmpty, let steps = Step.all(piece.strokes) else {
            return .failure(MissingReason(.broken))
        }
        let tau = Self.tau(of: steps, limit.watts)
        var (used, most, time, at) = (0.0, 0.0, Int64(0), Int64(0))
        for step in steps {
            used *= Logarithm.exponential(-min(700, step.seconds / tau))
            used += max(0, step.watts - limit.watts) * step.seconds
            time += step.isWork ? Int64((step.seconds * 100).rounded()) : 0
            if used > most { (most, at) = (used, time) }
        }
        let basis = FigureBasis(
            .estimated,
            "W' less what was used above CP and has not come back by "
                + "tau = 546 e^(-0.01 D) + 316 s", of: [piece.name] + limit.basis.inputs,
            on: max(piece.startedAt, limit.basis.date))
        return .success(
            ReserveBalance(
                basis: basis, least: limit.joules - most,
                percent: (limit.joules - most) / limit.joules * 100, at: at))
    }

    private static func tau(of steps: [Step], _ limit: Double) -> Double {
        var easy = Spread()
        for step in steps where step.watts < limit { easy.add(step.watts, weight: step.seconds) }
        let below = easy.mean > 0 || steps.contains { $0.watts < limit } ? limit - easy.mean : 0
        return 546 * Logarithm.exponential(max(-700, -0.01 * below)) + 316
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.field("experiment", true)
        json.decimal("least_j", least, places: 0)
        json.decimal("least_percent", percent, places: 1)
        json.field("at_s", at, places: 2)
    }
}

/// A stroke, or a rest between intervals.
private struct Step {
    let watts: Double
    let seconds: Double
    let isWork: Bool

    /// nil if the time or power of a stroke is unknown.
    static func all(_ strokes: [MeasuredStroke]) -> [Step]? {
        var steps: [Step] = []
        var before: MeasuredStroke?
        for stroke in strokes {
            guard let watts = stroke.watts, let time = stroke.centiseconds else { return nil }
            if let last = before, last.interval != stroke.interval {
                guard let at = stroke.at, let then = last.at else { return nil }
                let rest = Double(at - then) / 1000 - Double(time) / 100
                if rest > 0 { steps.append(Step(watts: 0, seconds: rest, isWork: false)) }
            }
            steps.append(Step(watts: Double(watts), seconds: Double(time) / 100, isWork: true))
            before = stroke
        }
        return steps
    }
}
