import HostRuntime
import Synchronization
import TestSupport
import Testing
import Timeline

/// The stepped loop, on which the gateway's tests rely.
struct SteppedLoopTests {
    /// What happened, in order; beats of a timer and calls from tasks.
    private actor Diary {
        nonisolated let executor: SerialQueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }
        private let clock: any Clock
        private var timer: QueueTimer?
        private(set) var lines: [String] = []

        init(on runtime: any Runtime) {
            executor = runtime.makeQueue(label: "diary")
            clock = runtime
        }

        func begin(_ name: String, every interval: Duration) {
            timer = QueueTimer(on: executor) { [weak self] in
                self?.assumeIsolated { $0.note(name) }
            }
            timer?.fire(every: interval)
        }

        func end() { timer?.cancel() }

        func note(_ line: String) { lines.append("\(clock.now().milliseconds / 1000) \(line)") }
    }

    @Test func timersFireInOrder() async throws {
        let (slow, quick, ended) = try await SteppedLoop.run(seed: 1) { machine in
            let diaries = [Diary(on: machine), Diary(on: machine), Diary(on: machine)]
            await diaries[0].begin("slow", every: .seconds(1800))
            await diaries[1].begin("quick", every: .seconds(60))
            await diaries[2].begin("ended", every: .seconds(300))
            await machine.sleep(for: .seconds(601))
            await diaries[2].end()
            await machine.sleep(for: .seconds(3000))
            return await (diaries[0].lines, diaries[1].lines, diaries[2].lines)
        }
        #expect(slow == ["1860 slow", "3660 slow"])
        #expect(quick.count == 60 && quick.first == "120 quick" && quick.last == "3660 quick")
        #expect(ended == ["360 ended", "660 ended"])
    }

    @Test func tasksOfNoActorRunInTheLoop() async throws {
        func lines() async throws -> [String] {
            try await SteppedLoop.run(seed: 1) { machine in
                let diary = Diary(on: machine)
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            await diary.note("begin \(number)")
                            await Task.yield()
                            await diary.note("end \(number)")
                        }
                    }
                }
                return await diary.lines
            }
        }
        let first = try await lines()
        #expect(first.count == 200)
        #expect(try await lines() == first)
    }

    @Test func killedProgramStops() async throws {
        let (killed, alive) = try await SteppedLoop.run(seed: 1) { machine in
            let program = machine.program()
            // The dead actor cannot be queried, so its lines go to a box.
            let beats = Beats()
            let timer = program.makeTimer(on: program.makeQueue(label: "killed")) {
                beats.count.withLock { $0 += 1 }
            }
            timer.schedule(after: .seconds(1), every: .seconds(1))
            let diary = Diary(on: machine)
            await diary.begin("alive", every: .seconds(1))
            await machine.sleep(for: .milliseconds(5500))
            program.kill()
            await machine.sleep(for: .seconds(5))
            return await (beats.count.withLock { $0 }, diary.lines.count)
        }
        #expect(killed == 5 && alive == 10)
    }

    private final class Beats: Sendable {
        let count = Mutex(0)
    }
}
