import Bests
import Testing
import Timeline

@testable import Club

/// The days of a season that are compared with the season before.
@Suite struct SeasonPeriodTests {
    private func text(_ today: String, season: Int64? = nil) -> String {
        let period = ClubFixture.period(today, season: season)
        let days = [period.days, period.previousDays].map { "\($0.lowerBound.text) \($0.upperBound.text)" }
        return "\(period.season.year)\(period.isCurrent ? "" : " over") \(days[0]), \(days[1])"
    }

    @Test func endsToday() {
        #expect(text("2026-11-28") == "2027 2026-05-01 2026-11-28, 2025-05-01 2025-11-28")
        #expect(text("2026-05-01") == "2027 2026-05-01 2026-05-01, 2025-05-01 2025-05-01")
        #expect(text("2026-04-30") == "2026 2025-05-01 2026-04-30, 2024-05-01 2025-04-30")
    }

    @Test func comparesLeapDayWithTheLastDayOfFebruary() {
        #expect(text("2028-02-29") == "2028 2027-05-01 2028-02-29, 2026-05-01 2027-02-28")
        #expect(text("2029-02-28") == "2029 2028-05-01 2029-02-28, 2027-05-01 2028-02-28")
        #expect(text("2028-12-31") == "2029 2028-05-01 2028-12-31, 2027-05-01 2027-12-31")
    }

    @Test func comparesWholeSeasonsThatAreOver() {
        #expect(text("2026-11-28", season: 2026) == "2026 over 2025-05-01 2026-04-30, 2024-05-01 2025-04-30")
        #expect(text("2026-11-28", season: 2028) == "2028 over 2027-05-01 2027-05-01, 2026-05-01 2026-05-01")
    }
}
