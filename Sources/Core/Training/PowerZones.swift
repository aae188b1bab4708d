import Bests
import Bytes

/// How hard somebody rows, by a share of the mean power of their best 2000 m.
package enum PowerZone: String, CaseIterable, Sendable {
    /// Below all that has a name: paddling.
    case below
    /// Utilisation 2 and 1, by what the body makes of oxygen: what can be kept up for hours, for an hour.
    case ut2, ut1
    /// About the anaerobic threshold.
    case at
    /// Oxygen transport: what a 2000 m asks for.
    case tr
    /// Anaerobic.
    case an
    /// Above what a 2000 m asks for.
    case above

    /// Where it ends, in percent; nil for the last. It begins where the one before it ends.
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

    package func time(of piece: PieceTraining) -> [Int64] { piece.power.time(between: bounds) }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.decimal("power_w", watts, places: 1)
        writeBounds(into: &json, from: "from_w", to: "to_w")
    }
}
