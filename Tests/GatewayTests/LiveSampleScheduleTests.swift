import PM5Codec
import TestSupport
import Testing
import Timeline

@testable import Gateway

struct LiveSampleScheduleTests {
    private func instant(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(10_000 + milliseconds) * 1_000_000)
    }

    /// Returns when samples are due within a minute. A status arrives at each of `statuses`, as `values` 2 ms
    /// apart. A tick occurs every half second from `tick` on.
    private func samples(
        statuses: [Int], values: [CharacteristicID], tick: Int, interval: Int = 500
    ) -> (times: [Int], afterSilence: Int) {
        var schedule = LiveSampleSchedule(interval: .milliseconds(interval))
        var moments: [(Int, CharacteristicID?)] = stride(from: tick, to: 60_000, by: 500)
            .map { ($0, nil) }
        for status in statuses {
            moments += values.enumerated().map { (status + 2 * $0, $1) }
        }
        var (times, afterSilence) = ([Int](), 0)
        for (time, value) in moments.sorted(by: { $0.0 < $1.0 }) {
            if let value {
                if schedule.isSampleDue(after: value, at: instant(time)) { times.append(time) }
            } else if schedule.isSampleDueWithoutStatus(at: instant(time)) {
                times.append(time)
                afterSilence += 1
            }
        }
        return (times, afterSilence)
    }

    private static let status: [CharacteristicID] = [
        .generalStatus, .additionalStatus1, .additionalStatus2,
    ]

    /// Statuses are up to 60 ms early or late. A tick may publish a sample only before the first status.
    @Test(arguments: [500, 250, 100], [1, 72, 143, 214, 285, 356, 427, 498])
    func publishesWithACompleteStatus(period: Int, tick: Int) {
        var random = SeededGenerator(seed: UInt64(period * 1000 + tick))
        let shake = min(60, period / 4)
        let statuses = stride(from: 1000, to: 60_000, by: period).map {
            $0 + Int.random(in: -shake...shake, using: &random)
        }
        let (times, afterSilence) = samples(statuses: statuses, values: Self.status, tick: tick)
        #expect((115...121).contains(times.count))
        #expect(afterSilence <= 2)
        #expect(times.filter { $0 > 1500 }.allSatisfy { time in statuses.contains(time - 4) })
    }

    @Test func publishesAtEachTickWithoutStatus() {
        let statuses = Array(stride(from: 1000, to: 10_000, by: 500))
        let (times, _) = samples(statuses: statuses, values: Self.status, tick: 130)
        let silent = times.filter { $0 > 10_000 }
        #expect((98...101).contains(silent.count))
    }

    @Test func publishesAnIncompleteStatus() {
        let statuses = Array(stride(from: 1000, to: 60_000, by: 500))
        let (times, _) = samples(statuses: statuses, values: [.generalStatus], tick: 130)
        #expect((115...121).contains(times.count))
        #expect(times.filter { $0 > 2000 }.allSatisfy(statuses.contains))
    }
}
