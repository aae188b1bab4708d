import Foundation
import TestSupport
import Testing

/// The real programs on a machine that is too slow for them.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct WeakMachineTests {
    /// Each sync of the disk takes 300 ms (Tests/Benchmarks/slow-disk.c). The quota is that of a control
    /// group; without permission for one, SIGSTOP and SIGCONT replace it. A busy machine may reach more
    /// levels of load shedding.
    @Test(.timeLimit(.minutes(30)))
    func publishesEveryStrokeWithATwentiethOfACore() async throws {
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
        let quota = try ProcessorQuota(on: gateway.identifier)
        print("a twentieth of a core by \(quota.means)")
        try await room.broker.publish(
            #"{"request_id":"w-1","type":"distance","distance_m":300}"#,
            to: "rowgate/v1/test/erg/all/cmd/workout")
        // A fast machine needs a smaller quota.
        for microseconds in [2500, 1000] where !(await isReported(within: .seconds(20), room)) {
            quota.reduce(to: microseconds)
        }
        #expect(await isReported(within: .seconds(300), room), "\(gateway.text)")
        let isOver = await eventually(within: .seconds(300)) {
            room.truth.count { $0["kind"] as? String == "result" } >= 8
        }
        #expect(isOver)
        quota.release()
        let arePublished = await eventually {
            room.messages(ofKind: "manifest").count == 8
        }
        #expect(arePublished, "\(gateway.text)")
        #expect(await eventually(within: .seconds(400)) { levels(in: room).last == 0 })
        print("levels: \(levels(in: room))")
        for (number, count) in room.strokeCounts.enumerated() {
            #expect(count == room.simulatedStrokes(by: "erg-\(number + 1)"))
        }
        #expect(room.unsentStrokes == 0)
        #expect(
            room.messages(ofKind: "split").count
                == room.truth.count { $0["kind"] as? String == "split" })
        #expect(room.messages(ofKind: "gap").allSatisfy { $0.isPauseGap })
        room.expectUniqueRecords()
        #expect(gateway.text.contains("cannot keep up") && gateway.text.contains("keeps up better"))
        #expect(await gateway.terminate() == 0)
    }

    private func isReported(within time: Duration, _ room: SimulatedRoom) async -> Bool {
        await eventually(within: time) { levels(in: room).max() ?? 0 > 0 }
    }

    /// Successive different load shedding levels in health.
    private func levels(in room: SimulatedRoom) -> [Int] {
        room.messages(ofKind: "health").compactMap { $0.fields["load_step"] as? Int }
            .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    /// Returns environment variables that make the ring's file slow.
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

/// Limits a program to a twentieth of a core until `release`.
private final class ProcessorQuota: @unchecked Sendable {  // `stopTask` is set once, before it is shared
    /// Name of the mechanism.
    let means: String
    private let process: Int32
    private let group: String
    private var stopTask: Task<Void, Never>?

    /// - Parameter process: limited together with its children.
    init(on process: Int32) throws {
        self.process = process
        group = "/sys/fs/cgroup/cpu/rowgate-test-\(process)"
        if Self.limit(Self.processTree(of: process), in: group) {
            means = "a control group"
        } else {
            means = "SIGSTOP and SIGCONT"
            let processTree = Self.processTree(of: process)
            stopTask = Task.detached {
                while !Task.isCancelled {
                    for member in processTree { kill(member, SIGSTOP) }
                    try? await Task.sleep(for: .milliseconds(950))
                    for member in processTree { kill(member, SIGCONT) }
                    try? await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }

    deinit {
        release()
        rmdir(group)
    }

    /// - Parameter microseconds: processor time in each 100 ms.
    func reduce(to microseconds: Int) { try? Self.write("\(microseconds)", to: group + "/cpu.cfs_quota_us") }

    func release() {
        stopTask?.cancel()
        try? Self.write("-1", to: group + "/cpu.cfs_quota_us")
        for member in Self.processTree(of: process) {
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

    private static func processTree(of process: Int32) -> [Int32] {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return [process]
            + threads.flatMap { thread in
                ((try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? "")
                    .split(separator: " ").compactMap { Int32($0) }
            }
    }
}
