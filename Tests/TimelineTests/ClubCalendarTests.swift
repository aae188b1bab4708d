import TestSupport
import Testing

@testable import Timeline

/// Days in the time zone of a club.
@Suite struct ClubCalendarTests {
    private static let hour: Int64 = 3_600_000

    /// Days with a clock change, or next to UTC's: the instant of the beginning, and the hours. Python's
    /// zoneinfo computed them, minute by minute.
    @Test(
        arguments: [
            ("America/New_York", "2026-03-08", 1_772_946_000_000, 23.0),
            ("America/New_York", "2026-11-01", 1_793_505_600_000, 25),
            // By the rule for years after the table of the file.
            ("America/New_York", "2040-03-11", 2_215_054_800_000, 23),
            // Half an hour of daylight-saving time.
            ("Australia/Lord_Howe", "2026-10-04", 1_791_034_200_000, 23.5),
            ("Australia/Lord_Howe", "2026-04-05", 1_775_307_600_000, 24.5),
            // Offsets with half or quarter hours.
            ("Asia/Kolkata", "2026-01-01", 1_767_205_800_000, 24),
            ("Asia/Kathmandu", "2026-01-01", 1_767_204_900_000, 24),
            ("Pacific/Chatham", "2026-04-05", 1_775_297_700_000, 25),
            // Clock changes at midnight: the day begins at 01:00, or its last hour repeats.
            ("America/Sao_Paulo", "2018-11-04", 1_541_300_400_000, 23),
            ("America/Sao_Paulo", "2018-02-17", 1_518_832_800_000, 25),
            ("America/Asuncion", "2024-10-06", 1_728_187_200_000, 23),
            ("America/Santiago", "2026-04-04", 1_775_271_600_000, 25),
            ("America/Santiago", "2026-09-06", 1_788_667_200_000, 23),
            ("Africa/Cairo", "2026-04-24", 1_776_981_600_000, 23),
            ("America/Havana", "2026-03-08", 1_772_946_000_000, 23),
            ("Asia/Beirut", "2026-03-29", 1_774_735_200_000, 23),
            ("Asia/Gaza", "2026-03-28", 1_774_648_800_000, 23),
            // Set back at 00:01, so that the day begins twice.
            ("America/St_Johns", "2010-11-07", 1_289_100_600_000, 24),
            // South of the equator, and at the end of a year.
            ("Australia/Sydney", "2026-10-04", 1_791_036_000_000, 23),
            ("Australia/Sydney", "2026-04-05", 1_775_307_600_000, 25),
            ("Pacific/Auckland", "2027-01-01", 1_798_714_800_000, 24),
            // Winter time is the exception there.
            ("Europe/Dublin", "2026-10-25", 1_792_882_800_000, 25),
            ("Pacific/Apia", "2011-12-29", 1_325_152_800_000, 24),
        ] as [(String, String, Int64, Double)])
    func findsBeginningOfDay(zone: String, text: String, start: Int64, hours: Double) throws {
        let calendar = try ClubCalendar.of(zone)
        let day = try #require(CalendarDay(text))
        #expect(calendar.start(of: day) == start)
        let end = calendar.start(of: day.advanced(by: 1))
        #expect(Double(end - start) / Double(Self.hour) == hours)
        #expect(calendar.day(of: start) == day)
        #expect(calendar.day(of: start - 1) < day)
        #expect(calendar.day(of: end - 1) == day)
        #expect(calendar.instants(from: day, to: day) == start..<end)
    }

    @Test func treatsSkippedDayAsEmpty() throws {
        // Samoa had no 30 December 2011.
        let calendar = try ClubCalendar.of("Pacific/Apia")
        let day = CalendarDay(year: 2011, month: 12, day: 30)
        let start = calendar.start(of: day)
        #expect(start == calendar.start(of: day.advanced(by: 1)))
        #expect(calendar.day(of: start - 1) == day.advanced(by: -1))
        #expect(calendar.day(of: start) == day.advanced(by: 1))
        #expect(calendar.instants(from: day, to: day).isEmpty)
    }

    @Test func convertsToLocalTime() throws {
        let newYork = try ClubCalendar.of("America/New_York")
        // A Sunday evening: 2026-11-23T01:30:00Z.
        #expect(newYork.minute(of: 1_795_397_400_000) == "2026-11-22 20:30")
        #expect(newYork.day(of: 1_795_397_400_000).monday.text == "2026-11-16")
        #expect(ClubCalendar.utc.day(of: 1_795_397_400_000).monday.text == "2026-11-23")
        #expect(newYork.time(of: 1_795_397_400_120).rfc3339 == "2026-11-22T20:30:00.120Z")
        // Before 1970, and a millisecond before a change.
        #expect(newYork.day(of: -1).text == "1969-12-31")
        let change: Int64 = 1_772_953_200_000
        #expect(newYork.local(change - 1) == change - 1 - 5 * Self.hour)
        #expect(newYork.local(change) == change - 4 * Self.hour)
    }

    @Test func convertsLocalTimeToInstant() throws {
        let newYork = try ClubCalendar.of("America/New_York")
        func instant(_ day: String, hour: Int64, minute: Int64 = 0) throws -> String {
            let midnight = try #require(CivilTime.midnight(day))
            let local = midnight + hour * Self.hour + minute * 60_000
            return CivilTime(unixMilliseconds: newYork.instant(ofLocal: local)).rfc3339
        }
        #expect(try instant("2026-12-08", hour: 20) == "2026-12-09T01:00:00.000Z")
        #expect(try instant("2026-07-04", hour: 12) == "2026-07-04T16:00:00.000Z")
        // 01:30 occurs twice, 02:30 is skipped.
        #expect(try instant("2026-11-01", hour: 1, minute: 30) == "2026-11-01T05:30:00.000Z")
        #expect(try instant("2026-11-01", hour: 2) == "2026-11-01T07:00:00.000Z")
        #expect(try instant("2026-03-08", hour: 2, minute: 30) == "2026-03-08T07:30:00.000Z")
        #expect(try instant("2026-03-08", hour: 3) == "2026-03-08T07:00:00.000Z")
    }

    @Test func supportsOpenRanges() throws {
        let calendar = try ClubCalendar.of("Asia/Kolkata")
        let day = CalendarDay(year: 2026, month: 1, day: 1)
        #expect(calendar.instants(from: day, to: nil) == 1_767_205_800_000..<Int64.max)
        #expect(calendar.instants(from: nil, to: day) == Int64.min..<1_767_292_200_000)
        let before = day.advanced(by: -1)
        #expect(calendar.instants(from: day, to: before).isEmpty)
    }

    @Test func countsGregorianDays() throws {
        for (text, number, weekday) in [
            ("1970-01-01", 0, 3), ("1969-12-28", -4, 6), ("2026-11-23", 20_780, 0),
            ("2028-02-29", 21_243, 1), ("2000-01-01", 10_957, 5),
        ] as [(String, Int64, Int64)] {
            let day = try #require(CalendarDay(text))
            #expect((day.number, day.weekday) == (number, weekday), "\(text)")
            #expect(day.text == text)
        }
        for text in ["2026-02-29", "2026-2-1", "", "2026-01-01T00:00", "1-1-1", "+026-01-01"] {
            #expect(CalendarDay(text) == nil, "\(text)")
        }
        let (first, last) = (CalendarDay(number: 0), CalendarDay(number: 30))
        #expect(first.distance(to: last) == 30 && (first...last).count == 31)
    }
}
