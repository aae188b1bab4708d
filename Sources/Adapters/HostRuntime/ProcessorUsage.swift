import Glibc

/// Processor time that this process has used and may use, from its control group.
///
/// Sources: Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat) and
/// Documentation/scheduler/sched-bwc.rst (cpu.cfs_quota_us, cpu.stat).
package struct ProcessorUsage: Equatable, Sendable {
    /// Time used by all threads since the start.
    package var used: Duration
    /// Thousandths of a processor: all processors, or the quota of the group.
    package var allowed: Int
    /// Periods of the quota, and periods at whose end the group was throttled; 0 without a quota.
    package var periods: UInt64
    package var throttled: UInt64

    package init(used: Duration, allowed: Int, periods: UInt64 = 0, throttled: UInt64 = 0) {
        self.used = used
        self.allowed = allowed
        self.periods = periods
        self.throttled = throttled
    }

    /// Reads the values from the kernel.
    ///
    /// - Parameters:
    ///   - root: mount point of the control groups.
    ///   - membership: the file that lists the groups of this process.
    package init(root: String = "/sys/fs/cgroup", membership: String = "/proc/self/cgroup") {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        self.init(
            used: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec),
            allowed: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) * 1000)
        for folder in Self.groups(root, SmallFile.text(membership) ?? "") {
            guard let quota = Self.quota(of: folder) else { continue }
            allowed = min(allowed, quota)
            let counts = SmallFile.text(folder + "/cpu.stat") ?? ""
            periods = Self.count("nr_periods", in: counts)
            throttled = Self.count("nr_throttled", in: counts)
            return
        }
    }

    /// Returns the share of the allowed time used since `earlier`, in percent. A throttled group is
    /// at 100 %, even if other processes of the group used the time. Nil if no time has passed.
    package func percent(since earlier: ProcessorUsage, in time: Duration) -> Int? {
        guard time > .zero, used >= earlier.used else { return nil }
        let permille = (used - earlier.used) / time * 1000
        let share = Int(permille * 100 / Double(max(1, allowed)))
        let periods = self.periods &- earlier.periods
        guard periods > 0, periods <= self.periods else { return min(share, 100) }
        let heldUp = throttled >= earlier.throttled ? throttled - earlier.throttled : 0
        return min(max(share, Int(100 * min(heldUp, periods) / periods)), 100)
    }

    /// Folders that may hold the group's quota: version 2 first, then version 1.
    private static func groups(_ root: String, _ membership: String) -> [String] {
        var folders: [String] = []
        for line in membership.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].isEmpty {
                folders.append(root + parts[2])
            } else if parts[1].split(separator: ",").contains("cpu") {
                folders.append("\(root)/cpu\(parts[2])")
            }
        }
        return folders
    }

    /// Thousandths of a processor; nil for a group without a quota.
    private static func quota(of folder: String) -> Int? {
        var words: [String] = []
        if let both = SmallFile.line(folder + "/cpu.max") {
            words = both.split(separator: " ").map(String.init)
        } else {
            for name in ["quota", "period"] {
                words += [SmallFile.line(folder + "/cpu.cfs_\(name)_us") ?? ""]
            }
        }
        guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]) else {
            return nil
        }
        return quota > 0 && period > 0 ? max(1, quota * 1000 / period) : nil
    }

    private static func count(_ name: String, in text: String) -> UInt64 {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return UInt64(words[1]) ?? 0 }
        }
        return 0
    }
}
