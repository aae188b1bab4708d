import HostRuntime
import TestSupport
import Testing

/// The journal that an administrator reads.
struct JournalTests {
    @Test func journalOfAMorningWithoutFaults() async throws {
        let lines = try await Self.journal { day in
            for (seed, erg) in day.ergs.enumerated() {
                try erg.switchOn("just-row", seed: UInt64(seed))
            }
            await day.pass(.seconds(60))
            for number in 1...8 { day.letSleep(number) }
            await day.pass(.seconds(60))
        }
        try expectGolden("journal-quiet.txt", lines)
        // Ring, ready, broker, eight links, eight releases, and two lines of the stop.
        #expect(lines.count <= 3 + 8 + 8 + 2)
    }

    @Test func journalOfADayOfFaults() async throws {
        let lines = try await Self.journal { day in
            for (seed, erg) in day.ergs.enumerated() {
                try erg.switchOn("just-row", seed: UInt64(seed))
            }
            day.ergs[4].setBattery(percent: 12)
            await day.pass(.seconds(30))
            day.ergs[0].close(.lost)
            await day.pass(.seconds(30))
            await day.resetAdapter()
            await day.pass(.seconds(30))
            day.ergs[2].switchOff()
            await day.pass(.seconds(30))
            try day.ergs[2].switchOn("just-row", seed: 9)
            day.ergs[3].fallSilent(for: .seconds(40))
            await day.pass(.seconds(60))
            let release = #"{"request_id":"coach-1","for_s":60,"force":true}"#
            day.command("erg-6", "release", release)
            day.ergs[1].starve(for: .seconds(40))
            await day.pass(.seconds(70))
            for _ in 0..<20 { day.ergs[6].send([1, 2, 3], as: .generalStatus) }
            await day.pass(.seconds(30))
            try await Self.troubleAround(day)
            day.letSleep(8)
            await day.pass(.seconds(60))
        }
        try expectGolden("journal-day.txt", lines)
    }

    /// Faults of the broker, the disk and the clock.
    private static func troubleAround(_ day: JournalDay) async throws {
        day.broker.goAway()
        await day.pass(.seconds(60))
        day.broker.comeBack()
        await day.pass(.seconds(30))
        day.stallDisk(for: .seconds(10))
        await day.pass(.seconds(30))
        day.disk.fail(writing: 5)
        await day.pass(.seconds(30))
        day.disk.fail(writing: nil)
        await day.pass(.seconds(30))
        day.setClock(by: 7_200_000)
        await day.pass(.seconds(30))
    }

    private static func journal(
        of events: @escaping @Sendable (JournalDay) async throws -> Void
    ) async throws -> [String] {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 1) { machine in
            let day = try JournalDay(on: machine, folder: folder.path)
            try day.start()
            await day.pass(.seconds(1))
            try await events(day)
            try await day.stop()
            return day.lines
        }
    }

    private func expectGolden(_ name: String, _ lines: [String]) throws {
        let text = lines.joined(separator: "\n") + "\n"
        #expect(try text == goldenText(name, for: text))
        let speakers = #/^\d\d:\d\d:\d\d (gateway|ring|broker|bluetooth|clock|erg-[1-8]): \S.*/#
        #expect(lines.filter { $0.wholeMatch(of: speakers) == nil } == [])
        // Administrators do not know terms of the protocols and of the source.
        let jargon = #/0x[0-9A-F]{2}|characteristic|CSAFE|GATT|epoch|queue|claim|\bours\b/#
        #expect(lines.filter { $0.contains(jargon) } == [])
        #expect(Set(lines).count == lines.count, "repeated lines")
    }
}
