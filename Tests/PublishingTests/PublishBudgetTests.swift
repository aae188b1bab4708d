import Testing

@testable import Publishing
@testable import Timeline

/// How many messages a second go out where a broker allows so many.
@Suite struct PublishBudgetTests {
    private struct Sent {
        var live: [BootInstant] = []
        var records: [BootInstant] = []

        var most: Int { (live + records).sorted().mostInASecond }
    }

    /// A minute in which records wait all the time and live samples come evenly, `live` a second.
    private func minute(limit: Int?, live: Int) -> Sent {
        var budget = PublishBudget(perSecond: limit)
        budget.recordsWait = true
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

    /// Goal: no second has more than the limit and the few at once, live samples all go, and records get
    /// what is left. Method: a minute at each of several limits, with the samples of eight ergs.
    @Test(arguments: [40, 90, 400]) func liveGoesFirst(limit: Int) {
        let sent = minute(limit: limit, live: 32)
        #expect(sent.most <= limit + SendingPace.burst)
        #expect(sent.live.count >= 32 * 60 * 99 / 100, "\(sent.live.count)")
        let rest = (limit - 32) * 60
        #expect((rest - limit...rest + limit).contains(sent.records.count), "\(sent.records.count)")
    }

    /// Goal: records go on where live samples alone are more than may go out. Method: a minute with ten
    /// times too many of them.
    @Test func recordsHaveTheirShare() {
        let sent = minute(limit: 20, live: 200)
        #expect(sent.most <= 20 + SendingPace.burst)
        #expect((2 * 60...3 * 60).contains(sent.records.count), "\(sent.records.count)")
        #expect(sent.live.count >= 16 * 60)
    }

    /// Goal: without a limit nothing waits. Method: the same minute.
    @Test func noLimit() {
        let sent = minute(limit: nil, live: 100)
        #expect(sent.live.count == 6000 && sent.records.count == 60_000)
    }
}

extension [BootInstant] {
    /// How many there are in any second; they are in order.
    var mostInASecond: Int {
        indices.map { first in
            self[first...].prefix { self[first].duration(to: $0) < .seconds(1) }.count
        }.max() ?? 0
    }
}
