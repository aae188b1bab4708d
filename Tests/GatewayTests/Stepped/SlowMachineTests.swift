import Contract
import TestSupport
import Testing

@testable import Gateway

/// A machine that is too slow for its room, for a while.
struct SlowMachineTests {
    private struct Outcome: Sendable {
        var lines: [String] = []
        /// As `health` told it, each once in a row.
        var steps: [Int] = []
        var isComplained = false
        /// Of one erg in twenty seconds: before, at the second step, and at the end.
        var live: [Int] = []
        var differences: [String] = []
        var strokes = 0
        var violations: [String] = []
    }

    /// Goal: a busy processor takes away live values, then the monitors' rate, then raw values, a step
    /// at a time, which health and the journal name; no stroke is missing; and all of it comes back.
    /// Method: eight ergs in stepped time, a processor at 97 % for a minute and at 5 % after it; the
    /// simulator's account against a subscriber's.
    @Test(.timeLimit(.minutes(30)))
    func stepsUpAndDown() async throws {
        let outcome = try await Self.outcome()
        #expect(outcome.steps == [0, 1, 2, 3, 4, 3, 2, 1, 0])
        #expect(outcome.isComplained)
        let told = outcome.lines.filter { $0.contains(" keep") }
        #expect(told.count == 8 && told.allSatisfy { $0.contains(" gateway: ") }, "\(told)")
        let first = "the processor is busy: live values come once a second"
        #expect(told.first?.contains(first) == true)
        #expect(told.last?.contains("nothing is left out") == true)
        #expect(outcome.live.first ?? 0 >= 38 && outcome.live[1] <= 11 && outcome.live[1] >= 9)
        #expect(outcome.live.last ?? 0 >= 38, "\(outcome.live)")
        #expect(outcome.strokes > 8 * 30)
        #expect(outcome.differences == [] && outcome.violations == [])
    }

    private static func outcome() async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 3) { machine in
            let day = try JournalDay(on: machine, folder: folder.path)
            let account = Account()
            day.broker.onMessage = { account.take($0, $1) }
            try day.start()
            for (seed, erg) in day.ergs.enumerated() {
                try erg.switchOn("just-row", seed: UInt64(seed))
            }
            await day.pass(.seconds(20))
            var outcome = Outcome()
            outcome.live.append(await account.liveMessages(in: day))
            day.processorUse = 97
            while account.steps.last != 4 { await day.pass(.seconds(1)) }
            outcome.live.append(await account.liveMessages(in: day))
            day.processorUse = 5
            while account.steps.last != 0 { await day.pass(.seconds(1)) }
            outcome.live.append(await account.liveMessages(in: day))
            for erg in day.ergs { erg.switchOff() }
            await day.pass(.seconds(60))
            try await day.stop()
            (outcome.lines, outcome.steps) = (day.lines, account.steps)
            outcome.isComplained = account.isComplained
            outcome.strokes = account.published.strokes
            outcome.violations = account.published.violations
            for (number, erg) in day.ergs.enumerated() {
                guard let station = StationID("erg-\(number + 1)") else { continue }
                outcome.differences += account.published.differences(at: station, from: erg.truth)
            }
            return outcome
        }
    }
}

/// What a subscriber makes of the messages.
private final class Account: @unchecked Sendable {  // of the loop's thread alone
    var published = PublishedStrokes()
    private(set) var steps: [Int] = []
    private(set) var isComplained = false
    private var live = 0

    func take(_ topic: String, _ payload: [UInt8]) {
        published.take(topic: topic, payload: payload)
        if topic.hasSuffix("/erg/erg-1/live") { live += 1 }
        guard topic.hasSuffix("/health") else { return }
        let text = String(decoding: payload, as: UTF8.self)
        guard let step = text.firstMatch(of: #/"load_step":(\d)/#).flatMap({ Int($0.1) }) else {
            return
        }
        if steps.last != step { steps.append(step) }
        if text.contains("rowgate cannot keep up: the processor is busy") { isComplained = true }
    }

    func liveMessages(in day: JournalDay) async -> Int {
        let before = live
        await day.pass(.seconds(20))
        return live - before
    }
}
