import Bytes
import Glibc

/// Sensor values of the machine as the kernel reports them; nil where it reports none.
package struct HostSensors: Sendable {
    private let root: String

    /// - Parameter root: where sysfs is mounted.
    package init(root: String = "/sys") { self.root = root }

    /// Thousandths of a degree Celsius of the processor.
    ///
    /// The thermal zone whose type names it (`cpu-thermal` on a Raspberry Pi, `x86_pkg_temp`), or
    /// the first zone; Documentation/driver-api/thermal/sysfs-api.rst.
    package func processorTemperature() -> Int? {
        let zones = entries(of: "thermal", "thermal_zone")
        let processor = zones.first { zone in
            let type = SmallFile.line("\(zone)/type") ?? ""
            return type.contains("cpu") || type.contains("pkg")
        }
        return (processor ?? zones.first).flatMap { SmallFile.line("\($0)/temp") }
            .flatMap { Int($0) }
    }

    /// Whether the power supply of a Raspberry Pi was too weak within the last 2 s: the alarm of
    /// the firmware's hwmon chip `rpi_volt`; Documentation/hwmon/raspberrypi-hwmon.rst.
    package func isUndervoltage() -> Bool? {
        let chips = entries(of: "hwmon", "hwmon")
        let firmware = chips.first { SmallFile.line("\($0)/name") == "rpi_volt" }
        return firmware.flatMap { SmallFile.line("\($0)/in0_lcrit_alarm") }.map { $0 != "0" }
    }

    /// Paths in a class's folder that begin with `prefix`, in the order of their numbers.
    private func entries(of kind: String, _ prefix: String) -> [String] {
        guard let folder = opendir("\(root)/class/\(kind)") else { return [] }
        defer { closedir(folder) }
        var numbers: [Int] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) else {
                continue
            }
            numbers.append(number)
        }
        return numbers.sorted().map { "\(root)/class/\(kind)/\(prefix)\($0)" }
    }

    /// Bytes that an unprivileged process may still write to the file system of `path`.
    package static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
