import Bests
import Bytes

/// An athlete's power zones on one kind of machine.
package struct PowerZones: TrainingZones {
    package let basis: FigureBasis
    /// Mean power of the 2000 m that defines the zones.
    package let watts: Double
    package let bounds: [Int]

    package static let formula = "percent of 2.80 / (s per m)^3 of the best ranked 2000 m"
    package static let timeFormula = "sum of the time of the strokes whose watts are in the zone"

    /// - Parameter bests: bests of one athlete; the all-time ones are used.
    package static func of(
        _ bests: [AthleteBests.Best], on machine: MachineKind
    ) -> Result<PowerZones, MissingReason> {
        guard machine != .bike else { return .failure(MissingReason(.notOnBike)) }
        let best = bests.first {
            $0.machine == machine && $0.season == nil && $0.event == .metres(2000)
        }
        guard let result = best?.ranked else { return .failure(MissingReason(.noRanked2000)) }
        return .success(PowerZones(result, on: machine))
    }

    /// - Parameter bests: the rower's bests; nil if no athlete was assigned.
    package static func of(
        _ bests: AthleteBests?, on machine: MachineKind
    ) -> Result<PowerZones, MissingReason> {
        bests.map { of($0.bests, on: machine) } ?? .failure(MissingReason(.noAthlete))
    }

    private init(_ result: EventResult, on machine: MachineKind) {
        let watts = result.watts(on: machine)
        self.watts = watts
        basis = FigureBasis(.ruleOfThumb, Self.formula, of: [result])
        bounds = PowerZone.allCases.compactMap(\.upperPercent)
            .map { Int((watts * Double($0) / 100).rounded(.up)) }
    }

    package func time(power: StrokeTimeHistogram, heart: StrokeTimeHistogram) -> [Int64] {
        power.time(between: bounds)
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("power_w", watts, places: 1)
        writeBounds(into: &json, from: "from_w", to: "to_w")
    }
}
