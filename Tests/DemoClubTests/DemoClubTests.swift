import Bytes
import Contract
import LogbookInspection
import LogbookStores
import PM5Simulator
import People
import Plans
import TestSupport
import Testing
import Timeline

@testable import DemoClub

/// The data of the demo, as a logbook reads them.
@Suite struct DemoClubTests {
    /// Friday, 27 November 2026, at noon.
    private static let today = CalendarDay(year: 2026, month: 11, day: 27)
    private static let now = today.number * CivilTime.dayMilliseconds + 43_200_000

    private let club = DemoClub(now: now, in: .utc, seed: 26)

    @Test func theRecordsFulfilTheContractAndEverySessionIsVerified() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(folder.path("logbook.db"), for: .recording)
        defer { store.close() }
        var found = RecordImport()
        var splitter = LineSplitter()
        try club.writeRecords(from: Self.today.advanced(by: -9)) { bytes in
            for line in splitter.consume(bytes) { try found.add(line, into: store, at: Self.now) }
        }
        try found.finish(into: store, at: Self.now)
        #expect(found.isWhole && found.others == 0 && found.repeats == 0)
        let sessions = try store.sessions(SessionFilter(limit: 1000))
        #expect(sessions.count > 20)
        #expect(sessions.allSatisfy { $0.state == .verified })
        #expect(Set(sessions.compactMap(\.athlete)).count == 7)
        #expect(sessions.allSatisfy { $0.firstAt < Self.now })
        // Only the sessions of the last week have force curves.
        let kinds = try sessions.map { session in
            (session, try store.records(of: .force, in: session.name, after: nil, limit: 1).count)
        }
        for (session, curves) in kinds {
            let day = ClubCalendar.utc.day(of: session.firstAt)
            #expect((curves == 1) == (day >= Self.today.advanced(by: -7)))
        }
    }

    @Test func theSameTimeAndSeedGiveTheSameBytes() {
        func bytes(_ seed: UInt64, _ now: Int64 = Self.now) -> [UInt8] {
            var bytes: [UInt8] = []
            DemoClub(now: now, in: .utc, seed: seed).writeRecords(from: Self.today.advanced(by: -2)) {
                bytes += $0
            }
            return bytes
        }
        let first = bytes(26)
        #expect(!first.isEmpty)
        #expect(first == bytes(26))
        #expect(first == bytes(26, Self.now + 3_600_000), "an hour later on the same day")
        #expect(first != bytes(27))
    }

    @Test func theAthletesAreATableOfProfiles() throws {
        let entries = try RosterTable.entries(in: Array(club.athleteTable().utf8)) { _ in false }
        #expect(entries.map(\.profile.id) == DemoAthlete.all.map(\.id))
        #expect(entries.count == 8)
        for (entry, athlete) in zip(entries, DemoAthlete.all) {
            #expect(entry.profile.name == athlete.name)
            #expect(entry.profile.birthYear == 2026 - athlete.age)
            #expect(entry.profile.weightClass != nil)
            #expect(entry.groups == athlete.groups)
            // The rower of the live room has this power.
            let speed = RowerProfile(ofErg: athlete.erg, in: 26).cruisingSpeed
            #expect(entry.profile.power2k == Int((2.8 * speed * speed * speed).rounded()))
        }
        #expect(Set(entries.compactMap(\.profile.power2k)).count == 8, "each has another strength")
    }

    @Test func thePlanHasSevenWeeksForAGroup() throws {
        let workouts = try PlanTable.workouts(in: Array(club.planTable().utf8))
        #expect(workouts.count == 21)
        #expect(club.planAthletes == ["amara-okafor", "jonas-weber", "noor-haddad"])
        #expect(club.planTable().contains("2026-11-21,2000m,Test\n"))
    }

    @Test func theRaceHasTheResultsOfItsSessions() throws {
        let file = try #require(try JSONObject(parsing: club.raceFile()))
        guard case .list(let races)? = file["races"], case .object(let race)? = races.first else {
            Issue.record("the file has no race")
            return
        }
        #expect(races.count == 1)
        #expect(race.text("phase") == "over")
        guard case .list(let lanes)? = race["lanes"] else {
            Issue.record("the race has no lanes")
            return
        }
        #expect(lanes.count == 7)
        var sessions: Set<String> = []
        club.writeRecords(from: Self.today.advanced(by: -6)) { bytes in
            if let id = StoredRecord.text(of: "session_id", in: bytes) { sessions.insert(id) }
        }
        for case .object(let lane) in lanes {
            guard case .object(let result)? = lane["result"] else {
                Issue.record("a lane has no result")
                continue
            }
            #expect(result["complete"] == .flag(true))
            #expect(result.decimal("distance_m") == 2000)
            #expect((400...600).contains(result.decimal("result_time_s") ?? 0))
            #expect(result.text("session_id") == lane.text("session_id"))
            #expect(sessions.contains(lane.text("session_id") ?? ""))
            #expect((0..<3).contains(lane.decimal("start_s") ?? -1))
        }
    }
}
