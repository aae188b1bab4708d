import Bests

/// Mean features of the force curves of a day, a week or a season.
package struct ForceInSpan: Equatable, Sendable {
    package let span: TrainingSpan
    package let basis: FigureBasis
    package let features: ForceFeatures

    /// All spans with enough curves of a session, in order.
    static func all(
        of pieces: [PieceTraining], _ length: TrainingSpan.Length, in season: Season? = nil
    ) -> [ForceInSpan] {
        let known = pieces.compactMap {
            piece -> (metrics: PieceMetrics, features: ForceFeatures)? in
            guard case .success(let features) = piece.force else { return nil }
            let isWanted = season.map { $0 == piece.metrics.season } ?? true
            return isWanted ? (piece.metrics, features) : nil
        }
        return Dictionary(grouping: known) { TrainingSpan(length, of: $0.metrics.startedOn) }
            .sorted { $0.key < $1.key }
            .map { span, found in
                ForceInSpan(
                    span: span,
                    basis: FigureBasis(
                        .computed, ForceFeatures.formula, of: found.map(\.metrics.name),
                        on: found.map(\.metrics.startedAt).max() ?? 0),
                    features: found.map(\.features).reduce(.none) { $0.adding($1) })
            }
    }
}
