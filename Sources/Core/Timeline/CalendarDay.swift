/// A day of the Gregorian calendar, without a time zone.
package struct CalendarDay: Hashable, Comparable, Strideable, Sendable {
    /// Days since 1970-01-01; negative for earlier days.
    package let number: Int64

    package init(number: Int64) { self.number = number }

    /// Creates a date of the Gregorian calendar; the month is 1 to 12.
    package init(year: Int64, month: Int64, day: Int64) {
        number = CivilTime.days(year: year, month: month, day: day)
    }

    /// Parses `2026-09-05`; nil for a text that is not a day.
    package init?(_ text: String) {
        guard let midnight = CivilTime.midnight(text) else { return nil }
        number = midnight / CivilTime.dayMilliseconds
    }

    /// `2026-09-05`. Years 0 to 9999.
    package var text: String { start.date }

    /// In the Gregorian calendar.
    package var year: Int64 { start.year }

    /// 1 to 12.
    package var month: Int64 { start.month }

    /// 0 for Monday to 6 for Sunday.
    package var weekday: Int64 {
        // 1970-01-01 was a Thursday.
        let rest = (number + 3) % 7
        return rest < 0 ? rest + 7 : rest
    }

    /// The Monday of its week.
    package var monday: CalendarDay { advanced(by: -weekday) }

    package func advanced(by days: Int64) -> CalendarDay { CalendarDay(number: number + days) }

    package func distance(to other: CalendarDay) -> Int64 { other.number - number }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    private var start: CivilTime {
        CivilTime(unixMilliseconds: number * CivilTime.dayMilliseconds)
    }
}
