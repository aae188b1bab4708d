import Bests
import People
import TestSupport
import Testing
import Timeline

@testable import Club

/// Records by gender, age group and weight class.
@Suite struct CategoryRecordsTests {
    private static func profiles() throws -> [String: AthleteProfile] {
        let athletes = [
            try ClubFixture.athlete("anna", gender: .female, born: 2009, .lightweight),
            try ClubFixture.athlete("berta", gender: .female, born: 2008, .lightweight),
            try ClubFixture.athlete("carl", gender: .male, born: 1985),
        ]
        return Dictionary(
            uniqueKeysWithValues: athletes.compactMap { one in one.profile.map { (one.id, $0) } })
    }

    private static func piece(_ athlete: String, _ day: String, _ seconds: Int64) -> ClubSession {
        ClubFixture.session(athlete, day, metres: 2000, seconds: seconds, ranked: .metres(2000))
    }

    private static func text(_ sessions: [ClubSession], season: Int64 = 2027) throws -> [String] {
        let records = CategoryRecords(
            sessions, of: ClubFixture.athletes(sessions, try profiles()), in: Season(year: season)
        ).records
        return records.map { record in
            let category = record.category
            let ages = category.ageGroup.map { "\($0.from)-\($0.to.map { "\($0)" } ?? "")" }
            let parts = [
                record.season.map { "\($0.year)" } ?? "ever", category.gender?.rawValue, ages,
                category.weightClass?.rawValue, record.event.wireName, record.athlete,
                "\(record.result.centiseconds / 100)",
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    @Test func findsTheFastestOfEachCategory() throws {
        let sessions = [
            Self.piece("anna", "2026-10-01", 480), Self.piece("berta", "2026-10-02", 470),
            Self.piece("berta", "2026-04-01", 460), Self.piece("carl", "2026-10-01", 420),
            Self.piece("guest", "2026-10-01", 400),
            ClubFixture.session("carl", "2026-10-05", metres: 2000, seconds: 300),
        ]
        let expected = [
            "ever 2000m guest 400", "ever female 17-18 lightweight 2000m berta 460",
            "ever male 40-49 2000m carl 420", "2027 2000m guest 400",
            "2027 female 17-18 lightweight 2000m berta 470", "2027 male 40-49 2000m carl 420",
        ]
        #expect(try Self.text(sessions) == expected, "a piece that is not ranked is no record")
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<10 { #expect(try Self.text(sessions.shuffled(using: &generator)) == expected) }
    }

    @Test func ageIsThatOfTheYearOfTheSession() throws {
        // Anna turns 17 in 2026, and 18 in 2027.
        let days = ["2025-12-31", "2026-01-01", "2027-12-31", "2028-01-01"].compactMap { CalendarDay($0) }
        let ages = days.compactMap { AgeGroup(birthYear: 2009, on: $0) }
        #expect(ages.map(\.from) == [15, 17, 17, 19] && ages.map(\.to) == [16, 18, 18, 29])
        let day = try #require(CalendarDay("2026-06-01"))
        let groups = [2026, 2014, 2013, 1937, 1936, 1900].map { AgeGroup(birthYear: $0, on: day) }
        #expect(groups.map { $0?.from } == [0, 0, 13, 80, 90, 100] && groups[4]?.to == 99)
        #expect(groups[5]?.to == nil)
        #expect(AgeGroup(birthYear: 2027, on: day) == nil)
    }

    @Test func earlierOfTwoEqualResultsIsTheRecord() throws {
        let equal = [Self.piece("anna", "2026-10-02", 470), Self.piece("berta", "2026-10-01", 470)]
        #expect(try Self.text(equal).first == "ever female 17-18 lightweight 2000m berta 470")
        let atOnce = [Self.piece("berta", "2026-10-01", 470), Self.piece("anna", "2026-10-01", 470)]
        for sessions in [atOnce, atOnce.reversed()] {
            #expect(try Self.text(sessions).first == "ever female 17-18 lightweight 2000m anna 470")
        }
    }

    @Test func separatesMachines() throws {
        let ski = ClubFixture.session(
            "carl", "2026-10-01", metres: 2000, seconds: 400, ranked: .metres(2000), on: .ski)
        let sessions = [ski, Self.piece("carl", "2026-10-02", 420)]
        let records = CategoryRecords(
            sessions, of: ClubFixture.athletes(sessions, try Self.profiles()), in: Season(year: 2020))
        #expect(records.records.map(\.machine) == [.rower, .ski])
    }

    @Test func sessionWithoutRankedResultIsNoRecord() throws {
        let session = ClubFixture.session("carl", "2026-10-01", metres: 2000, seconds: 400)
        #expect(try Self.text([session]).isEmpty)
    }
}
