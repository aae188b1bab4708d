import Bests
import Timeline

/// The days of a season that are over, and the same days of the season before.
package struct SeasonPeriod: Equatable, Sendable {
    package let season: Season
    /// The club's day at the time of the request.
    package let today: CalendarDay
    /// From 1 May to today, or to 30 April if the season is over. The first day only, if it has not begun.
    package let days: ClosedRange<CalendarDay>
    /// From 1 May to the same day of the calendar, one year before; 28 February for 29 February.
    package let previousDays: ClosedRange<CalendarDay>

    /// - Parameter season: nil for the season of today.
    package init(_ season: Season?, today: CalendarDay) {
        let season = season ?? Season(of: today)
        let first = season.firstDay
        let end = Season(year: season.year + 1).firstDay.advanced(by: -1)
        let last = max(first, min(today, end))
        (self.season, self.today) = (season, today)
        days = first...last
        previousDays = Season(year: season.year - 1).firstDay...last.yearBefore
    }

    /// Whether the season contains today.
    package var isCurrent: Bool { Season(of: today) == season }

    /// From the first day of the season before to the last of `days`: the sessions of these days are all counted.
    package var countedDays: ClosedRange<CalendarDay> { previousDays.lowerBound...days.upperBound }

    /// The last day of the season before.
    var previousEnd: CalendarDay { days.lowerBound.advanced(by: -1) }
}

extension CalendarDay {
    /// The same day of the calendar in the year before; 28 February for 29 February.
    fileprivate var yearBefore: CalendarDay {
        let dayOfMonth = CalendarDay(year: year, month: month, day: 1).distance(to: self) + 1
        let found = CalendarDay(year: year - 1, month: month, day: dayOfMonth)
        return found.month == month ? found : found.advanced(by: -1)
    }
}
