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

/// The training load of a session: 100 is an hour at the athlete's hour power.
///
/// Load sums up work only; it ignores sleep, illness and age. It does not predict injury (Impellizzeri and
/// others 2020), so no ratio of loads is reported.
package struct SessionLoad: Equatable, Sendable {
    package let basis: FigureBasis
    /// Tenths; an integer, so that sums do not depend on the order.
    package let tenths: Int64
    /// Normalized power, P_n.
    package let watts: Double

    /// Minimum percent of the work time with known power.
    package static let leastKnown = 90.0
    package static let formula = "100 h (P_n / P_60min)^2, P_n from 30 s averages"

    package static func of(
        _ piece: PieceTraining, by hour: Result<HourPower, MissingReason>
    ) -> Result<SessionLoad, MissingReason> {
        let power: HourPower
        switch hour {
        case .success(let found): power = found
        case .failure(let reason): return .failure(reason)
        }
        let all = piece.metrics.total.centiseconds
        let known = Double(piece.normalized?.centiseconds ?? 0) / Double(max(1, all)) * 100
        guard let normalized = piece.normalized, known >= leastKnown else {
            return .failure(MissingReason(.noPower, has: min(known, 100), needs: leastKnown))
        }
        let share = normalized.watts / power.watts
        let load = 100 * Double(all) / 360_000 * share * share
        let kind = power.basis.kind == .measured ? FigureKind.computed : power.basis.kind
        let basis = FigureBasis(
            kind, formula, of: [piece.metrics.name] + power.basis.inputs,
            on: max(piece.metrics.startedAt, power.basis.date))
        return .success(
            SessionLoad(
                basis: basis, tenths: Int64((load * 10).rounded()), watts: normalized.watts))
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        basis.write(into: &json)
        json.field("load", tenths, places: 1)
        json.decimal("normalized_power_w", watts, places: 1)
    }
}
