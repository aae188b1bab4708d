import Bests
import Training

/// Rule `more_volume`: where weeks are alike and the share of easy rowing is small, the usual easy piece
/// is offered longer, by 5 to 10 % of a week.
///
/// Most of what people who row far do is easy: about four fifths of it (Seiler 2010). Without zones
/// nobody knows what is easy, and the rule says nothing.
enum MoreVolume {
    /// Whole weeks that are looked at, and sessions that each of them has at least.
    static let weeks: Int64 = 4
    static let leastSessions = 2
    /// Percent about their mean, at most.
    static let mostSpread = 15.0
    /// Percent of a week: what is added is between the two, as near the middle as whole minutes go.
    static let growth = 5.0...10.0
    /// Percent of the time that is easy where no more is needed.
    static let enoughEasy = 80.0
    /// Easy pieces in these weeks that there are at least, and how long such a piece is, in seconds.
    static let leastEasy = 2
    static let leastSeconds = 900.0
    static let expiryDays: Int64 = 14

    static func suggestions(_ past: AthletePast) -> [Suggestion] {
        let weeks = past.weeks(weeks)
        let times = weeks.map(\.seconds)
        guard weeks.allSatisfy({ $0.pieces.count >= leastSessions }),
            times.spreadPercent <= mostSpread, let zones = past.zones, let easy = past.easyWatts,
            !past.hasBreak(inDays: 28), !past.drifts(inDays: 14)
        else { return [] }
        let pieces = weeks.flatMap(\.pieces)
        let share = easyPercent(of: pieces, in: zones)
        let steady = pieces.filter { past.isEasy($0) && $0.seconds >= leastSeconds }
        guard share < enoughEasy, steady.count >= leastEasy, let last = pieces.last,
            let more = minutes(toAddTo: times.mean)
        else { return [] }
        let usual = steady.map(\.seconds).middle
        let minutes = Int((usual / 60).rounded()) + more
        guard let workout = SuggestedWorkout(easyMinutes: minutes, easy) else { return [] }
        return [
            Suggestion(
                .moreVolume, target: "week", workout, past, anchor: last.name,
                reasons: [
                    SuggestionReason(
                        .levelWeeks, times: weeks.count, percent: times.spreadPercent,
                        seconds: times.mean, of: pieces.map(\.name)),
                    SuggestionReason(
                        .easyShare, days: weeks.count * 7, percent: share,
                        of: pieces.map(\.name)),
                    SuggestionReason(.usualPiece, seconds: usual, of: steady.map(\.name)),
                ],
                Confidence(
                    count: pieces.count, ageDays: past.age(of: last.endedAt),
                    spreadPercent: times.spreadPercent),
                madeAt: past.weekStart(), expiresAt: past.weekStart(plusDays: expiryDays))
        ]
    }

    /// Whole minutes; nil where a week is too short for one to be so little of it.
    static func minutes(toAddTo seconds: Double) -> Int? {
        let week = seconds / 60
        guard week > 0 else { return nil }
        let middle = (growth.lowerBound + growth.upperBound) / 2
        let minutes = (week * middle / 100).rounded()
        return growth.contains(minutes / week * 100) ? Int(minutes) : nil
    }

    /// Of the time whose watts are known.
    private static func easyPercent(of pieces: [PieceTraining], in zones: PowerZones) -> Double {
        let times = TimeInZone(pieces, in: zones).centiseconds
        let all = times.reduce(0, +)
        let hard = PowerZone.allCases.firstIndex(of: .at) ?? 0
        return all > 0 ? Double(times[..<hard].reduce(0, +)) / Double(all) * 100 : 100
    }
}
