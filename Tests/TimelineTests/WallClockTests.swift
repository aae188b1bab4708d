import Testing
import Timeline

struct WallClockTests {
    /// Two clocks, and a thread that is suspended for some nanoseconds before certain readings.
    private final class Readings {
        private var nanoseconds: UInt64 = 5_000_000_000
        private var pauses: [Int: UInt64]
        private var count = 0

        init(pauses: [Int: UInt64]) { self.pauses = pauses }

        private func next() -> UInt64 {
            nanoseconds += 100 + pauses[count, default: 0]
            count += 1
            return nanoseconds
        }

        func offset() -> Int64 {
            WallClock.unixMillisecondsAtBoot(
                boot: { self.next() }, wall: { 1_700_000_000_000 + Int64(self.next() / 1_000_000) })
        }
    }

    /// Suspended for two seconds before each single reading, and before the first one of each attempt
    /// except the last.
    @Test func ignoresSuspensionBetweenReadings() {
        for reading in 0..<6 {
            #expect(Readings(pauses: [reading: 2_000_000_000]).offset() == 1_700_000_000_000)
        }
        let everyTime = Dictionary(
            uniqueKeysWithValues: (0..<7).map { ($0 * 3 + 1, UInt64(2_000_000_000)) })
        #expect(Readings(pauses: everyTime).offset() == 1_700_000_000_000)
    }

    /// The thread is always suspended; the closest pair counts.
    @Test func usesClosestReadings() {
        var pauses = Dictionary(
            uniqueKeysWithValues: (0..<24).map { ($0, UInt64(2_000_000_000)) })
        pauses[10] = 5_000_000
        pauses[11] = 5_000_000
        #expect(abs(Readings(pauses: pauses).offset() - 1_700_000_000_000) <= 10)
    }
}
