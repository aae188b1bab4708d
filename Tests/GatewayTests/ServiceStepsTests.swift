import Glibc
import Synchronization
import Testing

@testable import Gateway
@testable import HostRuntime

/// Starts and stops, in order.
final class Diary: Sendable {
    private let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
    /// The stopped parts.
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

    @Test func startsForwardsAndStopsBackwards() async throws {
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

    @Test func stopsStartedPartsAfterAFailure() async {
        let diary = Diary()
        var steps = ServiceSteps(
            [step("a", diary), step("b", diary, fails: true), step("c", diary)],
            runtime: SystemRuntime(), log: log)
        await #expect(throws: Refusal.self) { _ = try await steps.start(until: StopRequest()) }
        #expect(diary.all == ["+a", "-a"])
    }

    @Test(arguments: ["a", "b", "c"])
    func signalSkipsPartsThatHaveNotStarted(during name: String) async throws {
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

    @Test func abandonsAPartThatHangs() async throws {
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
