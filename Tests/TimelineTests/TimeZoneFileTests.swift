import Foundation
import TestSupport
import Testing

@testable import Timeline

/// Time zone files and their rules.
@Suite struct TimeZoneFileTests {
    /// A file of version 2 according to RFC 9636.
    private struct TestFile {
        var version = UInt8(ascii: "2")
        var leapSeconds = 0
        var times: [Int64] = [-1_000_000_000, 1_000_000_000]
        var indices: [UInt8] = [1, 0]
        var types: [(seconds: Int32, isDaylight: UInt8, name: UInt8)] = [(3600, 0, 0), (7200, 1, 4)]
        var names = "CET\0CEST\0"
        var footer = "\nCET-1CEST,M3.5.0,M10.5.0/3\n"

        private static func bytes(_ value: Int64, _ width: Int) -> [UInt8] {
            (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * Int64(width - 1 - $0))) }
        }

        private func block(_ timeBytes: Int) -> [UInt8] {
            let counts = [0, 0, leapSeconds, times.count, types.count, names.utf8.count]
            var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
            for count in counts { bytes += Self.bytes(Int64(count), 4) }
            for time in times { bytes += Self.bytes(time, timeBytes) }
            bytes += indices
            for type in types {
                bytes += Self.bytes(Int64(type.seconds), 4) + [type.isDaylight, type.name]
            }
            return bytes + Array(names.utf8)
                + [UInt8](repeating: 0, count: leapSeconds * (timeBytes + 4))
        }

        var file: [UInt8] {
            version == 0 ? block(4) : block(4) + block(8) + Array(footer.utf8)
        }

        var fault: String {
            do {
                _ = try TimeZoneRules(tzif: file)
                return ""
            } catch { return "\(error)" }
        }
    }

    @Test func readsTableAndRule() throws {
        let rules = try TimeZoneRules(tzif: TestFile().file)
        func name(_ seconds: Int64) -> String { rules.offset(at: seconds).abbreviation }
        #expect(name(-1_000_000_001) == "CET" && name(-1_000_000_000) == "CEST")
        #expect(name(999_999_999) == "CEST")
        // After the table the rule applies: 2001-09-09 is in summer, 2026-11-22 in winter.
        #expect(name(1_000_000_000) == "CEST" && name(1_795_397_400) == "CET")
        var made = TestFile()
        made.footer = "\n\n"
        #expect(try TimeZoneRules(tzif: made.file).offset(at: 1_000_000_000).seconds == 3600)
        // Version 1 has no footer.
        made.version = 0
        #expect(try TimeZoneRules(tzif: made.file).offset(at: 2_000_000_000).seconds == 3600)
        (made.times, made.indices) = ([], [])
        #expect(try TimeZoneRules(tzif: made.file).offset(at: -5).seconds == 3600)
    }

    @Test func rejectsBrokenFiles() {
        let whole = TestFile().file
        for length in whole.indices {
            #expect(throws: TimeZoneFileFault.self, "\(length)") {
                try TimeZoneRules(tzif: Array(whole[..<length]))
            }
        }
        #expect(throws: TimeZoneFileFault.notTimeZone) {
            try TimeZoneRules(tzif: Array("# Europe/Berlin\n".utf8))
        }
        for (change, words) in [
            ({ $0.leapSeconds = 1 }, "it contains leap seconds"),
            ({ $0.indices[1] = 2 }, "its changes name an offset that is not listed"),
            ({ $0.times.reverse() }, "its changes are not in order"),
            ({ $0.types = [] }, "its list of offsets is empty"),
            ({ $0.types[0].seconds = 93_600 }, "its offset of 93600 s is more than a day"),
            ({ $0.types[0].name = 9 }, "its offsets name an abbreviation that is not listed"),
            ({ $0.footer = "\nCET\n" }, "its rule \"CET\" is not a POSIX time zone"),
            ({ $0.footer = "" }, "it ends too early"),
            ({ $0.footer = "\nCET-1" }, "it ends too early"),
        ] as [((inout TestFile) -> Void, String)] {
            var made = TestFile()
            change(&made)
            #expect(made.fault.hasPrefix(words), "\(made.fault)")
        }
    }

    @Test func neverCrashesOnAnyBytes() {
        var generator = SeededGenerator(seed: 8536)
        let whole = TestFile().file
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let rules = try? TimeZoneRules(tzif: bytes) else { continue }
            let calendar = ClubCalendar(name: "X", rules)
            let day = calendar.day(of: 1_795_397_400_000)
            #expect(abs(day.number - 20_780) <= 2)
            _ = calendar.start(of: day)
        }
    }

    /// Offsets in the middle of January and July of 2026.
    @Test(
        arguments: [
            ("UTC0", 0, 0), ("EST5EDT,M3.2.0,M11.1.0", -18_000, -14_400),
            ("CET-1CEST,M3.5.0,M10.5.0/3", 3600, 7200),
            ("<-03>3", -10_800, -10_800), ("<+0545>-5:45", 20_700, 20_700),
            // Summer in the southern hemisphere.
            ("AEST-10AEDT,M10.1.0,M4.1.0/3", 39_600, 36_000),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 39_600, 37_800),
            // Negative daylight-saving time, in winter.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3600),
            // Times beyond 24 hours, and negative ones.
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", 7200, 10_800),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", -7200, -3600),
            // Days of the year, with and without the leap day.
            ("AAA3BBB,J60/2,J300/2", -10_800, -7200), ("AAA3BBB,59/2,299/2", -10_800, -7200),
            // Daylight-saving time all year.
            ("EST5EDT,0/0,J365/25", -14_400, -14_400),
        ] as [(String, Int64, Int64)])
    func evaluatesPOSIXRules(text: String, january: Int64, july: Int64) throws {
        let rule = try #require(PosixTimeZone(text))
        #expect(rule.offset(at: 1_768_478_400).seconds == january)
        #expect(rule.offset(at: 1_784_116_800).seconds == july)
    }

    @Test func countsLeapDaysByRule() throws {
        // In 2028 J60 is 1 March, and day 59 is 29 February.
        let julian = try #require(PosixTimeZone("AAA0BBB,J60/0,J300/0"))
        let counted = try #require(PosixTimeZone("AAA0BBB,59/0,299/0"))
        let march = CivilTime.days(year: 2028, month: 3, day: 1) * 86_400
        let year = march - 100 * 86_400..<march + 100 * 86_400
        #expect(julian.changes(in: year).map(\.at) == [march])
        #expect(counted.changes(in: year).map(\.at) == [march - 86_400])
    }

    @Test(arguments: [
        "", "EST", "5EST", "ES5", "<EST5", "EST25", "EST5:60", "EST5EDT", "EST5EDT,M3.2.0",
        "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0",
        "EST5EDT,J0,J100", "EST5EDT,J366,J100", "EST5EDT,366,1", "EST5EDT,M3.2.0/168,M11.1.0",
        "EST5EDT,M3.2.0,M11.1.0,", "EST5 ", "EST5EDT,M3.2.0;M11.1.0", "EST99999999999999999999",
    ])
    func rejectsOtherTexts(text: String) { #expect(PosixTimeZone(text) == nil) }
}
