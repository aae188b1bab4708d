import Bests
import Training

/// Rule `return_after_break`: who has not rowed for two weeks and more begins with half of the usual
/// piece, easy.
enum ReturnAfterBreak {
    /// Days before the break that tell what was usual, and sessions in them, at least.
    static let days: Int64 = 28
    static let least = 4
    /// Sessions after which somebody is back.
    static let back = 2
    /// Percent of the usual piece.
    static let share = 50.0
    /// Days since the last session, at most: what was usual so long ago says nothing.
    static let longest: Int64 = 180
    /// Days after its end until which a break is told.
    static let tellDays: Int64 = 10

    static func suggestions(_ past: AthletePast) -> [Suggestion] {
        guard let (last, end) = pause(past) else { return [] }
        let length = end - last.figures.startedAt
        let before = past.pieces(ofDays: days, until: last.figures.startedAt)
        guard before.count >= least, length < longest * AthletePast.day else { return [] }
        let usual = before.map(\.seconds).middle
        let minutes = min(30, max(10, Int((usual / 60 * share / 100).rounded())))
        guard let workout = SuggestedWorkout(easyMinutes: minutes, past.easyWatts) else {
            return []
        }
        return [
            Suggestion(
                .returnAfterBreak, target: "return", workout, past, anchor: last.name,
                reasons: [
                    SuggestionReason(
                        .pausedFor, days: Int(length / AthletePast.day), of: [last.name]),
                    SuggestionReason(
                        .before, times: before.count, seconds: usual, of: before.map(\.name)),
                ],
                Confidence(
                    count: before.count, ageDays: past.age(of: last.endedAt),
                    spreadPercent: 0),
                madeAt: last.figures.startedAt + AthletePast.breakDays * AthletePast.day,
                expiresAt: last.figures.startedAt + longest * AthletePast.day)
        ]
    }

    /// The last session before a break that goes on, or has just ended, and until when it lasted.
    private static func pause(_ past: AthletePast) -> (last: PieceTraining, end: Int64)? {
        // Who rowed on another machine meanwhile has had no break.
        let least = AthletePast.breakDays * AthletePast.day
        guard let newest = past.starts.last, let last = past.pieces.last else { return nil }
        if past.now - newest >= least {
            return last.figures.startedAt == newest ? (last, past.now) : nil
        }
        for (index, start) in past.starts.enumerated().reversed().prefix(back) where index > 0 {
            let before = past.starts[index - 1]
            guard start - before >= least else { continue }
            guard past.now - start <= tellDays * AthletePast.day,
                let last = past.pieces.last(where: { $0.figures.startedAt == before })
            else { return nil }
            // The first session of a return may have been the last one's end.
            return past.starts.count - index < back ? (last, start) : nil
        }
        return nil
    }
}
