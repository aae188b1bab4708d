import Foundation
import TestSupport
import Testing

@testable import HostRuntime

struct ProcessorUsageTests {
    private func figures(_ files: [String: String], membership: String) throws -> ProcessorUsage {
        let folder = try TemporaryFolder()
        for (name, text) in files {
            let path = URL(fileURLWithPath: folder.path(name))
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: path)
        }
        try Data(membership.utf8).write(to: URL(fileURLWithPath: folder.path("membership")))
        return ProcessorUsage(root: folder.path, membership: folder.path("membership"))
    }

    @Test func readsQuotas() throws {
        let second = try figures(
            [
                "system.slice/rowgate.service/cpu.max": "5000 100000\n",
                "system.slice/rowgate.service/cpu.stat":
                    "usage_usec 1\nnr_periods 70\nnr_throttled 35\nthrottled_usec 9\n",
            ], membership: "0::/system.slice/rowgate.service\n")
        #expect(second.allowed == 50)
        #expect(second.periods == 70 && second.throttled == 35)
        let first = try figures(
            [
                "cpu/room/cpu.cfs_quota_us": "25000\n", "cpu/room/cpu.cfs_period_us": "100000\n",
                "cpu/room/cpu.stat": "nr_periods 4\nnr_throttled 1\nthrottled_time 7\n",
            ], membership: "3:cpuset:/\n2:cpu,cpuacct:/room\n0::/\n")
        #expect(first.allowed == 250 && first.periods == 4 && first.throttled == 1)
        let all = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) * 1000
        let none = try figures(
            ["a/cpu.max": "max 100000\n", "a/cpu.stat": "nr_periods 3\n"], membership: "0::/a\n")
        #expect(none.allowed == all && none.periods == 0)
        #expect(try figures([:], membership: "nonsense").allowed == all)
    }

    @Test func computesShareOfAllowedTime() {
        let before = ProcessorUsage(used: .seconds(1), allowed: 50, periods: 10, throttled: 0)
        var after = ProcessorUsage(
            used: .seconds(1) + .milliseconds(75), allowed: 50, periods: 40, throttled: 3)
        #expect(after.percent(since: before, in: .seconds(3)) == 50)
        after.throttled = 30
        #expect(after.percent(since: before, in: .seconds(3)) == 100)
        #expect(after.percent(since: before, in: .zero) == nil)
        let free = ProcessorUsage(used: .seconds(4), allowed: 4000)
        #expect(
            free.percent(since: ProcessorUsage(used: .seconds(1), allowed: 4000), in: .seconds(3))
                == 25)
    }
}
