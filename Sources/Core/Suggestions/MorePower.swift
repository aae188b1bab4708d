import Bests
import Training

/// Rule `more_power`: suggests a workout that was completed several times, with 1.5 % more power.
///
/// It starts from the median of the last results, so one hard session changes nothing. There is no
/// suggestion if the last result faded, missed its target, or had too much heart rate drift.
enum MorePower {
    /// Days in which results count, and maximum age of the last one in days.
    static let days: Int64 = 42
    static let freshDays: Int64 = 14
    /// Minimum number of results of a workout, and maximum number of last ones that are compared.
    static let least = 3
    static let most = 5
    /// Percent above the median; coaches use 1 to 2.
    static let stepPercent = 1.5
    /// Maximum spread in percent; results that spread more are no stable level.
    static let mostSpread = 10.0
    /// Minimum fraction of strokes on target, in thousandths, if there was a target.
    static let leastInTarget = 600
    /// Maximum percent by which the last interval, or the second half, may be slower than the mean.
    static let mostFade = 5.0
    /// Seconds of a single piece; shorter ones are tests, not training.
    static let leastSeconds = 1200.0
    static let expiryDays: Int64 = 14

    static func suggestions(_ past: SessionHistory) -> [Suggestion] {
        guard !past.hasBreak(inDays: days), !past.drifts(inDays: freshDays) else { return [] }
        let recent = past.pieces(ofDays: days)
        let completed = recent.filter { $0.workout?.isComplete ?? false && isTraining($0) }
        let byNotation = Dictionary(grouping: completed) { $0.workout?.notation ?? "" }
        // The most frequent workout first; of two the newer.
        let ordered = byNotation.sorted {
            ($1.value.count, $1.value.last?.metrics.startedAt ?? 0, $1.key)
                < ($0.value.count, $0.value.last?.metrics.startedAt ?? 0, $0.key)
        }
        return ordered.compactMap { suggestion($0.key, $0.value, recent, past) }
    }

    private static func suggestion(
        _ notation: String, _ results: [PieceTraining], _ recent: [PieceTraining], _ past: SessionHistory
    ) -> Suggestion? {
        let attempts = recent.filter { $0.workout?.isAttempt(at: notation) ?? false }
        guard results.count >= least, let last = results.last, attempts.last?.name == last.name,
            past.age(of: last.metrics.startedAt) <= Double(freshDays), isHeld(last),
            !isMissed(notation, past)
        else { return nil }
        let level = Array(results.suffix(most))
        let watts = level.map { $0.metrics.total.watts(on: past.machine) }
        guard watts.coefficientOfVariationPercent <= mostSpread,
            let workout = SuggestedWorkout(notation, about: watts.median * (1 + stepPercent / 100))
        else { return nil }
        return Suggestion(
            .morePower, target: notation, workout, past, anchor: last.name,
            reasons: reasons(results, level, watts, last),
            Confidence(
                count: results.count, ageDays: past.age(of: last.endedAt),
                spreadPercent: watts.coefficientOfVariationPercent),
            madeAt: last.endedAt, expiresAt: last.endedAt + expiryDays * SessionHistory.day)
    }

    private static func reasons(
        _ results: [PieceTraining], _ level: [PieceTraining], _ watts: [Double],
        _ last: PieceTraining
    ) -> [SuggestionReason] {
        var reasons = [
            SuggestionReason(
                .completedOften, times: results.count, days: Int(days), of: results.map(\.name)),
            SuggestionReason(
                .heldPower, watts: watts.median, percent: watts.coefficientOfVariationPercent,
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

    /// Whether the athlete held the power to the end, and met the target if there was one.
    private static func isHeld(_ piece: PieceTraining) -> Bool {
        guard let workout = piece.workout else { return false }
        if let share = workout.inTarget, share < leastInTarget { return false }
        if workout.isIntervals, workout.parts.count > 1, let end = workout.parts.last {
            func pace(_ point: WorkPoint) -> Double {
                Double(point.centiseconds) / Double(max(1, point.decimetres))
            }
            return pace(end.result) <= pace(piece.metrics.total) * (1 + mostFade / 100)
        }
        return (try? piece.split.get()).map { $0.percent <= mostFade } ?? true
    }

    /// Whether the last accepted suggestion for this workout was missed.
    private static func isMissed(_ notation: String, _ past: SessionHistory) -> Bool {
        let last = past.responses.filter {
            $0.rule == .morePower && $0.target == notation && $0.answer == .accepted
        }.max { $0.at < $1.at }
        guard let last, last.at > past.now - days * SessionHistory.day,
            let outcome = SuggestionOutcome.of(last, in: past.pieces)
        else { return false }
        return outcome.verdict == .below || outcome.verdict == .incomplete
    }
}
