import Bests
import Foundation
import TestSupport
import Testing

@testable import Plans

/// A plan as iCalendar.
@Suite struct PlanCalendarTests {
    /// 2026-11-22T18:00:00Z.
    private static let stamp: Int64 = 1_795_370_400_000
    private static let needs = Comment("python3 -m pip install icalendar")

    private func text(of plan: TrainingPlan) -> String {
        String(decoding: PlanCalendar.bytes(of: plan, stamp: Self.stamp), as: UTF8.self)
    }

    private func plan(_ text: String) throws -> TrainingPlan {
        let content = try PlanCalendar.content(
            of: Array(text.utf8), plan: "winter", in: .utc, zone: { _ in nil })
        return try TrainingPlan(
            id: "winter", title: content.title ?? "",
            group: TrainingPlan.Group(name: "Squad A", athletes: ["anna", "ben"]), content.workouts)
    }

    /// A calendar with one event of these lines.
    private func calendar(_ lines: [String]) -> String {
        (["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR", ""])
            .joined(separator: "\r\n")
    }

    private func fault(_ text: String) -> String {
        do {
            _ = try plan(text)
            return ""
        } catch { return "\(error)" }
    }

    @Test func readsItsOwnOutput() throws {
        let plan = try SyntheticPlan.awkward()
        let written = text(of: plan)
        #expect(try self.plan(written) == plan)
        let lines = written.utf8.split(separator: UInt8(ascii: "\n"))
        #expect(lines.allSatisfy { $0.last == UInt8(ascii: "\r") && $0.count <= 76 })
        #expect(lines.contains { $0.first == UInt8(ascii: " ") })
        #expect(written.contains("UID:20261201-2@winter.rowgate\r\nDTSTAMP:20261122T180000Z\r\n"))
        #expect(written.contains("DTSTART;VALUE=DATE:20280229\r\nDTEND;VALUE=DATE:20280301\r\n"))
        #expect(text(of: plan) == written)
    }

    @Test func readsCalendarsOfOtherPrograms() throws {
        // A calendar as other programs write it: changed dates, reordered events, times instead of dates,
        // other folding and line ends, alarms, time zones and unknown properties.
        let plan = try SyntheticPlan.plan([
            PlannedWorkout(day: "2026-12-01", workout: "2000m", name: "Test", note: "Flat, out"),
            PlannedWorkout(day: "2026-12-03", workout: "40:00@18-20spm"),
        ])
        let others = """
            BEGIN:VCALENDAR
            PRODID:-//Somebody//Else 2.0//DE
            VERSION:2.0
            CALSCALE:GREGORIAN
            X-WR-CALNAME:Winter\\, part 1
            BEGIN:VTIMEZONE
            TZID:Europe/Berlin
            BEGIN:STANDARD
            DTSTART:19701025T030000
            RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
            END:STANDARD
            END:VTIMEZONE
            BEGIN:VTODO
            SUMMARY:buy oil
            END:VTODO
            begin:vevent
            summary;language=de;x-note="a:b;c":40:00@18
             -20spm
            dtstart;tzid=Europe/Berlin:20261205T173000
            uid:20261203-1@winter.rowgate
            SEQUENCE:3
            X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
            BEGIN:VALARM
            TRIGGER:-PT15M
            DESCRIPTION:2000m is near
            SUMMARY:none
            END:VALARM
            end:vevent
            BEGIN:VEVENT
            UID:20261201-1@winter.rowgate
            DTSTART;VALUE=DATE:20261202
            DESCRIPTION:Flat\\,
            \t out
            SUMMARY:Test: 2000m
            END:VEVENT
            BEGIN:VEVENT
            UID:20261224-1@winter.rowgate
            DTSTART;VALUE=DATE:20261224
            STATUS:CANCELLED
            SUMMARY:6000m
            END:VEVENT
            BEGIN:VEVENT
            UID:5A1F0C@calendar.example
            DTSTART:20261201
            SUMMARY:Rate ladder: 4x4:00/2:00r
            END:VEVENT
            END:VCALENDAR
            """
        for end in ["\n", "\r\n", "\r\r\n"] {
            let text = others.split(separator: "\n", omittingEmptySubsequences: false)
                .joined(separator: end)
            let found = try self.plan(text)
            #expect(found.title == plan.title)
            #expect(
                found.workouts.map { "\($0.day.text) \($0.id) \($0.workout) \($0.name) \($0.note)" }
                    == [
                        // The first number of the day belongs to a workout that was moved away.
                        "2026-12-01 20261201-2 4x4:00/2:00r Rate ladder ",
                        "2026-12-02 20261201-1 2000m Test Flat, out",
                        "2026-12-05 20261203-1 40:00@18-20spm  ",
                    ])
        }
    }

    @Test(arguments: [
        (["SUMMARY:2000m"], "line 2 (day): the event has no DTSTART; set its day"),
        (["DTSTART:20261201"], "line 2 (workout): the event has no title; write the workout"),
        (["DTSTART:2026-12-01", "SUMMARY:2000m"], ""),
        (["SUMMARY:2000m", "DTSTART:tomorrow"], "line 4 (day): \"tomorrow\" is not a valid day; write it"),
        (["DTSTART:20261301", "SUMMARY:2000m"], "line 3 (day): \"2026-13-01\" is not a valid day; write"),
        (
            ["DTSTART:20261201", "SUMMARY:Rest day"],
            "line 4 (workout): \"Rest day\" is not a valid workout;"
        ),
        (
            ["DTSTART:20261201", "SUMMARY:2000m", "RRULE:FREQ=WEEKLY"],
            "line 5: repeating events are not supported; create an event for each day"
        ),
        (
            ["DTSTART:20261201", "SUMMARY:2000m", "DESCRIPTION:\u{1}"],
            "line 5 (note): it has a control character; use only text and line breaks"
        ),
        (["END:VTODO"], "line 3: END:VTODO has no matching BEGIN; export the calendar again"),
        (["BEGIN:VALARM"], "line 4: END:VEVENT has no matching BEGIN; export"),
    ])
    func namesMistakesInEvents(lines: [String], words: String) {
        let found = fault(calendar(lines))
        #expect(words.isEmpty ? found.isEmpty : found.hasPrefix(words), "\(found)")
    }

    @Test func refusesOtherFiles() {
        #expect(fault("").hasPrefix("BEGIN:VCALENDAR is missing; export"))
        #expect(fault("day,workout\n2026-12-01,2000m\n").hasPrefix("BEGIN:VCALENDAR is missing"))
        #expect(fault("BEGIN:VCALENDAR\n").hasPrefix("END:VCALENDAR is missing"))
        #expect(fault("BEGIN:VEVENT\nEND:VEVENT\n").hasPrefix("BEGIN:VCALENDAR is missing"))
    }

    @Test(.enabled(if: PythonPackage.hasCalendar, needs))
    func writesFilesThatOtherProgramsRead() async throws {
        // Python's icalendar and csv read an awkward plan; icalendar's output is parsed again.
        let plan = try SyntheticPlan.awkward()
        let folder = try TemporaryFolder()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/read_plans.py").path
        let files = ["plan.csv": PlanTable.bytes(of: plan), "plan.ics": Array(text(of: plan).utf8)]
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
            let process = try ChildProcess(
                "python3", [script, folder.path(name), folder.path("again.ics")],
                environment: ["PYTHONPATH": PythonPackage.folder])
            try #require(await process.waitForExit() == 0, "\(process.text)")
            let found = try JSONSerialization.jsonObject(with: Data(process.text.utf8))
            let expected = plan.workouts.map { workout in
                [
                    "id": workout.id, "day": workout.day.text, "title": workout.title,
                    "note": workout.note,
                ]
            }
            #expect(found as? [[String: String]] == expected, "\(name)")
        }
        let rewritten = try Data(contentsOf: URL(fileURLWithPath: folder.path("again.ics")))
        #expect(try self.plan(String(decoding: rewritten, as: UTF8.self)) == plan)
    }
}
