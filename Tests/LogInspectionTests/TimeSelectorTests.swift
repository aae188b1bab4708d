import LogInspection
import Testing
import Timeline

@Suite struct TimeSelectorTests {
    /// 2026-09-05T17:05:00.120Z
    private static let now: Int64 = 1_788_627_900_120

    @Test(
        arguments: [
            ("2026-09-05", 1_788_566_400_000), ("1970-01-01", 0),
            ("2026-09-05T17:05:00Z", 1_788_627_900_000), ("2026-09-05T17:05Z", 1_788_627_900_000),
            ("2026-09-05T17:05:00.12Z", 1_788_627_900_120), ("2024-02-29", 1_709_164_800_000),
            ("1788627900120", 1_788_627_900_120), ("90s", 1_788_627_810_120),
            ("30m", 1_788_626_100_120), ("2h", 1_788_620_700_120), ("7d", 1_788_023_100_120),
        ] as [(String, Int64)])
    func parsesEveryForm(text: String, milliseconds: Int64) {
        // The times were computed with date(1).
        #expect(TimeSelector(parsing: text, now: Self.now)?.unixMilliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "now", "2026", "2026-9-5", "2026-02-29", "2026-13-01", "2026-09-05T", "12345678901",
        "2026-09-05T17:05:00", "2026-09-05T24:00Z", "2026-09-05T17:60Z", "2026-09-05T1:05Z",
        "2026-09-05T17:05:00.Z", "2026-09-05T17:05:00.1234Z", "-2h", "2w", "h", "1.5h",
        "1969-12-31",
        "2026-09-05T17:05:00Z ", "99999999999999999999",
    ])
    func rejectsInvalidForms(text: String) {
        #expect(TimeSelector(parsing: text, now: Self.now) == nil)
    }

    @Test func daysMatchTheCalendar() {
        // Four centuries, converted in both directions.
        for day in stride(from: Int64(0), through: 400 * 365, by: 13) {
            let text = CivilTime(unixMilliseconds: day * 86_400_000).rfc3339
            let selector = TimeSelector(parsing: String(text.prefix(10)), now: 0)
            #expect(selector?.unixMilliseconds == day * 86_400_000)
            #expect(TimeSelector(parsing: text, now: 0)?.unixMilliseconds == day * 86_400_000)
        }
    }
}
