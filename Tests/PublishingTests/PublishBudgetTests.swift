import Testing

@testable import Publishing
@testable import Timeline

/// The rate of messages under a broker's limit.
@Suite struct PublishBudgetTests {
    private struct Sent {
        var live: [BootInstant] = []
        var records: [BootInstant] = []

        var most: Int { (live + records).sorted().mostInASecond }
    }

    /// Sends for one minute: records always wait, and `live` samples a second are due at equal distances.
    private func minute(limit: Int?, live: Int) -> Sent {
        var budget = PublishBudget(perSecond: limit)
        budget.hasWaitingRecords = true
        var sent = Sent()
        let start = BootInstant(nanoseconds: 0)
        for millisecond in 0..<60_000 {
            let now = start.advanced(by: .milliseconds(millisecond))
            if (millisecond * live) % 1000 < live, budget.allows(at: now) {
                budget.spend(at: now)
                sent.live.append(now)
            }
            if budget.allowsRecord(at: now) {
                budget.spend(at: now, isRecord: true)
                sent.records.append(now)
            }
        }
        return sent
    }

    @Test(arguments: [40, 90, 400]) func prefersLiveSamples(limit: Int) {
        let sent = minute(limit: limit, live: 32)
        #expect(sent.most <= limit + SendingPace.burst)
        #expect(sent.live.count >= 32 * 60 * 99 / 100, "\(sent.live.count)")
        let rest = (limit - 32) * 60
        #expect((rest - limit...rest + limit).contains(sent.records.count), "\(sent.records.count)")
    }

    @Test func reservesAShareForRecords() {
        let sent = minute(limit: 20, live: 200)
        #expect(sent.most <= 20 + SendingPace.burst)
        #expect((2 * 60...3 * 60).contains(sent.records.count), "\(sent.records.count)")
        #expect(sent.live.count >= 16 * 60)
    }

    @Test func allowsEverythingWithoutALimit() {
        let sent = minute(limit: nil, live: 100)
        #expect(sent.live.count == 6000 && sent.records.count == 60_000)
    }
}

extension [BootInstant] {
    /// The maximum number of instants within one second; the instants are sorted.
    var mostInASecond: Int {
        indices.map { first in
            self[first...].prefix { self[first].duration(to: $0) < .seconds(1) }.count
        }.max() ?? 0
    }
}
