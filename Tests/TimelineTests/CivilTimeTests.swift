import Foundation
import Testing

@testable import Timeline

@Suite struct CivilTimeTests {
    @Test func agreesWithCalendar() throws {
        // One day per week, 1600 to 2400, compared with Foundation.
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        let start = Int64(-11_676_096_000)  // 1600-01-01
        for day in stride(from: Int64(0), to: 292_195, by: 7) {
            let seconds = start + day * 86_400 + day % 86_400
            let ours = CivilTime(unixMilliseconds: seconds * 1000 + day % 1000)
            let theirs = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second],
                from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            #expect(
                [ours.year, ours.month, ours.day, ours.hour, ours.minute, ours.second]
                    == [
                        theirs.year, theirs.month, theirs.day, theirs.hour, theirs.minute,
                        theirs.second,
                    ].map { Int64($0!) }, "at \(seconds)")
            #expect(ours.millisecond == day % 1000)
        }
    }

    private static let texts: [(milliseconds: Int64, text: String)] = [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_005, "2000-02-29T00:00:00.005Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ]

    @Test(arguments: texts)
    func text(milliseconds: Int64, expected: String) {
        // The epoch, a time before it, a leap day, the last millisecond.
        #expect(CivilTime(unixMilliseconds: milliseconds).rfc3339 == expected)
    }

    @Test func parsesMidnightOfEveryDay() {
        // Every eleventh day of 800 years, from its text; and invalid days.
        for day in stride(from: Int64(-135_140), to: 157_055, by: 11) {
            let midnight = day * 86_400_000
            let text = String(CivilTime(unixMilliseconds: midnight).rfc3339.prefix(10))
            if CivilTime.midnight(text) != midnight { Issue.record("\(text)") }
        }
        #expect(CivilTime.midnight("0001-01-01") == -62_135_596_800_000)
        #expect(CivilTime.midnight("9999-12-31") == 253_402_214_400_000)
        for text in [
            "", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-9-5", "2026-09-05T",
            "+2026-09-05", "2026--09-05", "20260905", "2026-09-05-01", "99999999999-01-01",
            "9223372036854775807-01-01",
        ] {
            #expect(CivilTime.midnight(text) == nil, "\(text)")
        }
    }
}
