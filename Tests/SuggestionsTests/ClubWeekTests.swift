import TestSupport
import Testing
import Timeline

@testable import Suggestions

/// Weeks in the club's time zone.
@Suite struct ClubWeekTests {
    /// Four growing weeks with sessions on Tuesday and Thursday at noon UTC, and on Sunday evening in New
    /// York, which is Monday in UTC.
    private func growing(later days: Int64 = 0, in calendar: ClubCalendar) -> SyntheticAthlete {
        var athlete = SyntheticAthlete()
        (athlete.calendar, athlete.later) = (calendar, days)
        athlete.ranked(2000, daysAgo: 100, pace: SyntheticAthlete.seconds(over: 500, at: 400))
        for (week, minutes) in zip([4.0, 3, 2, 1], [30, 33, 36, 40]) {
            for daysAgo in [7 * week - 1, 7 * week - 3, 7 * (week - 1) + 10.5 / 24] {
                athlete.steady(daysAgo: daysAgo, minutes: minutes, watts: 240)
            }
        }
        return athlete
    }

    @Test func countsASundayEveningForItsOwnWeek() throws {
        let newYork = try ClubCalendar.of("America/New_York")
        let athlete = growing(in: newYork)
        #expect(athlete.rules() == [.deloadWeek])
        let offer = try #require(athlete.open(.deloadWeek))
        // From Monday to Monday, at midnight in New York.
        #expect(newYork.minute(of: offer.madeAt) == "2026-11-23 00:00")
        #expect(newYork.minute(of: offer.expiresAt) == "2026-11-30 00:00")
        #expect(!growing(in: .utc).rules().contains(.deloadWeek))
    }

    @Test func extendsAWeekWithAClockChangeByAnHour() throws {
        // The week from 26 October to 1 November 2026.
        let newYork = try ClubCalendar.of("America/New_York")
        let offer = try #require(growing(later: -28, in: newYork).open(.deloadWeek))
        #expect(newYork.minute(of: offer.madeAt) == "2026-10-26 00:00")
        #expect(newYork.minute(of: offer.expiresAt) == "2026-11-02 00:00")
        #expect(offer.expiresAt - offer.madeAt == (7 * 24 + 1) * 3_600_000)
    }
}
