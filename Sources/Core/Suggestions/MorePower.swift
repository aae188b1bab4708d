import Bests
import Training

/// Rule `more_power`: a workout that somebody has rowed several times is offered with 1.5 % more power.
///
/// It rests on the middle one of the last results, so that one hard session changes nothing. Where the
/// last one was not held to its end, missed its target, or the heart ran away, it says nothing.
enum MorePower {
    /// Days that results are looked for in, and days that the last may be old.
    static let days: Int64 = 42
    static let freshDays: Int64 = 14
    /// Results of a workout, at least; as many as that of the last ones are held against each other, and
    /// up to five.
    static let least = 3
    static let most = 5
    /// Percent more than the middle one: between 1 and 2.
    static let stepPercent = 1.5
    /// Percent about their mean, at most: what spreads more is no level to build on.
    static let mostSpread = 10.0
    /// Thousandths of the strokes that have to have been in the target, where there was one.
    static let leastInTarget = 600
    /// Percent of the mean that the last interval, or the second half, may be slower.
    static let mostFade = 5.0
    /// Seconds of a single piece: shorter ones are tests, and are no training to be built up.
    static let leastSeconds = 1200.0
    static let expiryDays: Int64 = 14

    static func suggestions(_ past: AthletePast) -> [Suggestion] {
        guard !past.hasBreak(inDays: days), !past.drifts(inDays: freshDays) else { return [] }
        let recent = past.pieces(ofDays: days)
        let rowed = recent.filter { $0.workout?.isComplete ?? false && isTraining($0) }
        let rows = Dictionary(grouping: rowed) { $0.workout?.row ?? "" }
        // What is rowed most often first; of two the newer.
        let ordered = rows.sorted {
            ($1.value.count, $1.value.last?.figures.startedAt ?? 0, $1.key)
                < ($0.value.count, $0.value.last?.figures.startedAt ?? 0, $0.key)
        }
        return ordered.compactMap { suggestion($0.key, $0.value, recent, past) }
    }

    private static func suggestion(
        _ row: String, _ results: [PieceTraining], _ recent: [PieceTraining], _ past: AthletePast
    ) -> Suggestion? {
        let attempts = recent.filter { $0.workout?.isAttempt(atRow: row) ?? false }
        guard results.count >= least, let last = results.last, attempts.last?.name == last.name,
            past.age(of: last.figures.startedAt) <= Double(freshDays), isHeld(last),
            !isMissed(row, past)
        else { return nil }
        let level = Array(results.suffix(most))
        let watts = level.map { $0.figures.total.watts(on: past.machine) }
        guard watts.spreadPercent <= mostSpread,
            let workout = SuggestedWorkout(row, about: watts.middle * (1 + stepPercent / 100))
        else { return nil }
        return Suggestion(
            .morePower, target: row, workout, past, anchor: last.name,
            reasons: reasons(results, level, watts, last),
            Confidence(
                count: results.count, ageDays: past.age(of: last.endedAt),
                spreadPercent: watts.spreadPercent),
            madeAt: last.endedAt, expiresAt: last.endedAt + expiryDays * AthletePast.day)
    }

    private static func reasons(
        _ results: [PieceTraining], _ level: [PieceTraining], _ watts: [Double],
        _ last: PieceTraining
    ) -> [SuggestionReason] {
        var reasons = [
            SuggestionReason(
                .rowedOften, times: results.count, days: Int(days), of: results.map(\.name)),
            SuggestionReason(
                .heldPower, watts: watts.middle, percent: watts.spreadPercent,
                of: level.map(\.name)),
        ]
        if let share = last.workout?.inTarget {
            reasons.append(
                SuggestionReason(.targetMet, percent: Double(share) / 10, of: [last.name]))
        }
        return reasons
    }

    private static func isTraining(_ piece: PieceTraining) -> Bool {
        (piece.workout?.isIntervals ?? false) || piece.seconds >= leastSeconds
    }

    /// Whether it was as strong at its end as before, and in its target where it had one.
    private static func isHeld(_ piece: PieceTraining) -> Bool {
        guard let workout = piece.workout else { return false }
        if let share = workout.inTarget, share < leastInTarget { return false }
        if workout.isIntervals, workout.parts.count > 1, let end = workout.parts.last {
            func pace(_ point: RowedPoint) -> Double {
                Double(point.centiseconds) / Double(max(1, point.decimetres))
            }
            return pace(end.rowed) <= pace(piece.figures.total) * (1 + mostFade / 100)
        }
        return (try? piece.split.get()).map { $0.percent <= mostFade } ?? true
    }

    /// Whether what was accepted last of this workout was missed.
    private static func isMissed(_ row: String, _ past: AthletePast) -> Bool {
        let last = past.words.filter {
            $0.rule == .morePower && $0.target == row && $0.said == .accepted
        }.max { $0.at < $1.at }
        guard let last, last.at > past.now - days * AthletePast.day,
            let outcome = SuggestionOutcome.of(last, in: past.pieces)
        else { return false }
        return outcome.verdict == .below || outcome.verdict == .incomplete
    }
}
