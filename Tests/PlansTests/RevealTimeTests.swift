import Bests
import Bytes
import TestSupport
import Testing
import Timeline

@testable import Plans

/// Workouts that athletes see only from a time on.
@Suite struct RevealTimeTests {
    /// 2026-12-01T00:00:00Z.
    private static let midnight: Int64 = 1_796_083_200_000
    private static let hour: Int64 = 3_600_000

    @Test(arguments: [
        ("18:00", "18:00"), ("9:05", "09:05"), ("00:00", "00:00"), ("23:59 -7d", "23:59 -7d"),
        ("18:00 -1d", "18:00 -1d"), ("18:00:00", "18:00"), ("18:00 -0d", "18:00"),
    ])
    func readsAndWritesTimes(text: String, written: String) {
        #expect(RevealTime(text)?.text == written)
    }

    @Test(arguments: [
        "", " ", "18", "24:00", "18:60", "18:00:30", "18:5", "118:00", "18:00 -8d", "18:00 1d", "18:00 -d",
        "18:00 -1", "18:00 -1d x", "-1d", "18:00:", ":00", "+8:00", "18:00 -+1d", "2026-12-01T18:00",
    ])
    func refusesOtherTexts(text: String) {
        #expect(RevealTime(text) == nil)
        guard !text.isEmpty else { return }
        #expect(throws: PlanFault.self) {
            try PlannedWorkout(day: "2026-12-01", workout: "2000m", shownFrom: text)
        }
    }

    @Test(arguments: [
        ("UTC", "18:00", 18.0), ("UTC", "18:00 -1d", -6), ("America/New_York", "18:00", 23),
        ("Europe/Berlin", "18:00", 17), ("Asia/Kolkata", "00:00", -5.5),
    ])
    func countsInTheClubsTimeZone(zone: String, text: String, hours: Double) throws {
        let calendar = try ClubCalendar.of(zone)
        let workout = try PlannedWorkout(day: "2026-12-01", workout: "2000m", shownFrom: text)
        let instant = Self.midnight + Int64(hours * Double(Self.hour))
        #expect(workout.isHidden(at: instant - 1, in: calendar))
        #expect(!workout.isHidden(at: instant, in: calendar))
    }

    @Test func stepsOfTheClockShowAWorkoutOnce() throws {
        let calendar = try ClubCalendar.of("America/New_York")
        // 01:30 occurs twice on 2026-11-01; 02:30 does not occur on 2026-03-08.
        for (day, time, hours) in [("2026-11-01", "01:30", 5.5), ("2026-03-08", "02:30", 7.5)] {
            let workout = try PlannedWorkout(day: day, workout: "2000m", shownFrom: time)
            let midnight = try #require(CivilTime.midnight(day))
            let shown = stride(from: midnight, to: midnight + 12 * Self.hour, by: 60_000)
                .filter { !workout.isHidden(at: $0, in: calendar) }
            #expect(shown.first == midnight + Int64(hours * Double(Self.hour)), "\(day)")
            #expect(shown.count == Int((12 - hours) * 60), "\(day)")
        }
    }

    /// A hidden test on the second day, and an ordinary workout.
    private func plan(_ time: String = "18:00") throws -> TrainingPlan {
        try SyntheticPlan.plan([
            PlannedWorkout(day: "2026-11-30", workout: "40:00", name: "Steady"),
            PlannedWorkout(
                day: "2026-12-01", workout: "6000m@1:50-1:55", machine: "bike", name: "6k test",
                note: "at 28 spm", shownFrom: time),
        ])
    }

    @Test func nothingButTheTimeIsLeftBefore() throws {
        let whole = try plan()
        let before = try whole.withoutHiddenContent(at: Self.midnight + 18 * Self.hour - 1, in: .utc)
        let json = String(decoding: JSONWriter.object(before.write), as: UTF8.self)
        #expect(
            json.hasSuffix(
                #""workout":"40:00","name":"Steady"},"#
                    + #"{"id":"20261201-1","day":"2026-12-01","shown_from":"18:00"}]}"#))
        let calendar = String(decoding: PlanCalendar.bytes(of: before, stamp: 0), as: UTF8.self)
        #expect(calendar.contains("SUMMARY:Test piece\\, shown from 2026-12-01 18:00\r\n"))
        #expect(calendar.contains("UID:20261201-1@winter.rowgate\r\n"))
        let table = String(decoding: PlanTable.bytes(of: before), as: UTF8.self)
        #expect(table.hasSuffix("\r\n2026-12-01,,,,,20261201-1,18:00\r\n"))
        let adherence = Adherence(to: before, of: [], today: TrainingDay.day("2026-12-01"))
        let result = String(decoding: JSONWriter.object(adherence.write), as: UTF8.self)
        #expect(result.contains(#""shown_from":"18:00","verdict":"ahead"}"#))
        for text in [json, calendar, table, result] {
            for secret in ["6000", "6k", "1:50", "bike", "28 spm", "just", "fields\":{\"type\":\"distance"] {
                #expect(!text.contains(secret), "\(secret): \(text)")
            }
        }
        // The files of an athlete do not replace the plan.
        #expect(throws: PlanFault.self) { try PlanTable.workouts(in: Array(table.utf8)) }
        #expect(throws: PlanFault.self) {
            try PlanCalendar.content(of: Array(calendar.utf8), plan: "winter", in: .utc) { _ in nil }
        }
        #expect(try whole.withoutHiddenContent(at: Self.midnight + 18 * Self.hour, in: .utc) == whole)
    }

    @Test func sessionsDoNotMatchAHiddenWorkout() throws {
        let whole = try plan()
        let piece = SyntheticPlan.piece(1, .piece, [(6000, 1300)], on: .bike)
        let before = try whole.withoutHiddenContent(at: Self.midnight, in: .utc)
        // Even a day later, in case the days of the club and the plan differ.
        for today in ["2026-12-01", "2026-12-02"] {
            let day = try #require(
                Adherence(to: before, of: [piece], today: TrainingDay.day(today)).days.last)
            #expect(day.items.map(\.verdict) == [.upcoming] && day.items[0].session == nil)
            #expect(day.extra.map(\.session) == [piece.name])
        }
        let after = Adherence(to: whole, of: [piece], today: TrainingDay.day("2026-12-01"))
        #expect(after.days.last?.items.map(\.verdict) == [.done])
    }

    @Test func filesKeepTheTime() throws {
        for time in ["18:00", "07:30 -2d"] {
            let whole = try plan(time)
            #expect(try SyntheticPlan.plan(PlanTable.workouts(in: PlanTable.bytes(of: whole))) == whole)
            let bytes = PlanCalendar.bytes(of: whole, stamp: 0)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("CATEGORIES:bike,shown from \(time)\r\n"))
            // A calendar program moves the event, and splits the categories.
            let moved = text.replacing("DATE:20261201", with: "DATE:20261208")
                .replacing("CATEGORIES:bike,s", with: "CATEGORIES:Club\r\nCATEGORIES:bike\r\nCATEGORIES:S")
            let read = try PlanCalendar.content(of: Array(moved.utf8), plan: "winter", in: .utc) { _ in nil }
            let workout = try #require(read.workouts.last)
            #expect(workout.revealTime?.text == time && workout.machine == .bike)
            #expect(workout.isHidden(at: Self.midnight + 5 * 24 * Self.hour, in: .utc))
            let wrong = text.replacing("shown from \(time)", with: "shown from six")
            #expect(throws: PlanFault.self) {
                try PlanCalendar.content(of: Array(wrong.utf8), plan: "winter", in: .utc) { _ in nil }
            }
        }
    }

    @Test func plansWithoutTimesStayReadable() throws {
        let old =
            #"{"title":"Winter","group":{"athletes":["anna"]},"#
            + #""workouts":[{"day":"2026-12-01","workout":"500m"}]}"#
        let plan = try TrainingPlan(stored: Array(old.utf8), id: "winter")
        #expect(plan.workouts.map(\.revealTime) == [nil])
        #expect(!String(decoding: JSONWriter.object(plan.write), as: UTF8.self).contains("shown_from"))
        let table = "day,workout,machine,name,note,id\n2026-12-01,2000m,,Test,,a\n"
        #expect(try PlanTable.workouts(in: Array(table.utf8)).map(\.revealTime) == [nil])
    }
}
