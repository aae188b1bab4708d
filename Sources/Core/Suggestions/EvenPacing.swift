import Bests
import Training

/// Rule `even_pacing`: an event whose second half was slower time and again is offered at one pace: power
/// goes with the third power of speed, so that what a fast beginning wins costs more than it brings.
enum EvenPacing {
    static let days: Int64 = 90
    /// Pieces over an event, the last ones, of which each was slower in its second half.
    static let least = 2
    static let most = 3
    /// Percent that a second half is slower; an even piece is within 0.5.
    static let leastIndex = 2.0
    /// Seconds for 500 m: faster and slower than the mean.
    static let band = (faster: 0.5, slower: 1.5)
    static let expiryDays: Int64 = 28

    static func suggestions(_ past: AthletePast) -> [Suggestion] {
        guard past.machine != .bike, !past.hasBreak(inDays: 14) else { return [] }
        let pieces = past.pieces(ofDays: days).filter {
            $0.figures.preset != nil && ($0.workout?.isComplete ?? false)
        }
        let events = Dictionary(grouping: pieces) { $0.figures.preset?.word ?? "" }
        // The one that was rowed last.
        let found = events.sorted {
            ($1.value.last?.figures.startedAt ?? 0, $1.key)
                < ($0.value.last?.figures.startedAt ?? 0, $0.key)
        }
        return found.lazy.compactMap { suggestion($0.key, $0.value, past) }.first.map { [$0] } ?? []
    }

    private static func suggestion(
        _ event: String, _ pieces: [PieceTraining], _ past: AthletePast
    ) -> Suggestion? {
        let last = Array(pieces.suffix(most))
        let indices = last.compactMap { try? $0.split.get().percent }
        guard last.count >= least, indices.count == last.count,
            indices.allSatisfy({ $0 >= leastIndex }), let newest = last.last,
            let row = newest.workout?.row
        else { return nil }
        let expiresAt = newest.endedAt + expiryDays * AthletePast.day
        let pace = newest.figures.total.pace
        guard past.now < expiresAt,
            let workout = SuggestedWorkout(
                row, pace: (pace - band.faster)...(pace + band.slower))
        else { return nil }
        return Suggestion(
            .evenPacing, target: event, workout, past, anchor: newest.name,
            reasons: [
                SuggestionReason(
                    .slowerHalf, times: last.count, percent: indices.middle,
                    of: last.map(\.name)),
                SuggestionReason(.meanPace, pace: pace, of: [newest.name]),
            ],
            Confidence(
                count: last.count, ageDays: past.age(of: newest.endedAt), spreadPercent: 0),
            madeAt: newest.endedAt, expiresAt: expiresAt)
    }
}
