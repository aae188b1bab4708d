import Bests
import Training

/// Rule `more_volume`: if weeks are level and the share of easy rowing is small, suggests the usual easy
/// piece longer by 5 to 10 % of a week.
///
/// Endurance athletes row about four fifths of their time easy (Seiler 2010). Without zones the easy share
/// is unknown, and there is no suggestion.
enum MoreVolume {
    /// Number of complete weeks used, and minimum sessions of each.
    static let weeks: Int64 = 4
    static let leastSessions = 2
    /// Maximum spread of the weeks in percent.
    static let mostSpread = 15.0
    /// Percent of a week that is added; the middle of the range, rounded to whole minutes.
    static let growth = 5.0...10.0
    /// Percent of easy time from which there is no suggestion.
    static let enoughEasy = 80.0
    /// Minimum number of easy pieces in these weeks, and minimum length of such a piece in seconds.
    static let leastEasy = 2
    static let leastSeconds = 900.0
    static let expiryDays: Int64 = 14

    static func suggestions(_ past: SessionHistory) -> [Suggestion] {
        let weeks = past.weeks(weeks)
        let times = weeks.map(\.seconds)
        guard weeks.allSatisfy({ $0.pieces.count >= leastSessions }),
            times.coefficientOfVariationPercent <= mostSpread,
            let zones = past.zones, let easy = past.easyWatts,
            !past.hasBreak(inDays: 28), !past.drifts(inDays: 14)
        else { return [] }
        let pieces = weeks.flatMap(\.pieces)
        let share = easyPercent(of: pieces, in: zones)
        let steady = pieces.filter { past.isEasy($0) && $0.seconds >= leastSeconds }
        guard share < enoughEasy, steady.count >= leastEasy, let last = pieces.last,
            let more = minutes(toAddTo: times.mean)
        else { return [] }
        let usual = steady.map(\.seconds).median
        let minutes = Int((usual / 60).rounded()) + more
        guard let workout = SuggestedWorkout(easyMinutes: minutes, easy) else { return [] }
        return [
            Suggestion(
                .moreVolume, target: "week", workout, past, anchor: last.name,
                reasons: [
                    SuggestionReason(
                        .levelWeeks, times: weeks.count, percent: times.coefficientOfVariationPercent,
                        seconds: times.mean, of: pieces.map(\.name)),
                    SuggestionReason(
                        .easyShare, days: weeks.count * 7, percent: share,
                        of: pieces.map(\.name)),
                    SuggestionReason(.usualPiece, seconds: usual, of: steady.map(\.name)),
                ],
                Confidence(
                    count: pieces.count, ageDays: past.age(of: last.endedAt),
                    spreadPercent: times.coefficientOfVariationPercent),
                madeAt: past.weekStart(), expiresAt: past.weekStart(plusDays: expiryDays))
        ]
    }

    /// Whole minutes; nil if a minute is too much for such a short week.
    static func minutes(toAddTo seconds: Double) -> Int? {
        let week = seconds / 60
        guard week > 0 else { return nil }
        let middle = (growth.lowerBound + growth.upperBound) / 2
        let minutes = (week * middle / 100).rounded()
        return growth.contains(minutes / week * 100) ? Int(minutes) : nil
    }

    /// Share of the time with known watts.
    private static func easyPercent(of pieces: [PieceTraining], in zones: PowerZones) -> Double {
        let times = TimeInZone(pieces, in: zones).centiseconds
        let all = times.reduce(0, +)
        let hard = PowerZone.allCases.firstIndex(of: .at) ?? 0
        return all > 0 ? Double(times[..<hard].reduce(0, +)) / Double(all) * 100 : 100
    }
}
