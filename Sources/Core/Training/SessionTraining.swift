import Bests
import Bytes

/// What a session says for training beside its rower's results: what of it rests on them alone is
/// `PieceTraining`.
package struct SessionTraining: Equatable, Sendable {
    package let piece: PieceTraining
    package let zones: Told<PowerZones>
    package let heartZones: Told<HeartZones>
    package let load: Told<SessionLoad>
    package let balance: Told<ReserveBalance>

    /// - Parameters:
    ///   - rowed: its strokes.
    ///   - bests: of who rowed it; nil where nobody was assigned.
    ///   - heart: theirs, where they are given.
    package init(
        _ piece: PieceTraining, _ rowed: RowedPiece, beside bests: AthleteBests?,
        heart: HeartLimits? = nil
    ) {
        let machine = piece.figures.machine
        self.piece = piece
        zones = PowerZones.of(bests, on: machine)
        heartZones = bests == nil ? .failure(Lack(.noAthlete)) : HeartZones.of(heart)
        load = SessionLoad.of(piece, by: HourPower.of(bests, on: machine))
        balance = ReserveBalance.of(rowed, by: CriticalPower.of(bests, on: machine))
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        piece.write(into: &json, zones: zones)
        json.told("heart_zones", heartZones) { $0.write(into: &$1) }
        if case .success(let zones) = heartZones {
            json.object("time_in_heart_zone") { TimeInZone([piece], in: zones).write(into: &$0) }
        }
        json.told("load", load) { $0.write(into: &$1) }
        json.told("reserve_balance", balance) { $0.write(into: &$1) }
        let figures = piece.figures
        let basis = FigureBasis(
            .computed, ForceFeatures.formula, of: [figures.name], on: figures.startedAt)
        json.told("force", piece.force) { $0.write(basis, into: &$1) }
    }
}
