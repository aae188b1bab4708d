import Bests

/// What the force curves of a day, a week or a season have in common.
package struct ForceInSpan: Equatable, Sendable {
    package let span: TrainingSpan
    package let basis: FigureBasis
    package let features: ForceFeatures

    /// Of all spans in which curves enough of a session are known, in order.
    static func all(
        of pieces: [PieceTraining], _ length: TrainingSpan.Length, in season: Season? = nil
    ) -> [ForceInSpan] {
        let known = pieces.compactMap {
            piece -> (figures: PieceFigures, features: ForceFeatures)? in
            guard case .success(let features) = piece.force else { return nil }
            let isWanted = season.map { $0 == piece.figures.season } ?? true
            return isWanted ? (piece.figures, features) : nil
        }
        return Dictionary(grouping: known) { TrainingSpan(length, of: $0.figures.startedOn) }
            .sorted { $0.key < $1.key }
            .map { span, found in
                ForceInSpan(
                    span: span,
                    basis: FigureBasis(
                        .computed, ForceFeatures.formula, of: found.map(\.figures.name),
                        on: found.map(\.figures.startedAt).max() ?? 0),
                    features: found.map(\.features).reduce(.none) { $0.adding($1) })
            }
    }
}
