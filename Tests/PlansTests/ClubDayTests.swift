import Bests
import TestSupport
import Testing
import Timeline

@testable import Plans

/// Plans in the club's time zone.
@Suite struct ClubDayTests {
    /// A plan for 8 December, and a piece at 20:00 of that day in New York, when it is the 9th in UTC.
    private func adherence(in calendar: ClubCalendar, today: String) throws -> Adherence {
        let plan = try SyntheticPlan.plan([
            PlannedWorkout(day: "2026-12-08", workout: "2000m"),
            PlannedWorkout(day: "2026-12-09", workout: "6000m"),
        ])
        let hours = (1_796_779_800_000 - 1_796_083_200_000) / Int64(3_600_000)
        let piece = SyntheticPlan.piece(1, .piece, [(2000, 480)], hour: hours, in: calendar)
        #expect(piece.startedAt == 1_796_778_000_000)
        return Adherence(to: plan, of: [piece], today: TrainingDay.day(today))
    }

    @Test func comparesAnEveningWithThePlanOfItsDay() throws {
        let newYork = try ClubCalendar.of("America/New_York")
        let found = try adherence(in: newYork, today: "2026-12-09")
        #expect(found.days.map(\.day.text) == ["2026-12-08", "2026-12-09"])
        #expect(found.days.flatMap(\.items).map(\.verdict) == [.done, .upcoming])
        #expect(found.days.allSatisfy { $0.extra.isEmpty })
        let utc = try adherence(in: .utc, today: "2026-12-09")
        #expect(utc.days.flatMap(\.items).map(\.verdict) == [.missed, .partly])
    }

    private func day(_ start: String, in calendar: ClubCalendar) throws -> String? {
        let text = """
            BEGIN:VCALENDAR
            BEGIN:VEVENT
            \(start)
            SUMMARY:2000m
            END:VEVENT
            END:VCALENDAR
            """
        let content = try PlanCalendar.content(
            of: Array(text.utf8), plan: "winter", in: calendar
        ) { try? ClubCalendar.of($0) }
        return content.workouts.first?.day.text
    }

    @Test(arguments: [
        ("DTSTART;VALUE=DATE:20261208", "2026-12-08"), ("DTSTART:20261208", "2026-12-08"),
        ("DTSTART:20261208T203000", "2026-12-08"),
        ("DTSTART;TZID=America/New_York:20261208T203000", "2026-12-08"),
        ("DTSTART:20261209T013000Z", "2026-12-08"), ("DTSTART:20261209T050000Z", "2026-12-09"),
        ("DTSTART:20261209T045959Z", "2026-12-08"),
        // Early morning in Berlin is the evening before in New York.
        ("DTSTART;TZID=Europe/Berlin:20261209T053000", "2026-12-08"),
        ("DTSTART;TZID=Europe/Berlin:20261209T063000", "2026-12-09"),
        ("DTSTART;TZID=\"Europe/Berlin\":20261209T053000", "2026-12-08"),
        ("DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261209T053000", "2026-12-08"),
        ("DTSTART;X-NOTE=\"a;TZID=Asia/Tokyo\";TZID=Europe/Berlin:20261209T053000", "2026-12-08"),
        // The hour that occurs twice, and one that is skipped.
        ("DTSTART;TZID=America/New_York:20261101T013000", "2026-11-01"),
        ("DTSTART;TZID=America/New_York:20260308T023000", "2026-03-08"),
        // Unknown zone names, and invalid times.
        ("DTSTART;TZID=W. Europe Standard Time:20261209T053000", "2026-12-09"),
        ("DTSTART;TZID=Europe/Berlin:20261209T9930", "2026-12-09"),
    ])
    func countsAnEventForTheClubsDay(start: String, day: String) throws {
        let newYork = try ClubCalendar.of("America/New_York")
        #expect(try self.day(start, in: newYork) == day)
    }

    @Test func readsAllDayEventsEquallyInEveryZone() throws {
        for zone in ["America/New_York", "Asia/Kolkata", "Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let calendar = try ClubCalendar.of(zone)
            let plan = try SyntheticPlan.awkward()
            let content = try PlanCalendar.content(
                of: PlanCalendar.bytes(of: plan, stamp: 1_796_778_000_000), plan: "winter",
                in: calendar
            ) { _ in nil }
            #expect(content.workouts.map(\.day) == plan.workouts.map(\.day), "\(zone)")
        }
    }
}
