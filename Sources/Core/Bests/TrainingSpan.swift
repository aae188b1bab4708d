import Timeline

/// A day, a week or a season.
package struct TrainingSpan: Hashable, Comparable, Sendable {
    /// The length of a span.
    package enum Length: String, CaseIterable, Sendable {
        case day
        /// Starts on Monday.
        case week
        /// From 1 May to 30 April.
        case season
    }

    package let firstDay: CalendarDay

    /// The span of this length that contains a day.
    package init(_ length: Length, of day: CalendarDay) {
        firstDay =
            switch length {
            case .day: day
            case .week: day.monday
            case .season: Season(of: day).firstDay
            }
    }

    /// The first day: `2026-11-22`.
    package var text: String { firstDay.text }

    package static func < (left: Self, right: Self) -> Bool { left.firstDay < right.firstDay }
}

/// A season of Concept2's ranking, 1 May to 30 April, named after the year in which it ends.
package struct Season: Hashable, Comparable, Sendable {
    /// The year in which it ends.
    package let year: Int64

    package init(year: Int64) { self.year = year }

    /// The season that contains a day.
    package init(of day: CalendarDay) { year = day.month >= 5 ? day.year + 1 : day.year }

    /// 1 May.
    package var firstDay: CalendarDay {
        CalendarDay(year: year - 1, month: 5, day: 1)
    }

    package static func < (left: Self, right: Self) -> Bool { left.year < right.year }
}
