import Foundation
import TestSupport
import Testing

/// The real programs on a machine that is far too slow for them.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct WeakMachineTests {
    /// Goal: with a twentieth of a core and a disk that takes 300 ms for each sync, every stroke and
    /// every split of eight ergs arrives once; health names what is left out; and all of it comes back
    /// with the processor. Method: monitors that send ten times a second, and a piece on each erg, told
    /// to begin when all are linked; the quota is a control group's, or, where this test may not make
    /// one, the program is stopped and let run in turns; the disk is that of
    /// Tests/Benchmarks/slow-disk.c. A busy machine reaches more steps, and leaving them is waited for.
    @Test(.timeLimit(.minutes(30)))
    func strokesOutliveAQuota() async throws {
        let room = try await SimulatedRoom(simulator: "--workout wait".words)
        try room.configure(
            """
            [commands]
            enabled = true
            [bluetooth]
            sample_rate_ms = 100
            [live]
            interval_ms = 250

            """)
        let gateway = try await room.startGateway(environment: try await slowDisk(of: room))
        let allStream = await eventually {
            let ergs = (try? await room.status())?["ergs"] as? [[String: Any]] ?? []
            return ergs.count { ($0["link"] as? [String: Any])?["phase"] as? String == "streaming" }
                == 8
        }
        try #require(allStream, "\(gateway.text)")
        let brake = try Brake(on: gateway.identifier)
        print("a twentieth of a core by \(brake.means)")
        try await room.broker.publish(
            #"{"request_id":"w-1","type":"distance","distance_m":300}"#,
            to: "rowgate/v1/test/erg/all/cmd/workout")
        // A fast machine has to be given less still.
        for quota in [2500, 1000] where !(await isNamed(within: .seconds(20), room)) {
            brake.tighten(to: quota)
        }
        #expect(await isNamed(within: .seconds(300), room), "\(gateway.text)")
        let isOver = await eventually(within: .seconds(300)) {
            room.truth.count { $0["kind"] as? String == "result" } >= 8
        }
        #expect(isOver)
        brake.release()
        let areTold = await eventually {
            room.messages(ofKind: "manifest").count == 8
        }
        #expect(areTold, "\(gateway.text)")
        #expect(await eventually(within: .seconds(400)) { steps(in: room).last == 0 })
        print("steps: \(steps(in: room))")
        for (number, count) in room.strokeCounts.enumerated() {
            #expect(count == room.rowed(by: "erg-\(number + 1)"))
        }
        #expect(room.unsentStrokes == 0)
        #expect(
            room.messages(ofKind: "split").count
                == room.truth.count { $0["kind"] as? String == "split" })
        #expect(room.messages(ofKind: "gap").allSatisfy { $0.isOfAPause })
        room.expectUniqueRecords()
        #expect(gateway.text.contains("cannot keep up") && gateway.text.contains("keeps up better"))
        #expect(await gateway.terminate() == 0)
    }

    private func isNamed(within time: Duration, _ room: SimulatedRoom) async -> Bool {
        await eventually(within: time) { steps(in: room).max() ?? 0 > 0 }
    }

    /// What health named, each once in a row.
    private func steps(in room: SimulatedRoom) -> [Int] {
        room.messages(ofKind: "health").compactMap { $0.fields["load_step"] as? Int }
            .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// The environment that makes the ring's file slow.
    private func slowDisk(of room: SimulatedRoom) async throws -> [String: String] {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../Benchmarks/slow-disk.c").path
        let library = room.folder.path("slow-disk.so")
        let compiler = try ChildProcess(
            "cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"])
        try #require(await compiler.waitForExit() == 0, "\(compiler.text)")
        return ["LD_PRELOAD": library, "SLOW_FILE": "ring.log", "SLOW_MS": "300"]
    }
}

/// Leaves a program a twentieth of a core, until `release`.
private final class Brake: @unchecked Sendable {  // `turns` is set once, before it is shared
    /// How.
    let means: String
    private let process: Int32
    private let group: String
    private var turns: Task<Void, Never>?

    /// - Parameter process: with its children.
    init(on process: Int32) throws {
        self.process = process
        group = "/sys/fs/cgroup/cpu/rowgate-test-\(process)"
        if Self.limit(Self.family(of: process), in: group) {
            means = "a control group"
        } else {
            means = "SIGSTOP and SIGCONT"
            let family = Self.family(of: process)
            turns = Task.detached {
                while !Task.isCancelled {
                    for member in family { kill(member, SIGSTOP) }
                    try? await Task.sleep(for: .milliseconds(950))
                    for member in family { kill(member, SIGCONT) }
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }

    deinit {
        release()
        rmdir(group)
    }

    /// Microseconds of each tenth of a second.
    func tighten(to quota: Int) { try? Self.write("\(quota)", to: group + "/cpu.cfs_quota_us") }

    func release() {
        turns?.cancel()
        try? Self.write("-1", to: group + "/cpu.cfs_quota_us")
        for member in Self.family(of: process) {
            kill(member, SIGCONT)
            try? Self.write("\(member)", to: "/sys/fs/cgroup/cpu/cgroup.procs")
        }
    }

    private static func limit(_ processes: [Int32], in group: String) -> Bool {
        guard mkdir(group, 0o755) == 0 else { return false }
        do {
            try write("100000", to: group + "/cpu.cfs_period_us")
            try write("5000", to: group + "/cpu.cfs_quota_us")
            for process in processes { try write("\(process)", to: group + "/cgroup.procs") }
            return true
        } catch { return false }
    }

    private static func write(_ text: String, to file: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private static func family(of process: Int32) -> [Int32] {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return [process]
            + threads.flatMap { thread in
                ((try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? "")
                    .split(separator: " ").compactMap { Int32($0) }
            }
    }
}
