import Bests
import Bytes
import People
import TestSupport
import Testing
import Timeline

@testable import Club

/// The season of a club.
@Suite struct SeasonOverviewTests {
    private static let today = "2026-11-28"

    private static func overview(
        _ sessions: [ClubSession], by athletes: [ClubAthlete] = [], groups: [AthleteGroup] = [],
        only group: AthleteGroup? = nil, today: String = today, season: Int64? = nil
    ) -> SeasonOverview {
        // Athletes with sessions only, as the store lists them.
        let known = Set(athletes.map(\.id))
        let others = Set(sessions.compactMap(\.athlete)).subtracting(known).sorted().map {
            ClubAthlete(id: $0)
        }
        return SeasonOverview(
            of: sessions, by: athletes + others, in: groups, only: group,
            ClubFixture.period(today, season: season))
    }

    private static func text(_ volume: ClubVolume) -> String {
        "\(volume.decimetres / 10) m \(volume.centiseconds / 100) s \(volume.sessions) by \(volume.athletes)"
    }

    /// Two seasons of some athletes, and sessions at the edges of the compared days.
    private static let sessions =
        [
            ("anna", "2025-04-30"), ("anna", "2025-05-01"), ("ben", "2025-11-28"), ("ben", "2025-11-29"),
            ("ben", "2026-04-30"), ("anna", "2026-05-01"), ("carl", "2026-11-14"), ("anna", "2026-11-28"),
            ("anna", "2026-11-15"),
        ].map { ClubFixture.session($0.0, $0.1) }

    @Test func comparesTheSameDaysOfBothSeasons() {
        let overview = Self.overview(Self.sessions)
        #expect(Self.text(overview.total.now) == "4000 m 960 s 4 by 2")
        #expect(Self.text(overview.total.before) == "2000 m 480 s 2 by 2")
        #expect(
            overview.seasons.map(\.year) == [2027, 2026, 2025] && overview.firstDay?.text == "2025-04-30")
        let past = Self.overview(Self.sessions, season: 2026)
        #expect(Self.text(past.total.now) == "4000 m 960 s 4 by 2")
        #expect(Self.text(past.total.before) == "1000 m 240 s 1 by 1")
    }

    @Test func athleteIsAbsentFromTheFourteenthDayOn() throws {
        let overview = Self.overview(
            Self.sessions,
            by: [
                try ClubFixture.athlete("anna"), try ClubFixture.athlete("carl"),
                try ClubFixture.athlete("dora"), try ClubFixture.athlete("emil", isArchived: true),
            ])
        let days = overview.athletes.map { one in
            "\(one.athlete.id) \(one.lastDay?.text ?? "never") \(one.daysSinceLast ?? -1) \(one.isAbsent)"
        }
        #expect(
            days == [
                "anna 2026-11-28 0 false", "ben 2026-04-30 212 true", "carl 2026-11-14 14 true",
                "dora never -1 true",
            ], "Emil is archived and did not row")
        #expect(overview.active == 4 && overview.absent == 3)
        let before = Self.overview(Self.sessions, today: "2026-11-27")
        #expect(before.athletes.first { $0.athlete.id == "carl" }?.daysSinceLast == 13)
        #expect(before.athletes.first { $0.athlete.id == "carl" }?.isAbsent == false)
    }

    @Test func pastSeasonHasNoAbsentAthletes() throws {
        let overview = Self.overview(Self.sessions, by: [try ClubFixture.athlete("dora")], season: 2026)
        #expect(overview.absent == 0 && overview.athletes.contains { $0.athlete.id == "dora" })
        let json = String(decoding: JSONWriter.object(overview.write), as: UTF8.self)
        #expect(!json.contains("\"absent\""))
    }

    @Test func listsArchivedAthletesWithSessions() throws {
        let overview = Self.overview(
            Self.sessions, by: [try ClubFixture.athlete("ben", isArchived: true)])
        let ben = try #require(overview.athletes.first { $0.athlete.id == "ben" })
        #expect(!ben.isAbsent && ben.volume.now.sessions == 0 && ben.volume.before.sessions == 1)
        #expect(overview.active == 2, "Anna and Carl")
        #expect(Self.text(overview.total.before) == "2000 m 480 s 2 by 2", "results stay")
    }

    @Test func athleteWithoutAProfileIsForgottenAfterASeason() {
        let old = [ClubFixture.session("guest", "2025-04-30")]
        #expect(Self.overview(old).active == 0 && Self.overview(old).athletes.isEmpty)
        let recent = [ClubFixture.session("guest", "2025-05-01")]
        #expect(Self.overview(recent).active == 1 && Self.overview(recent).absent == 1)
    }

    @Test func countsWeeksOfBothSeasonsByTheirNumber() {
        let overview = Self.overview(Self.sessions)
        let weeks = overview.weeks
        // 1 May 2026 is a Friday; 30 April 2027 is one too.
        #expect(weeks.first?.monday.text == "2026-04-27" && weeks.last?.monday.text == "2027-04-26")
        #expect(weeks.count == 53)
        #expect(weeks[0].now?.sessions == 1 && weeks[0].before.sessions == 1, "30 April does not count")
        // 28 November 2026 is in the week from the 23rd; the 28th of 2025 in that from the 24th.
        #expect(weeks[30].monday.text == "2026-11-23")
        #expect(weeks[30].now?.sessions == 1 && weeks[30].before.sessions == 2)
        #expect(weeks[28].now?.sessions == 2 && weeks[31].now == nil)
        #expect(weeks.reduce(0) { $0 + $1.before.sessions } == 4, "the whole season before")
    }

    @Test func countsASessionForItsDayInTheClubsTimeZone() throws {
        // 30 April 2026, 23:00 in New York, which is 1 May in UTC; and a day of 25 hours.
        let newYork = try ClubCalendar.of("America/New_York")
        let overview = Self.overview([
            ClubFixture.session("anna", "2026-04-30", hour: 23, in: newYork),
            ClubFixture.session("anna", "2026-11-01", hour: 24, in: newYork),
        ])
        #expect(overview.total.now.sessions == 1)
        #expect(overview.athletes.first?.lastDay?.text == "2026-11-01")
    }

    @Test func groupsCountTheirMembers() throws {
        let juniors = try AthleteGroup(id: "juniors", name: "Juniors", members: ["anna", "carl", "dora"])
        let masters = try AthleteGroup(id: "masters", name: "Masters", members: ["ben", "anna"])
        let athletes = [try ClubFixture.athlete("anna"), try ClubFixture.athlete("dora")]
        let all = Self.overview(Self.sessions, by: athletes, groups: [masters, juniors])
        let groups = all.groups.map {
            "\($0.group.id) \(Self.text($0.volume.now)), \($0.absent)/\($0.active)"
        }
        #expect(
            groups == ["juniors 4000 m 960 s 4 by 2, 2/3", "masters 3000 m 720 s 3 by 1, 1/2"])
        let only = Self.overview(Self.sessions, by: athletes, groups: [masters, juniors], only: masters)
        #expect(Self.text(only.total.now) == "3000 m 720 s 3 by 1")
        #expect(only.athletes.map(\.athlete.id) == ["anna", "ben"] && only.active == 2)
        #expect(only.groups == all.groups)
        #expect(only.weeks[28].now?.sessions == 1, "Carl is not a member")
    }

    @Test func showsTheBest2000mOfTheSeason() {
        let event = RankedEvent.metres(2000)
        let sessions = [
            ClubFixture.session("anna", "2026-03-01", metres: 2000, seconds: 400, ranked: event),
            ClubFixture.session("anna", "2026-06-01", metres: 2000, seconds: 420, ranked: event),
            ClubFixture.session("anna", "2026-07-01", metres: 2000, seconds: 410, ranked: event),
            ClubFixture.session(
                "anna", "2026-08-01", metres: 2000, seconds: 390, ranked: event, isVerified: false),
        ]
        #expect(Self.overview(sessions).athletes.first?.best2000m?.centiseconds == 41_000)
        let bike = ClubFixture.session(
            "anna", "2026-07-01", metres: 2000, seconds: 410, ranked: event, on: .bike)
        #expect(Self.overview([bike]).athletes.first?.best2000m == nil)
    }

    @Test func doesNotDependOnTheOrder() throws {
        let athletes = try ["anna", "ben", "carl"].map { try ClubFixture.athlete($0) }
        let first = Self.overview(Self.sessions, by: athletes)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<10 {
            #expect(
                Self.overview(
                    Self.sessions.shuffled(using: &generator), by: athletes.shuffled(using: &generator))
                    == first)
        }
    }

    @Test func emptyClubHasNoFigures() {
        let overview = Self.overview([])
        #expect(overview.total.now.sessions == 0 && overview.athletes.isEmpty && overview.seasons.isEmpty)
        #expect(overview.firstDay == nil && overview.weeks.count == 53)
    }

    @Test func tableHasNamesAndNoFormulas() throws {
        var athlete = try ClubFixture.athlete("anna", groups: ["juniors"])
        athlete.profile = try AthleteProfile(id: "anna", name: "=Anna, B.")
        let juniors = try AthleteGroup(id: "juniors", name: "Juniors", members: ["anna"])
        let overview = Self.overview(
            [
                ClubFixture.session("anna", "2026-11-20", metres: 2000, seconds: 401, ranked: .metres(2000)),
                ClubFixture.session("anna", "2025-06-01", metres: 5, seconds: 1),
            ], by: [athlete], groups: [juniors])
        let rows = overview.rows(names: AthleteNames([try #require(athlete.profile)]))
        #expect(rows.count == 2 && rows[0].count == rows[1].count)
        #expect(
            rows[1] == [
                "anna", "'=Anna, B.", "Juniors", "2000.0", "401.00", "1", "5.0", "1.00", "1", "2026-11-20",
                "8", "false", "401.00",
            ])
    }
}
