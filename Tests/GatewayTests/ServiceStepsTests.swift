import Glibc
import Synchronization
import Testing

@testable import Gateway
@testable import HostRuntime

/// What happened, in order.
final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
    /// The parts that were told to stop.
    var stops: [String] { all.filter { $0.hasPrefix("-") } }
}

struct ServiceStepsTests {
    private struct Refusal: Error {}

    private let log = SystemLog(subsystem: "test", threshold: .error)

    private func step(_ name: String, _ diary: Diary, fails: Bool = false) -> ServiceStep {
        ServiceStep(
            name: name, queues: { [] }, stopDeadline: .seconds(600),
            start: {
                if fails { throw Refusal() }
                diary.note("+\(name)")
            }, stop: { diary.note("-\(name)") })
    }

    /// Goal: parts start forwards and stop backwards.
    @Test func order() async throws {
        let diary = Diary()
        var steps = ServiceSteps(
            [step("a", diary), step("b", diary), step("c", diary)], runtime: SystemRuntime(),
            log: log)
        #expect(try await steps.start(until: StopRequest()))
        let areStopped = await steps.stop()
        #expect(areStopped)
        await steps.stop()
        #expect(diary.all == ["+a", "+b", "+c", "-c", "-b", "-a"])
    }

    /// Goal: a part that cannot start takes down only what had started.
    @Test func failure() async {
        let diary = Diary()
        var steps = ServiceSteps(
            [step("a", diary), step("b", diary, fails: true), step("c", diary)],
            runtime: SystemRuntime(), log: log)
        await #expect(throws: Refusal.self) { _ = try await steps.start(until: StopRequest()) }
        #expect(diary.all == ["+a", "-a"])
    }

    /// Goal: a signal during any part of the start stops what has started, and starts nothing else.
    /// Method: one that comes while each part in turn starts; the last of them is a whole start.
    @Test(arguments: ["a", "b", "c"])
    func interruption(during name: String) async throws {
        let diary = Diary()
        let request = StopRequest()
        let parts = ["a", "b", "c"].map { part in
            var step = step(part, diary)
            let start = step.start
            step.start = {
                if part == name { request.make(SIGTERM) }
                try await start()
            }
            return step
        }
        var steps = ServiceSteps(parts, runtime: SystemRuntime(), log: log)
        #expect(try await !steps.start(until: request))
        await steps.stop()
        let begun = ["a", "b", "c"].prefix { $0 <= name }
        #expect(diary.all == begun.map { "+\($0)" } + begun.reversed().map { "-\($0)" })
    }

    /// Goal: a part that hangs is left behind, and the others still stop.
    /// Method: a stop that waits for ever, with a deadline of nothing.
    @Test func deadline() async throws {
        let diary = Diary()
        var hung = step("hung", diary)
        hung.stopDeadline = .zero
        hung.stop = { while !Task.isCancelled { await Task.yield() } }
        var steps = ServiceSteps([step("a", diary), hung], runtime: SystemRuntime(), log: log)
        #expect(try await steps.start(until: StopRequest()))
        let areStopped = await steps.stop()
        #expect(!areStopped)
        #expect(diary.all == ["+a", "+hung", "-a"])
    }
}
