import HostRuntime
import Testing
import Timeline

@testable import DemoClub

/// Who trains when in the club of the demo.
@Suite struct DemoScheduleTests {
    /// Noon of a day in UTC.
    private static func noon(_ day: CalendarDay) -> Int64 {
        day.number * CivilTime.dayMilliseconds + CivilTime.dayMilliseconds / 2
    }

    /// Each weekday, around both changes of the clocks, and a leap day.
    static let days =
        (0..<7).map { CalendarDay(year: 2026, month: 11, day: 23).advanced(by: $0) } + [
            CalendarDay(year: 2026, month: 10, day: 26), CalendarDay(year: 2027, month: 3, day: 29),
            CalendarDay(year: 2028, month: 2, day: 29), CalendarDay(year: 2027, month: 1, day: 1),
        ]

    private func schedule(_ today: CalendarDay) throws -> (DemoSchedule, ClubCalendar) {
        let calendar = try TimeZoneDatabase.system.calendar(named: "Europe/Berlin")
        return (DemoSchedule(now: Self.noon(today), in: calendar, seed: 26), calendar)
    }

    @Test(arguments: days) func sessionsLieInTwelveWeeksBeforeToday(today: CalendarDay) throws {
        let (schedule, calendar) = try schedule(today)
        let sessions = schedule.sessions()
        #expect((200...320).contains(sessions.count))
        for session in sessions {
            let day = calendar.day(of: session.startedAt)
            #expect(day < today && schedule.firstDay <= day)
            #expect(day.weekday != 4 || session.athlete.absence > 0, "Friday is a day of rest")
        }
        #expect(schedule.firstDay.distance(to: today) >= 84)
        #expect(sessions.map(\.startedAt) == sessions.map(\.startedAt).sorted())
    }

    @Test(arguments: days) func athletesTrainOncePerDayWithRestDays(today: CalendarDay) throws {
        let (schedule, calendar) = try schedule(today)
        for athlete in DemoAthlete.all {
            let days = schedule.sessions().filter { $0.athlete.id == athlete.id }
                .map { calendar.day(of: $0.startedAt) }
            #expect(Set(days).count == days.count)
            let weeks = Dictionary(grouping: days, by: \.monday)
            #expect(weeks.count >= 8, "\(athlete.name) has a season")
            #expect(weeks.values.allSatisfy { $0.count <= 5 })
        }
    }

    @Test(arguments: days) func oneAthleteHasNotRowedForSixteenDays(today: CalendarDay) throws {
        let (schedule, calendar) = try schedule(today)
        let pauses = DemoAthlete.all.compactMap { athlete in
            schedule.sessions().last { $0.athlete.id == athlete.id }
                .map { calendar.day(of: $0.startedAt).distance(to: today) }
        }
        #expect(pauses.count == 8)
        #expect(pauses.filter { $0 >= 14 } == [16])
    }

    @Test(arguments: days) func theLastTestIsARaceOnASaturdayOfTheLastWeek(today: CalendarDay) throws {
        let (schedule, calendar) = try schedule(today)
        #expect(schedule.raceDay.weekday == 5)
        #expect((1...7).contains(schedule.raceDay.distance(to: today)))
        let race = schedule.sessions().filter { calendar.day(of: $0.startedAt) == schedule.raceDay }
        #expect(race.count == 7, "all except the absent athlete")
        #expect(race.allSatisfy { $0.training == .test })
        let starts = race.map(\.startedAt)
        #expect(try #require(starts.max()) - (try #require(starts.min())) < 2000)
    }

    @Test func athletesBecomeFasterFromTestToTest() throws {
        let (schedule, _) = try schedule(Self.days[0])
        for athlete in DemoAthlete.all {
            let own = schedule.sessions().filter { $0.athlete.id == athlete.id }
            let tests = own.filter { $0.training == .test }
            #expect(tests.count >= 2, "\(athlete.name)")
            #expect(try #require(tests.first).speed < (try #require(tests.last)).speed * 1.01)
            #expect(own.contains { $0.training.workout.contains("x") }, "intervals")
        }
        let gains = DemoAthlete.all.filter { athlete in
            let tests = schedule.sessions().filter { $0.athlete.id == athlete.id && $0.training == .test }
            return tests.last.map { $0.speed > tests[0].speed * 1.015 } ?? false
        }
        #expect(gains.count >= 4)
    }

    @Test func theSeedDeterminesTheSessions() throws {
        let calendar = ClubCalendar.utc
        func sessions(_ seed: UInt64) -> [String] {
            DemoSchedule(now: Self.noon(Self.days[0]), in: calendar, seed: seed).sessions().map {
                "\($0.startedAt) \($0.athlete.id) \($0.training.workout) \($0.speed)"
            }
        }
        #expect(sessions(26) == sessions(26))
        #expect(sessions(26) != sessions(27))
    }
}
