import Timeline

/// A day, a week or a season, in UTC.
package struct TrainingSpan: Hashable, Comparable, Sendable {
    /// How time is divided.
    package enum Length: String, CaseIterable, Sendable {
        case day
        /// From Monday on.
        case week
        case season
    }

    /// Days from 1970-01-01 to its first.
    package let firstDay: Int64

    /// The one of a length that a moment is in.
    package init(_ length: Length, at unixMilliseconds: Int64) {
        let day = Self.day(of: unixMilliseconds)
        switch length {
        case .day: firstDay = day
        // 1970-01-01 was a Thursday.
        case .week: firstDay = day - ((day + 3) % 7 + 7) % 7
        case .season:
            let year = Season(unixMilliseconds: unixMilliseconds).year - 1
            let begin = CivilTime.midnight("\(year)-05-01") ?? unixMilliseconds
            firstDay = Self.day(of: begin)
        }
    }

    /// `2026-11-22`: its first day.
    package var text: String { CivilTime(unixMilliseconds: firstDay * 86_400_000).date }

    package static func < (left: Self, right: Self) -> Bool { left.firstDay < right.firstDay }

    private static func day(of unixMilliseconds: Int64) -> Int64 {
        let (days, rest) = unixMilliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        return rest < 0 ? days - 1 : days
    }
}

/// A season of Concept2's ranking, 1 May to 30 April in UTC, named by the year in which it ends.
package struct Season: Hashable, Comparable, Sendable {
    /// In which it ends.
    package let year: Int64

    package init(year: Int64) { self.year = year }

    /// The one that a moment is of.
    package init(unixMilliseconds: Int64) {
        let time = CivilTime(unixMilliseconds: unixMilliseconds)
        year = time.month >= 5 ? time.year + 1 : time.year
    }

    package static func < (left: Self, right: Self) -> Bool { left.year < right.year }
}
