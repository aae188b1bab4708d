import Bests
import Timeline

/// Days by their dates.
enum TrainingDay {
    static func day(_ text: String) -> TrainingSpan {
        TrainingSpan(.day, of: CalendarDay(text) ?? CalendarDay(number: 0))
    }
}
