import Glibc
import HostRuntime

extension HostProbe {
    /// Room and health of the disk that holds the ring.
    package func disk(ringPath: String) -> DiskFacts {
        var facts = DiskFacts(ringPath: ringPath, freeBytes: 0, isReadOnly: false)
        let folder = String(ringPath[..<(ringPath.lastIndex(of: "/") ?? ringPath.startIndex)])
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else {
            facts.failure = "\(folder): \(String(cString: strerror(errno)))"
            return facts
        }
        facts.freeBytes = Int(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize))
        facts.isReadOnly = system.f_flag & UInt(ST_RDONLY) != 0
        var status = stat()
        if stat(ringPath, &status) == 0 {
            facts.ringBytes = Int(status.st_size)
        } else {
            facts.ringIsMissing = errno == ENOENT
        }
        if stat(folder, &status) == 0 { addLife(of: status.st_dev, to: &facts) }
        return facts
    }

    /// eMMC tells how much of its life is used, in tenths: 0x01 for up to 10 %, 0x0B for beyond
    /// (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST_TYP_A and _B). An SD card tells nothing.
    private func addLife(of device: dev_t, to facts: inout DiskFacts) {
        // gnu_dev_major and gnu_dev_minor are macros.
        let major = (device >> 8) & 0xFFF
        let minor = (device & 0xFF) | ((device >> 12) & 0xFFF00)
        guard let path = SmallFile.resolved("\(root)/sys/dev/block/\(major):\(minor)"),
            let part = path.split(separator: "/").last(where: { $0.hasPrefix("mmcblk") })
        else { return }
        let name = part.prefix { $0 != "p" }
        let estimates = SmallFile.line("\(root)/sys/block/\(name)/device/life_time") ?? ""
        let tenths = estimates.split(separator: " ").compactMap { text in
            Int(text.dropFirst(2), radix: 16)
        }
        facts.device = String(name)
        facts.lifeUsedPercent = tenths.max().flatMap { $0 > 0 ? $0 * 10 : nil }
        if SmallFile.line("\(root)/sys/block/\(name)/device/type") == "SD" {
            facts.timesWritten = timesWritten(to: String(part), of: String(name))
        }
    }

    /// What the file system counts of itself (Linux, ABI/testing/sysfs-fs-ext4), by the card's size.
    private func timesWritten(to part: String, of card: String) -> Int? {
        let sector = 512
        guard
            let written = SmallFile.line("\(root)/sys/fs/ext4/\(part)/lifetime_write_kbytes")
                .flatMap({ Int($0) }),
            let sectors = SmallFile.line("\(root)/sys/block/\(card)/size").flatMap({ Int($0) }),
            sectors > 0
        else { return nil }
        return written / max(1, sectors * sector / 1024)
    }
}
