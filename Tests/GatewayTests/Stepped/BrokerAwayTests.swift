import Bytes
import TestSupport
import Testing
import Timeline

/// A gateway whose broker is absent for a long time.
struct BrokerAwayTests {
    /// The broker is absent for four stepped hours, while `health` changes every half minute.
    @Test(.timeLimit(.minutes(30)))
    func publishesOnlyTheNewestRetainedMessages() async throws {
        let folder = try TemporaryFolder()
        let counts = try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            day.broker.goAway()
            await machine.sleep(for: .seconds(4 * 3600))
            var counts: [String: Int] = [:]
            var first: Int64?
            day.broker.onMessage = { topic, payload in
                first = first ?? machine.unixMilliseconds()
                let made = (try? JSONObject(parsing: payload))?.number("ts_ms").map(Int64.init)
                if topic.hasSuffix("/health"), let made, let first, made > first { return }
                counts[topic, default: 0] += 1
            }
            let connects = day.broker.connects
            day.broker.comeBack()
            while day.broker.connects == connects { await machine.sleep(for: .milliseconds(100)) }
            await machine.sleep(for: .seconds(2))
            await day.stopGateway()
            return counts
        }
        #expect(counts["rowgate/v1/boathouse/health"] == 1)
        // Each erg has several retained topics; `availability` is published again at the end.
        #expect(counts.count < 80)
        #expect(counts.filter { $0.value > 2 } == [:])
    }
}
