import Bests
import Bytes

/// Training metrics of one session in relation to its rower's results; `PieceTraining` holds the metrics
/// that need only the session.
package struct SessionTraining: Equatable, Sendable {
    package let piece: PieceTraining
    package let zones: Result<PowerZones, MissingReason>
    package let heartZones: Result<HeartZones, MissingReason>
    package let load: Result<SessionLoad, MissingReason>
    package let balance: Result<ReserveBalance, MissingReason>

    /// - Parameters:
    ///   - recorded: the session with its strokes.
    ///   - bests: the rower's bests; nil if no athlete was assigned.
    ///   - heart: the rower's heart rate limits, if known.
    package init(
        _ piece: PieceTraining, _ recorded: RecordedPiece, bests: AthleteBests?,
        heart: HeartLimits? = nil
    ) {
        let machine = piece.metrics.machine
        self.piece = piece
        zones = PowerZones.of(bests, on: machine)
        heartZones = bests == nil ? .failure(MissingReason(.noAthlete)) : HeartZones.of(heart)
        load = SessionLoad.of(piece, by: HourPower.of(bests, on: machine))
        balance = ReserveBalance.of(recorded, by: CriticalPower.of(bests, on: machine))
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        piece.write(into: &json, zones: zones)
        json.result("heart_zones", heartZones) { $0.write(into: &$1) }
        if case .success(let zones) = heartZones {
            json.object("time_in_heart_zone") { TimeInZone([piece], in: zones).write(into: &$0) }
        }
        json.result("load", load) { $0.write(into: &$1) }
        json.result("reserve_balance", balance) { $0.write(into: &$1) }
        let metrics = piece.metrics
        let basis = FigureBasis(
            .computed, ForceFeatures.formula, of: [metrics.name], on: metrics.startedAt)
        json.result("force", piece.force) { $0.write(basis, into: &$1) }
    }
}
