import TestSupport
import Testing
import Timeline
import Training

@testable import Bests

/// Days, weeks and seasons in the club's time zone.
@Suite struct ClubSeasonTests {
    private static func volumes(
        _ starts: [Int64], by length: TrainingSpan.Length, in calendar: ClubCalendar
    ) -> [String] {
        let pieces = starts.enumerated().map { number, start in
            SyntheticPiece.steady(metres: 500, pace: 120).named(number, at: start)
                .metrics(in: calendar)
        }
        return TrainingVolume.all(of: pieces, by: length).map { "\($0.span.text) \($0.inputs.count)" }
    }

    @Test func countsASundayEveningForItsOwnWeek() throws {
        // 2026-11-22 20:30 in New York, which is Monday in UTC, and Monday noon in New York.
        let (sunday, monday): (Int64, Int64) = (1_795_397_400_000, 1_795_453_200_000)
        let newYork = try ClubCalendar.of("America/New_York")
        #expect(
            Self.volumes([sunday, monday], by: .week, in: newYork)
                == ["2026-11-16 1", "2026-11-23 1"])
        #expect(
            Self.volumes([sunday, monday], by: .day, in: newYork)
                == ["2026-11-22 1", "2026-11-23 1"])
        #expect(Self.volumes([sunday, monday], by: .week, in: .utc) == ["2026-11-23 2"])
    }

    @Test(
        arguments: [
            // 2027-04-30 23:20 and 2027-05-01 00:20 local time.
            ("America/New_York", 1_809_141_600_000), ("Europe/Berlin", 1_809_120_000_000),
            ("Asia/Kolkata", 1_809_107_400_000), ("Pacific/Auckland", 1_809_084_000_000),
        ] as [(String, Int64)])
    func countsTheLastEveningOfAprilForItsSeason(zone: String, evening: Int64) throws {
        let calendar = try ClubCalendar.of(zone)
        #expect(calendar.minute(of: evening) == "2027-04-30 23:20")
        #expect(
            Self.volumes([evening, evening + 3_600_000], by: .season, in: calendar)
                == ["2026-05-01 1", "2027-05-01 1"])
        let piece = SyntheticPiece.steady(metres: 2000, pace: 100).named(1, at: evening)
        let bests = AthleteBests([piece.metrics(in: calendar)])
        #expect(bests.seasons.map(\.year) == [2027])
        let records = ClubRecords(["anna": bests]).records
        #expect(Set(records.map { $0.season?.year }) == [nil, 2027])
    }

    @Test func usesTheClubsSeasonForBests() throws {
        // Three ranked 2000 m: in the season, on its last evening in New York, and a slower one in summer.
        let newYork = try ClubCalendar.of("America/New_York")
        let evening: Int64 = 1_809_141_600_000
        func bests(in calendar: ClubCalendar) -> [NewBest] {
            let pieces = [
                (1, 110.0, evening - 86_400_000 * 30), (2, 108, evening),
                (3, 109, evening + 86_400_000 * 60),
            ].map { number, pace, start in
                SyntheticPiece.steady(metres: 2000, pace: pace).named(number, at: start)
                    .metrics(in: calendar)
            }
            return NewBest.all(in: pieces).filter { $0.result == .ranked }
        }
        let (here, utc) = (bests(in: newYork), bests(in: .utc))
        #expect(here.map(\.season.year) == [2027, 2027, 2028])
        #expect(here.map(\.scope) == [.allTime, .allTime, .season])
        // In UTC the second one is the first of its season, and the third one is slower.
        #expect(utc.map(\.season.year) == [2027, 2028])
        // Bests published for a season in UTC have another subject, so that they are withdrawn.
        #expect(here[0].subject == utc[0].subject)
        #expect(here[1].subject == utc[1].subject + "/2027")
    }

    @Test func countsDaysWithClockChanges() throws {
        // A piece every half hour on days with a clock change, in New York, on Lord Howe and in Santiago.
        for (zone, day, hours) in [
            ("America/New_York", "2026-03-08", 23.0), ("America/New_York", "2026-11-01", 25),
            ("Australia/Lord_Howe", "2026-10-04", 23.5), ("Australia/Lord_Howe", "2026-04-05", 24.5),
            ("America/Santiago", "2026-09-06", 23), ("America/Santiago", "2026-04-04", 25),
        ] {
            let calendar = try ClubCalendar.of(zone)
            let first = calendar.start(of: try #require(CalendarDay(day)))
            let starts = (-4..<56).map { first + Int64($0) * 1_800_000 }
            let found = Self.volumes(starts, by: .day, in: calendar)
            #expect(found.contains("\(day) \(Int(hours * 2))"), "\(zone) \(found)")
            #expect(found.count == 3, "\(zone) \(found)")
        }
    }
}
