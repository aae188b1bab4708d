import Bests
import Bytes
import Training

/// What became of a suggestion that was accepted: judged from the session in which it was rowed.
package struct SuggestionOutcome: Equatable, Sendable {
    package enum Verdict: String, CaseIterable, Sendable {
        /// As it was meant.
        case met
        /// All of it, with less power than was asked for.
        case below
        /// All of it, with more.
        case above
        /// Not to its end.
        case incomplete
    }

    package let verdict: Verdict
    package let session: PieceName
    /// Unix milliseconds: when that began.
    package let at: Int64
    /// Mean power; nil where none was asked for.
    package let watts: Double?
    /// How far from what was asked for, in percent of its nearer end: 0 within.
    package let percent: Double?

    /// Of what was rowed since it was accepted: the first session that is the workout, or its beginning;
    /// nil while there is none.
    static func of(_ word: SuggestionWord, in pieces: [PieceTraining]) -> SuggestionOutcome? {
        guard word.said == .accepted else { return nil }
        let attempts = pieces.filter { piece in
            piece.figures.machine == word.machine && piece.figures.startedAt >= word.at
                && piece.figures.startedAt <= word.ends
                && (piece.workout?.isAttempt(atRow: word.workout.plain) ?? false)
        }
        // Who stops and begins again has rowed it, where one of them is whole.
        let first = attempts.first { $0.workout?.isComplete ?? false } ?? attempts.first
        return first.map { SuggestionOutcome(word, $0) }
    }

    private init(_ word: SuggestionWord, _ piece: PieceTraining) {
        (session, at) = (piece.name, piece.figures.startedAt)
        guard piece.workout?.isComplete ?? false else {
            (verdict, watts, percent) = (.incomplete, nil, nil)
            return
        }
        guard let asked = word.workout.watts else {
            (verdict, watts, percent) = (.met, nil, nil)
            return
        }
        let rowed = piece.figures.total.watts(on: word.machine)
        watts = rowed
        let (low, high) = (Double(asked.lowerBound), Double(asked.upperBound))
        if rowed.rounded() < low {
            (verdict, percent) = (.below, (rowed / low - 1) * 100)
        } else if rowed.rounded() > high {
            (verdict, percent) = (.above, (rowed / high - 1) * 100)
        } else {
            (verdict, percent) = (.met, 0)
        }
    }

    /// Its members, in an object that is open.
    func write(into json: inout JSONWriter) {
        json.field("verdict", verdict.rawValue)
        session.write(into: &json)
        json.field("at_ms", at)
        json.field("power_w", watts.map { Int64(($0 * 10).rounded()) }, places: 1)
        json.field("percent", percent.map { Int64(($0 * 10).rounded()) }, places: 1)
    }
}

extension RowedWorkout {
    /// Whether it is a workout of this row, or the beginning of one that was not rowed to its end.
    func isAttempt(atRow other: String) -> Bool {
        if row == other { return true }
        guard !isComplete, isIntervals, let first = parts.first else { return false }
        // Of what was left early the last interval is of any length, and the count is another.
        let intervals = other.split(separator: "x", maxSplits: 1).last ?? ""
        return intervals.split(separator: "/").first.map { $0 == first.extent.text } ?? false
    }
}
