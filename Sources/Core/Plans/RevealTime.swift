import Timeline

/// The time from which athletes see a planned workout: a time of day on the workout's day, or some days before.
///
/// It is relative to the day, so that a workout that is moved or copied to another day, here or in a calendar
/// program, is not shown too early. It hides only the plan: a workout that a coach sets on a monitor is visible
/// there, on the wall and to the rower, whenever that happens.
package struct RevealTime: Equatable, Sendable {
    /// The largest number of days before the workout's day.
    package static let mostDaysBefore: Int64 = 7

    /// Days before the workout's day: 0 to `mostDaysBefore`.
    package let daysBefore: Int64
    /// Minutes after midnight in the club's time zone: 0 to 1439.
    package let minute: Int64

    /// Parses `18:00`, or `18:00 -1d` for the day before. Spreadsheets may add seconds, `18:00:00`, which must be
    /// zero.
    package init?(_ text: String) {
        let parts = text.split(separator: " ")
        guard let first = parts.first, parts.count <= 2 else { return nil }
        let numbers = first.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(numbers.count), let hour = Self.number(numbers[0], digits: 1...2, below: 24),
            let minutes = Self.number(numbers[1], digits: 2...2, below: 60),
            numbers.count == 2 || numbers[2] == "00"
        else { return nil }
        minute = hour * 60 + minutes
        guard parts.count == 2 else {
            daysBefore = 0
            return
        }
        guard parts[1].first == "-", parts[1].last == "d",
            let days = Self.number(
                parts[1].dropFirst().dropLast(), digits: 1...2, below: Self.mostDaysBefore + 1)
        else { return nil }
        daysBefore = days
    }

    /// `18:00` or `18:00 -1d`, which `init` parses.
    package var text: String { daysBefore == 0 ? time : "\(time) -\(daysBefore)d" }

    /// The time of day: `18:00`.
    package var time: String {
        String(CivilTime(unixMilliseconds: minute * Self.minuteMilliseconds).timeOfDay.prefix(5))
    }

    /// The day, for a workout on `day`.
    package func day(before day: CalendarDay) -> CalendarDay { day.advanced(by: -daysBefore) }

    /// The instant in Unix milliseconds, for a workout on `day`.
    package func instant(before day: CalendarDay, in calendar: ClubCalendar) -> Int64 {
        let midnight = self.day(before: day).number * CivilTime.dayMilliseconds
        return calendar.instant(ofLocal: midnight + minute * Self.minuteMilliseconds)
    }

    private static let minuteMilliseconds: Int64 = 60_000

    private static func number(_ text: Substring, digits: ClosedRange<Int>, below limit: Int64) -> Int64? {
        let figures = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy(figures.contains),
            let number = Int64(text), number < limit
        else { return nil }
        return number
    }
}

extension PlannedWorkout {
    /// Whether only coaches see the workout at an instant.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - calendar: the club's calendar.
    package func isHidden(at now: Int64, in calendar: ClubCalendar) -> Bool {
        revealTime.map { now < $0.instant(before: day.firstDay, in: calendar) } ?? false
    }
}

extension TrainingPlan {
    /// Returns the plan as everybody but coaches sees it: of a hidden workout, only its id, its day and the time
    /// from which it is shown. The value contains nothing else of it.
    ///
    /// - Parameters:
    ///   - now: Unix milliseconds.
    ///   - calendar: the club's calendar.
    package func withoutHiddenContent(
        at now: Int64, in calendar: ClubCalendar
    ) throws(PlanFault) -> TrainingPlan {
        guard workouts.contains(where: { $0.isHidden(at: now, in: calendar) }) else { return self }
        return try TrainingPlan(
            id: id, title: title, group: group,
            workouts.map { $0.isHidden(at: now, in: calendar) ? $0.withoutContent : $0 })
    }
}
