import Bests
import Bytes

/// The constant power that would have been as hard as the session: the fourth root of the mean of the
/// fourth powers of 30 s averages (Coggan and Allen, Training and Racing with a Power Meter).
///
/// After a rest, a gap or a clock stop the averaging restarts; until 30 s have passed, it uses the time
/// available.
package struct NormalizedPower: Equatable, Sendable {
    package let watts: Double
    /// Hundredths of a second with known power.
    package let centiseconds: Int64

    /// Hundredths of a second.
    static let window: Int64 = 3000

    /// nil if no stroke has both power and time.
    init?(_ strokes: [MeasuredStroke]) {
        var (fourth, known) = (0.0, Int64(0))
        var recent: ArraySlice<(work: Int64, time: Int64)> = []
        var (work, time) = (Int64(0), Int64(0))
        var interval: Int?
        for stroke in strokes {
            if stroke.interval != interval { (recent, work, time) = ([], 0, 0) }
            interval = stroke.interval
            guard let watts = stroke.watts, let duration = stroke.centiseconds, duration > 0 else {
                (recent, work, time) = ([], 0, 0)
                continue
            }
            recent.append((Int64(watts) * duration, duration))
            work += Int64(watts) * duration
            time += duration
            while let first = recent.first, time - first.time >= Self.window {
                work -= first.work
                time -= first.time
                recent.removeFirst()
            }
            let average = Double(work) / Double(time)
            fourth += average * average * average * average * Double(duration)
            known += duration
        }
        guard known > 0 else { return nil }
        watts = (fourth / Double(known)).squareRoot().squareRoot()
        centiseconds = known
    }

    init(watts: Double, centiseconds: Int64) { (self.watts, self.centiseconds) = (watts, centiseconds) }
}

/// The power that an athlete can hold for an hour on one kind of machine: the reference of the load.
package struct HourPower: Equatable, Sendable {
    package let basis: FigureBasis
    package let watts: Double

    private static let event = RankedEvent.seconds(3600)

    /// From the ranked hour, otherwise predicted from other results by Paul's law.
    ///
    /// - Parameter bests: the rower's bests; nil if no athlete was assigned.
    package static func of(
        _ bests: AthleteBests?, on machine: MachineKind
    ) -> Result<HourPower, MissingReason> {
        guard let bests = bests?.bests else { return .failure(MissingReason(.noAthlete)) }
        let ranked = bests.first {
            $0.machine == machine && $0.season == nil && $0.event == event
        }?.ranked
        if let ranked {
            let formula = "2.80 / (s per m)^3 of the ranked 60 min"
            return .success(
                HourPower(
                    basis: FigureBasis(.computed, formula, of: [ranked]),
                    watts: ranked.watts(on: machine)))
        }
        let results = RankedDistance.all(bests, on: machine)
        guard case .success(let law) = PaulsLaw.of(results, on: machine),
            let figure = Prediction.all(by: law, from: results, besides: [])
                .first(where: { $0.event == event })?.figure
        else { return .failure(MissingReason(.noHourPower)) }
        let formula = "2.80 / (s per m)^3 of 60 min at the " + figure.formula
        return .success(
            HourPower(
                basis: FigureBasis(law.basis.kind, formula, of: [figure]),
                watts: figure.watts(on: machine)))
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("power_w", watts, places: 1)
    }
}
