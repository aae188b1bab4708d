import Bests
import Training

/// Rule `return_after_break`: after two weeks or more without rowing, suggests half of the usual piece,
/// easy.
enum ReturnAfterBreak {
    /// Days before the break that define the usual piece, and minimum sessions in them.
    static let days: Int64 = 28
    static let least = 4
    /// After this number of sessions the athlete is back.
    static let back = 2
    /// Percent of the usual piece.
    static let share = 50.0
    /// Maximum days since the last session; older habits do not count.
    static let longest: Int64 = 180
    /// Days after the end of a break in which it is still considered.
    static let offerDays: Int64 = 10

    static func suggestions(_ past: SessionHistory) -> [Suggestion] {
        guard let (last, end) = pause(past) else { return [] }
        let length = end - last.metrics.startedAt
        let before = past.pieces(ofDays: days, until: last.metrics.startedAt)
        guard before.count >= least, length < longest * SessionHistory.day else { return [] }
        let usual = before.map(\.seconds).median
        let minutes = min(30, max(10, Int((usual / 60 * share / 100).rounded())))
        guard let workout = SuggestedWorkout(easyMinutes: minutes, past.easyWatts) else {
            return []
        }
        return [
            Suggestion(
                .returnAfterBreak, target: "return", workout, past, anchor: last.name,
                reasons: [
                    SuggestionReason(
                        .pausedFor, days: Int(length / SessionHistory.day), of: [last.name]),
                    SuggestionReason(
                        .before, times: before.count, seconds: usual, of: before.map(\.name)),
                ],
                Confidence(
                    count: before.count, ageDays: past.age(of: last.endedAt),
                    spreadPercent: 0),
                madeAt: last.metrics.startedAt + SessionHistory.breakDays * SessionHistory.day,
                expiresAt: last.metrics.startedAt + longest * SessionHistory.day)
        ]
    }

    /// Returns the last session before a current or recent break, and the end of the break.
    private static func pause(_ past: SessionHistory) -> (last: PieceTraining, end: Int64)? {
        // Sessions on another machine end a break.
        let least = SessionHistory.breakDays * SessionHistory.day
        guard let newest = past.starts.last, let last = past.pieces.last else { return nil }
        if past.now - newest >= least {
            return last.metrics.startedAt == newest ? (last, past.now) : nil
        }
        for (index, start) in past.starts.enumerated().reversed().prefix(back) where index > 0 {
            let before = past.starts[index - 1]
            guard start - before >= least else { continue }
            guard past.now - start <= offerDays * SessionHistory.day,
                let last = past.pieces.last(where: { $0.metrics.startedAt == before })
            else { return nil }
            // A very short first session may only be the end of the last one.
            return past.starts.count - index < back ? (last, start) : nil
        }
        return nil
    }
}
