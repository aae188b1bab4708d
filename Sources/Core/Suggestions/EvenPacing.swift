import Bests
import Training

/// Rule `even_pacing`: if the second half of an event was slower several times, suggests it at constant
/// pace. Power rises with the cube of speed, so a fast start costs more than it gains.
enum EvenPacing {
    static let days: Int64 = 90
    /// Minimum and maximum number of last pieces over the event; each had a slower second half.
    static let least = 2
    static let most = 3
    /// Minimum percent by which the second half was slower; even pieces are within 0.5.
    static let leastIndex = 2.0
    /// Seconds per 500 m below and above the mean pace.
    static let band = (faster: 0.5, slower: 1.5)
    static let expiryDays: Int64 = 28

    static func suggestions(_ past: SessionHistory) -> [Suggestion] {
        guard past.machine != .bike, !past.hasBreak(inDays: 14) else { return [] }
        let pieces = past.pieces(ofDays: days).filter {
            $0.metrics.preset != nil && ($0.workout?.isComplete ?? false)
        }
        let events = Dictionary(grouping: pieces) { $0.metrics.preset?.wireName ?? "" }
        // The most recent event first.
        let found = events.sorted {
            ($1.value.last?.metrics.startedAt ?? 0, $1.key)
                < ($0.value.last?.metrics.startedAt ?? 0, $0.key)
        }
        return found.lazy.compactMap { suggestion($0.key, $0.value, past) }.first.map { [$0] } ?? []
    }

    private static func suggestion(
        _ event: String, _ pieces: [PieceTraining], _ past: SessionHistory
    ) -> Suggestion? {
        let last = Array(pieces.suffix(most))
        let indices = last.compactMap { try? $0.split.get().percent }
        guard last.count >= least, indices.count == last.count,
            indices.allSatisfy({ $0 >= leastIndex }), let newest = last.last,
            let notation = newest.workout?.notation
        else { return nil }
        let expiresAt = newest.endedAt + expiryDays * SessionHistory.day
        let pace = newest.metrics.total.pace
        guard past.now < expiresAt,
            let workout = SuggestedWorkout(
                notation, pace: (pace - band.faster)...(pace + band.slower))
        else { return nil }
        return Suggestion(
            .evenPacing, target: event, workout, past, anchor: newest.name,
            reasons: [
                SuggestionReason(
                    .slowerHalf, times: last.count, percent: indices.median,
                    of: last.map(\.name)),
                SuggestionReason(.meanPace, pace: pace, of: [newest.name]),
            ],
            Confidence(
                count: last.count, ageDays: past.age(of: newest.endedAt), spreadPercent: 0),
            madeAt: newest.endedAt, expiresAt: expiresAt)
    }
}
