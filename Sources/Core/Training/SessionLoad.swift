import Bests
import Bytes

/// How much a session asks of somebody: 100 is an hour as hard as they can.
///
/// It adds up what was rowed and knows nothing of sleep, illness or a year of age; no number of it says
/// who gets hurt (Impellizzeri and others 2020), so that no ratio of loads is told.
package struct SessionLoad: Equatable, Sendable {
    package let basis: FigureBasis
    /// Tenths: whole, so that sums are the same in any order.
    package let tenths: Int64
    /// P_n.
    package let watts: Double

    /// Percent of the time of work whose power has to be known.
    package static let leastKnown = 90.0
    package static let formula = "100 h (P_n / P_60min)^2, P_n from 30 s averages"

    package static func of(_ piece: PieceTraining, by hour: Told<HourPower>) -> Told<SessionLoad> {
        let power: HourPower
        switch hour {
        case .success(let found): power = found
        case .failure(let lack): return .failure(lack)
        }
        let all = piece.figures.total.centiseconds
        let known = Double(piece.normalized?.centiseconds ?? 0) / Double(max(1, all)) * 100
        guard let normalized = piece.normalized, known >= leastKnown else {
            return .failure(Lack(.noPower, has: min(known, 100), needs: leastKnown))
        }
        let share = normalized.watts / power.watts
        let load = 100 * Double(all) / 360_000 * share * share
        let kind = power.basis.kind == .measured ? FigureKind.computed : power.basis.kind
        let basis = FigureBasis(
            kind, formula, of: [piece.figures.name] + power.basis.inputs,
            on: max(piece.figures.startedAt, power.basis.date))
        return .success(
            SessionLoad(
                basis: basis, tenths: Int64((load * 10).rounded()), watts: normalized.watts))
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.field("load", tenths, places: 1)
        json.decimal("normalized_power_w", watts, places: 1)
    }
}
