import Bytes
import Glibc
import HostRuntime

/// Reads facts about the machine from the kernel.
package struct HostProbe: Sendable {
    /// Put before /sys, /proc and /etc, so that tests can lay out a machine in a folder.
    let root: String

    package init(root: String = "") { self.root = root }

    func clock() -> ClockFacts {
        ClockFacts(
            isSynchronized: SystemClock.isSynchronized(),
            hasHardwareClock: !SmallFile.names(in: root + "/sys/class/rtc").isEmpty)
    }

    // MARK: - Radios

    /// By software or by a switch.
    func isBlocked(_ adapter: String) -> Bool {
        RadioBlock.isBlocked(adapter, in: root + "/sys/class/rfkill")
    }

    /// An adapter that hangs on no USB port: on a UART or SDIO, as a Pi's own does.
    func isOnboard(_ adapter: String) -> Bool {
        let path = SmallFile.resolved("\(root)/sys/class/bluetooth/\(adapter)")
        return path.map { !$0.contains("/usb") } ?? false
    }

    /// The options of bluetoothd that are set; a line that begins with # shows a default.
    func bluetoothOptions() -> [String: String] {
        var options: [String: String] = [:]
        let text = SmallFile.text(root + "/etc/bluetooth/main.conf") ?? ""
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: "=", maxSplits: 1)
            guard words.count == 2 else { continue }
            options[words[0].filter { $0 != " " }] = words[1].filter { $0 != " " && $0 != "\r" }
        }
        return options
    }

    /// Wi-Fi stations that are in use, with their frequency (wireless extensions, SIOCGIWFREQ).
    func wireless() -> [WirelessFacts] {
        let table = SmallFile.text(root + "/proc/net/wireless") ?? ""
        return table.split(separator: "\n").dropFirst(2).compactMap { line in
            let name = line.prefix { $0 != ":" }.filter { $0 != " " }
            return Self.megahertz(of: name).map {
                WirelessFacts(interface: name, megahertz: $0)
            }
        }
    }

    private static func megahertz(of interface: String) -> Int? {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        guard socket >= 0 else { return nil }
        defer { close(socket) }
        // struct iwreq of linux/wireless.h: 16 bytes of name, then struct iw_freq: a mantissa of
        // 32 bits and an exponent of 16, in hertz.
        var request = [UInt8](repeating: 0, count: 32)
        for (index, byte) in interface.utf8.prefix(15).enumerated() { request[index] = byte }
        let frequency: UInt = 0x8B05
        let answer = request.withUnsafeMutableBytes { ioctl(socket, frequency, $0.baseAddress!) }
        guard answer == 0 else { return nil }
        return request.withUnsafeBytes { bytes in
            let mantissa = bytes.loadUnaligned(fromByteOffset: 16, as: Int32.self)
            let exponent = bytes.loadUnaligned(fromByteOffset: 20, as: Int16.self)
            return wholeMegahertz(mantissa: Int(mantissa), exponent: Int(exponent))
        }
    }

    /// Returns nil for a channel number or an invalid frequency.
    static func wholeMegahertz(mantissa: Int, exponent: Int) -> Int? {
        guard mantissa > 0, (0...9).contains(exponent) else { return nil }
        let hertz = (0..<exponent).reduce(mantissa) { value, _ in value * 10 }
        return hertz < 1_000_000 ? nil : hertz / 1_000_000
    }

    // MARK: - Permissions

    /// Returns owner and mode of a file, and whether the daemon can reach it; nil if it is missing or
    /// hidden.
    func permissions(_ path: String, _ need: PermissionFacts.Need) -> PermissionFacts? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return PermissionFacts(
            path: path, need: need, owner: Self.userName(status.st_uid),
            group: Self.groupName(status.st_gid), mode: Int(status.st_mode & 0o777),
            closedFolder: Self.closedFolder(above: path))
    }

    /// The first folder from the root on that the user `rowgate` may not search.
    private static func closedFolder(above path: String) -> String? {
        var folder = ""
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            var status = stat()
            guard stat(folder, &status) == 0 else { return nil }
            let shift: UInt32 =
                userName(status.st_uid) == "rowgate"
                ? 6 : groupName(status.st_gid) == "rowgate" ? 3 : 0
            if status.st_mode >> shift & 0o1 == 0 { return folder }
        }
        return nil
    }

    private static func userName(_ id: uid_t) -> String {
        guard let entry = getpwuid(id) else { return String(id) }
        return String(cString: entry.pointee.pw_name)
    }

    private static func groupName(_ id: gid_t) -> String {
        guard let entry = getgrgid(id) else { return String(id) }
        return String(cString: entry.pointee.gr_name)
    }

    // MARK: - Disk

    /// Returns free space and health of the ring's disk.
    func disk(ringPath: String) -> DiskFacts {
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

    /// eMMC reports the used part of its life in tenths: 0x01 for up to 10 %, 0x0B for more than all
    /// (JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST_TYP_A and _B). An SD card reports nothing.
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

    /// Lifetime writes of the file system (Linux, ABI/testing/sysfs-fs-ext4) divided by the card's size.
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
