import Testing

@testable import CommandLineText

@Suite struct OutputTests {
    @Test(arguments: [
        (0, "0:00.0"), (59.99, "0:59.9"), (60, "1:00.0"), (123.46, "2:03.4"), (3599.99, "59:59.9"),
        (3600, "1:00:00.0"), (-1, "0:00.0"), (.nan, "0:00.0"),
    ])
    func clockIsTruncatedToTenths(seconds: Double, text: String) {
        #expect(ValueFormatter.clock(seconds) == text)
    }

    @Test(arguments: [
        (67.5, "1:07.5", "1:07.5"), (130.19, "2:10.2", "2:10.1"), (127.13, "2:07.1", "2:07.1"),
        (139.46, "2:19.5", "2:19.4"), (59.96, "1:00.0", "0:59.9"), (127.1, "2:07.1", "2:07.1"),
        (.nan, "0:00.0", "0:00.0"),
    ])
    func resultsAreRoundedAndPacesTruncated(seconds: Double, time: String, pace: String) {
        #expect(ValueFormatter.time(seconds) == time)
        #expect(ValueFormatter.pace(seconds) == pace)
    }

    @Test(arguments: [(2477.9, "2477 m"), (2478, "2478 m"), (0.3 * 10, "3 m"), (-1, "0 m")])
    func metresAreTruncated(value: Double, text: String) {
        #expect(ValueFormatter.units(value, "m") == text)
    }

    @Test(arguments: [
        (0.4, "0 s"), (59.9, "59 s"), (60, "1 min"), (3599, "59 min"), (3600, "1 h 0 min"),
        (86_399, "23 h 59 min"), (86_400, "1 d 0 h"), (259_300, "3 d 0 h"), (.nan, "0 s"),
    ])
    func spanHasTwoUnits(seconds: Double, text: String) {
        #expect(ValueFormatter.span(seconds) == text)
    }

    @Test(arguments: [
        (0, "0.0"), (3.14, "3.1"), (0.95, "1.0"), (99.96, "100.0"), (-0.04, "0.0"), (-2.5, "-2.5"),
    ])
    func tenthsAreRounded(value: Double, text: String) {
        #expect(ValueFormatter.tenths(value) == text)
    }

    @Test(arguments: [
        (-1, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_949, "999.9 kB"),
        (999_950, "1.0 MB"), (48_213_007, "48.2 MB"), (Int.max, "9223372.0 TB"),
    ])
    func bytesHaveAUnit(count: Int, text: String) {
        #expect(ValueFormatter.bytes(count) == text)
    }

    @Test func printsNumbersOfAnySize() {
        for value in [Double.greatestFiniteMagnitude, .infinity, -.infinity, 1e19] {
            #expect(!ValueFormatter.clock(value).isEmpty)
            #expect(!ValueFormatter.span(value).isEmpty)
            #expect(!ValueFormatter.tenths(value).isEmpty)
            #expect(!ValueFormatter.units(value, "m").isEmpty)
        }
    }

    @Test func escapesControlSequencesOfPeers() {
        #expect(StyledLine("a\u{1B}[2Jb\nc\u{9B}d").rendered(inColour: false) == "a?[2Jb?c?d")
    }

    @Test func wrapsBetweenWords() {
        // Widths at which a word just fits or does not, and a word that never fits.
        func broken(_ text: String, _ width: Int) -> [String] {
            StyledLine.paragraph(text, width: width).map { $0.rendered(inColour: false) }
        }
        #expect(broken("start it again", 14) == ["start it again"])
        #expect(broken("start it again", 13) == ["start it", "  again"])
        #expect(broken("a  /very/long/path b", 5) == ["a", "  /very/long/path", "  b"])
        #expect(broken("start", .max) == ["start"])
        #expect(broken("", 10).isEmpty)
    }

    @Test func clipsByVisibleWidth() {
        let line = StyledLine("abc", .good) + StyledLine("def", .bad) + StyledLine("ghi")
        #expect(line.clipped(to: 5).rendered(inColour: false) == "abcde")
        #expect(
            line.clipped(to: 5).rendered(inColour: true)
                == "\u{1B}[32mabc\u{1B}[0m\u{1B}[31mde\u{1B}[0m")
        #expect(line.clipped(to: 0).rendered(inColour: true).isEmpty)
    }
}
