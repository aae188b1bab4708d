import Contract
import TestSupport
import Testing

@testable import Gateway

/// A machine that is temporarily too slow for its room.
struct SlowMachineTests {
    private struct Outcome: Sendable {
        var lines: [String] = []
        /// Levels in `health`, without repetitions.
        var levels: [Int] = []
        var hasLoadProblem = false
        /// Live messages of one erg in 20 s: before, at the last level, and at the end.
        var live: [Int] = []
        var differences: [String] = []
        var strokes = 0
        var violations: [String] = []
    }

    /// The processor is at 97 % until everything is shed, and at 5 % afterwards. No stroke may be
    /// missing.
    @Test(.timeLimit(.minutes(30)))
    func shedsAndRestoresLoad() async throws {
        let outcome = try await Self.outcome()
        #expect(outcome.levels == [0, 1, 2, 3, 4, 3, 2, 1, 0])
        #expect(outcome.hasLoadProblem)
        let lines = outcome.lines.filter { $0.contains(" keep") }
        #expect(lines.count == 8 && lines.allSatisfy { $0.contains(" gateway: ") }, "\(lines)")
        let first = "the processor is busy: live values come once a second"
        #expect(lines.first?.contains(first) == true)
        #expect(lines.last?.contains("no load is shed") == true)
        #expect(outcome.live.first ?? 0 >= 38 && outcome.live[1] <= 11 && outcome.live[1] >= 9)
        #expect(outcome.live.last ?? 0 >= 38, "\(outcome.live)")
        #expect(outcome.strokes > 8 * 30)
        #expect(outcome.differences == [] && outcome.violations == [])
    }

    private static func outcome() async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 3) { machine in
            let day = try JournalDay(on: machine, folder: folder.path)
            let subscriber = Subscriber()
            day.broker.onMessage = { subscriber.receive($0, $1) }
            try day.start()
            for (seed, erg) in day.ergs.enumerated() {
                try erg.switchOn("just-row", seed: UInt64(seed))
            }
            await day.pass(.seconds(20))
            var outcome = Outcome()
            outcome.live.append(await subscriber.liveMessages(in: day))
            day.processorUse = 97
            while subscriber.levels.last != 4 { await day.pass(.seconds(1)) }
            outcome.live.append(await subscriber.liveMessages(in: day))
            day.processorUse = 5
            while subscriber.levels.last != 0 { await day.pass(.seconds(1)) }
            outcome.live.append(await subscriber.liveMessages(in: day))
            for erg in day.ergs { erg.switchOff() }
            await day.pass(.seconds(60))
            try await day.stop()
            (outcome.lines, outcome.levels) = (day.lines, subscriber.levels)
            outcome.hasLoadProblem = subscriber.hasLoadProblem
            outcome.strokes = subscriber.published.strokes
            outcome.violations = subscriber.published.violations
            for (number, erg) in day.ergs.enumerated() {
                guard let station = StationID("erg-\(number + 1)") else { continue }
                outcome.differences += subscriber.published.differences(at: station, from: erg.truth)
            }
            return outcome
        }
    }
}

/// A subscriber that compares messages.
private final class Subscriber: @unchecked Sendable {  // used only on the loop's thread
    var published = PublishedStrokes()
    private(set) var levels: [Int] = []
    private(set) var hasLoadProblem = false
    private var live = 0

    func receive(_ topic: String, _ payload: [UInt8]) {
        published.receive(topic: topic, payload: payload)
        if topic.hasSuffix("/erg/erg-1/live") { live += 1 }
        guard topic.hasSuffix("/health") else { return }
        let text = String(decoding: payload, as: UTF8.self)
        guard let step = text.firstMatch(of: #/"load_step":(\d)/#).flatMap({ Int($0.1) }) else {
            return
        }
        if levels.last != step { levels.append(step) }
        if text.contains("rowgate cannot keep up: the processor is busy") { hasLoadProblem = true }
    }

    func liveMessages(in day: JournalDay) async -> Int {
        let before = live
        await day.pass(.seconds(20))
        return live - before
    }
}
