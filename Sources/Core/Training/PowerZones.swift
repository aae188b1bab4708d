import Bests
import Bytes

/// Somebody's zones on one kind of machine.
package struct PowerZones: TrainingZones {
    package let basis: FigureBasis
    /// Mean power of the 2000 m that they come from.
    package let watts: Double
    package let bounds: [Int]

    package static let formula = "percent of 2.80 / (s per m)^3 of the best ranked 2000 m"
    package static let timeFormula = "sum of the time of the strokes whose watts are in the zone"

    /// - Parameter bests: of one athlete; those of all time are asked.
    package static func of(
        _ bests: [AthleteBests.Best], on machine: MachineKind
    ) -> Told<PowerZones> {
        guard machine != .bike else { return .failure(Lack(.notOnBike)) }
        let best = bests.first {
            $0.machine == machine && $0.season == nil && $0.event == .metres(2000)
        }
        guard let result = best?.ranked else { return .failure(Lack(.noRanked2000)) }
        return .success(PowerZones(result, on: machine))
    }

    /// - Parameter bests: of who rowed; nil where nobody was assigned.
    package static func of(_ bests: AthleteBests?, on machine: MachineKind) -> Told<PowerZones> {
        bests.map { of($0.bests, on: machine) } ?? .failure(Lack(.noAthlete))
    }

    private init(_ result: RowedFigure, on machine: MachineKind) {
        let watts = result.watts(on: machine)
        self.watts = watts
        basis = FigureBasis(.ruleOfThumb, Self.formula, of: [result])
        bounds = PowerZone.allCases.compactMap(\.upperPercent)
            .map { Int((watts * Double($0) / 100).rounded(.up)) }
    }

    package func time(power: StrokeTime, heart: StrokeTime) -> [Int64] {
        power.time(between: bounds)
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("power_w", watts, places: 1)
        writeBounds(into: &json, from: "from_w", to: "to_w")
    }
}
