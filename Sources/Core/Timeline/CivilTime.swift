/// An instant in the Gregorian calendar, in UTC.
package struct CivilTime: Equatable, Sendable {
    /// Milliseconds of a UTC day.
    package static let dayMilliseconds: Int64 = 86_400_000

    /// In the proleptic Gregorian calendar.
    package let year: Int64
    /// 1 to 12.
    package let month: Int64
    /// 1 to 31.
    package let day: Int64
    /// 0 to 23.
    package let hour: Int64
    /// 0 to 59.
    package let minute: Int64
    /// 0 to 59, without leap seconds.
    package let second: Int64
    /// 0 to 999.
    package let millisecond: Int64

    /// Creates a time from milliseconds since 1970-01-01T00:00:00Z, without leap seconds, as in POSIX.
    ///
    /// Counts years from 1 March, so that the leap day is the last day of its year; 400 years are 146 097
    /// days (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
    package init(unixMilliseconds: Int64) {
        let (days, rest) = Self.floorDivide(unixMilliseconds, 86_400_000)
        let (era, dayOfEra) = Self.floorDivide(days + 719_468, 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = rest / 3_600_000
        minute = rest / 60_000 % 60
        second = rest / 1000 % 60
        millisecond = rest % 1000
    }

    /// RFC 3339 with milliseconds: `2026-09-05T17:04:59.120Z`. Years 0 to 9999.
    package var rfc3339: String { "\(date)T\(timeOfDay).\(pad(millisecond, 3))Z" }

    /// The time of day: `17:04:59`.
    package var timeOfDay: String { "\(pad(hour, 2)):\(pad(minute, 2)):\(pad(second, 2))" }

    /// The day: `2026-09-05`. Years 0 to 9999.
    package var date: String { "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))" }

    /// Unix milliseconds of the beginning of a day, `2026-09-05`; nil for an invalid day.
    package static func midnight(_ day: String) -> Int64? {
        let parts = day.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 3, parts.allSatisfy({ (0...9999).contains($0) }) else { return nil }
        let days = Self.days(year: parts[0], month: parts[1], day: parts[2])
        let milliseconds = days * 86_400_000
        return CivilTime(unixMilliseconds: milliseconds).date == day ? milliseconds : nil
    }

    /// Days from 1970-01-01 to a date.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Counts years from 1 March, as above.
        let yearFromMarch = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        return 365 * yearFromMarch + floorDivide(yearFromMarch, 4).0
            - floorDivide(yearFromMarch, 100).0 + floorDivide(yearFromMarch, 400).0
            + (153 * monthFromMarch + 2) / 5 + day - 719_469
    }

    private func pad(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

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
