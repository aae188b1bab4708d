import Bests
import Bytes

/// A training zone by power, as a fraction of the mean power of the best 2000 m.
package enum PowerZone: String, CaseIterable, Sendable {
    /// Below all named zones: paddling.
    case below
    /// Utilisation 2 and 1, aerobic: power that can be sustained for hours, and for an hour.
    case ut2, ut1
    /// About the anaerobic threshold.
    case at
    /// Oxygen transport: about 2000 m power.
    case tr
    /// Anaerobic.
    case an
    /// Above 2000 m power.
    case above

    /// Upper end in percent, where the next zone begins; nil for the last.
    ///
    /// Rule of thumb of British and Irish rowing's training guides, as rowing programs use it.
    package var upperPercent: Int? {
        switch self {
        case .below: 55
        case .ut2: 65
        case .ut1: 75
        case .at: 85
        case .tr: 95
        case .an: 105
        case .above: nil
        }
    }
}

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
