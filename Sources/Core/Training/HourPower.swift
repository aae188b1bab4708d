import Bests
import Bytes

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
