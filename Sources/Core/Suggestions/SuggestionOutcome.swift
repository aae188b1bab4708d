import Bests
import Bytes
import Training

/// The result of an accepted suggestion, judged from the session in which it was rowed.
package struct SuggestionOutcome: Equatable, Sendable {
    package enum Verdict: String, CaseIterable, Sendable {
        /// Completed on target.
        case met
        /// Completed with less power than the target.
        case below
        /// Completed with more power than the target.
        case above
        /// Not completed.
        case incomplete
    }

    package let verdict: Verdict
    package let session: PieceName
    /// Unix milliseconds: start of the session.
    package let at: Int64
    /// Mean power; nil without a power target.
    package let watts: Double?
    /// Percent from the nearer end of the target; 0 within it.
    package let percent: Double?

    /// From the first session after the acceptance that is the workout, or its beginning; nil while there
    /// is none.
    static func of(_ response: SuggestionResponse, in pieces: [PieceTraining]) -> SuggestionOutcome? {
        guard response.answer == .accepted else { return nil }
        let attempts = pieces.filter { piece in
            piece.metrics.machine == response.machine && piece.metrics.startedAt >= response.at
                && piece.metrics.startedAt <= response.acceptedUntil
                && (piece.workout?.isAttempt(at: response.workout.plainNotation) ?? false)
        }
        // If an athlete stops and starts again, the complete attempt counts.
        let first = attempts.first { $0.workout?.isComplete ?? false } ?? attempts.first
        return first.map { SuggestionOutcome(response, $0) }
    }

    private init(_ response: SuggestionResponse, _ piece: PieceTraining) {
        (session, at) = (piece.name, piece.metrics.startedAt)
        guard piece.workout?.isComplete ?? false else {
            (verdict, watts, percent) = (.incomplete, nil, nil)
            return
        }
        guard let target = response.workout.watts else {
            (verdict, watts, percent) = (.met, nil, nil)
            return
        }
        let mean = piece.metrics.total.watts(on: response.machine)
        watts = mean
        let (low, high) = (Double(target.lowerBound), Double(target.upperBound))
        if mean.rounded() < low {
            (verdict, percent) = (.below, (mean / low - 1) * 100)
        } else if mean.rounded() > high {
            (verdict, percent) = (.above, (mean / high - 1) * 100)
        } else {
            (verdict, percent) = (.met, 0)
        }
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("verdict", verdict.rawValue)
        session.write(into: &json)
        json.field("at_ms", at)
        json.field("power_w", watts.map { Int64(($0 * 10).rounded()) }, places: 1)
        json.field("percent", percent.map { Int64(($0 * 10).rounded()) }, places: 1)
    }
}

extension WorkoutResult {
    /// Whether this is the workout with a notation, or an incomplete attempt at it.
    func isAttempt(at other: String) -> Bool {
        if notation == other { return true }
        guard !isComplete, isIntervals, let first = parts.first else { return false }
        // In an incomplete attempt the last interval has any length, and the count differs.
        let intervals = other.split(separator: "x", maxSplits: 1).last ?? ""
        return intervals.split(separator: "/").first.map { $0 == first.extent.text } ?? false
    }
}
