/// The calendar of a club: converts instants and days in the club's time zone.
///
/// Used wherever days, weeks or seasons are counted. Instants are Unix milliseconds; a day may have 23 or
/// 25 hours.
package struct ClubCalendar: Equatable, Sendable {
    /// An IANA name: `Europe/Berlin`.
    package let name: String
    private let rules: TimeZoneRules

    /// Days of Coordinated Universal Time.
    package static let utc = ClubCalendar(name: "UTC", .utc)

    package init(name: String, _ rules: TimeZoneRules) {
        (self.name, self.rules) = (name, rules)
    }

    /// The day at an instant.
    package func day(of unixMilliseconds: Int64) -> CalendarDay {
        let local = local(unixMilliseconds)
        let (days, rest) = local.quotientAndRemainder(dividingBy: CivilTime.dayMilliseconds)
        return CalendarDay(number: rest < 0 ? days - 1 : days)
    }

    /// The local time at an instant, as if it were UTC.
    package func local(_ unixMilliseconds: Int64) -> Int64 {
        unixMilliseconds + rules.offset(at: Self.seconds(unixMilliseconds)).seconds * 1000
    }

    /// The local date and time at an instant.
    package func time(of unixMilliseconds: Int64) -> CivilTime {
        CivilTime(unixMilliseconds: local(unixMilliseconds))
    }

    /// The local date and time in minutes: `2026-09-05 17:04`.
    package func minute(of unixMilliseconds: Int64) -> String {
        let time = time(of: unixMilliseconds)
        return "\(time.date) \(time.timeOfDay.prefix(5))"
    }

    /// The instant at which a day begins: local midnight, or the end of the gap if the clocks are set
    /// forward at midnight. From then on, the local time never shows an earlier day.
    package func start(of day: CalendarDay) -> Int64 {
        let midnight = day.number * 86_400
        // No zone differs from UTC by more than 26 hours.
        let window = midnight - 100_000..<midnight + 100_000
        let changes = rules.changes(in: window)
        var begins = [(at: window.lowerBound, offset: rules.offset(at: window.lowerBound).seconds)]
        begins += changes.map { ($0.at, $0.offset.seconds) }
        var start = window.upperBound
        for begin in begins.reversed() {
            // The last second before `start` belongs to an earlier day: the day begins at `start`.
            if start - 1 + begin.offset < midnight { break }
            start = max(begin.at, midnight - begin.offset)
            if start > begin.at { break }
        }
        return start * 1000
    }

    /// The instants from the beginning of one day to the end of another; nil means no limit.
    package func instants(from first: CalendarDay?, to last: CalendarDay?) -> Range<Int64> {
        let begin = first.map(start(of:)) ?? .min
        return begin..<max(begin, last.map { start(of: $0.advanced(by: 1)) } ?? .max)
    }

    /// The instant of a local time, which is given as if it were UTC. If the time occurs twice, this is the
    /// first. If it is skipped, the offset before the gap applies (RFC 5545, 3.3.5).
    package func instant(ofLocal local: Int64) -> Int64 {
        let seconds = Self.seconds(local)
        let day: Int64 = 86_400
        let before = local - rules.offset(at: seconds - day).seconds * 1000
        if self.local(before) == local { return before }
        let after = local - rules.offset(at: seconds + day).seconds * 1000
        return self.local(after) == local ? after : before
    }

    private static func seconds(_ milliseconds: Int64) -> Int64 {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? seconds - 1 : seconds
    }
}
