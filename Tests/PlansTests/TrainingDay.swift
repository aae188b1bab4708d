import Bests
import Timeline

/// Days by their dates.
enum TrainingDay {
    static func day(_ text: String) -> TrainingSpan {
        TrainingSpan(.day, at: CivilTime.midnight(text) ?? 0)
    }

    static func text(_ daysFrom1970: Int64) -> String {
        TrainingSpan(.day, at: daysFrom1970 * 86_400_000).text
    }
}
