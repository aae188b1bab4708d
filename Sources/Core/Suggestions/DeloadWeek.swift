import Bests
import Training

/// Rule `deload_week`: suggests a lighter week after three weeks that were each longer than the one before.
///
/// In such a week no rule asks for more work.
enum DeloadWeek {
    /// Minimum percent of growth from week to week, and over all weeks.
    static let leastGrowth = 3.0
    static let leastTogether = 15.0
    static let leastSessions = 3
    /// Percent of the last week: the volume of a light week, and the length of a piece in it.
    static let lightPercent = 60.0
    /// Percent of the last week: no suggestion if the current week has this much already.
    static let tooMuchPercent = 70.0

    static func suggestions(_ past: SessionHistory) -> [Suggestion] {
        let weeks = past.weeks(4)
        let times = weeks.map(\.seconds)
        guard let first = times.first, let end = times.last, first > 0,
            weeks.allSatisfy({ $0.pieces.count >= leastSessions }),
            zip(times, times.dropFirst()).allSatisfy({ $1 >= $0 * (1 + leastGrowth / 100) }),
            end >= first * (1 + leastTogether / 100), let last = weeks.last?.pieces.last
        else { return [] }
        let now = past.pieces.filter { $0.metrics.startedOn >= past.monday }
        let secondsThisWeek = now.reduce(0) { $0 + $1.seconds }
        guard secondsThisWeek < end * tooMuchPercent / 100 else { return [] }
        let pieces = weeks.flatMap(\.pieces)
        let usual = pieces.map(\.seconds).median
        let minutes = max(10, Int((usual / 60 * lightPercent / 100).rounded()))
        guard let workout = SuggestedWorkout(easyMinutes: minutes, past.easyWatts) else {
            return []
        }
        return [
            Suggestion(
                .deloadWeek, target: "week", workout, past, anchor: last.name,
                reasons: [
                    SuggestionReason(
                        .growingWeeks, times: 3, percent: (end / first - 1) * 100, seconds: end,
                        of: pieces.map(\.name)),
                    SuggestionReason(.usualPiece, seconds: usual, of: pieces.map(\.name)),
                ],
                Confidence(
                    count: pieces.count, ageDays: past.age(of: last.endedAt),
                    spreadPercent: 0),
                madeAt: past.weekStart(), expiresAt: past.weekStart(plusDays: 7))
        ]
    }
}
