import Foundation
import HostRuntime
import TestSupport
import Testing

/// The machine's condition, from files laid out as the kernel lays out sysfs.
@Suite struct HostSensorsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: folder.path(name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test(arguments: [
        (["acpitz": "27800", "x86_pkg_temp": "51234"], 51234), (["cpu-thermal": "48686"], 48686),
        (["gpu-thermal": "-1000"], -1000), ([:], nil),
    ])
    func readsProcessorTemperature(zones: [String: String], expected: Int?) throws {
        // Zones of a PC, a Pi, another machine, and a virtual machine without any.
        for (number, zone) in zones.sorted(by: { $0.key < $1.key }).enumerated() {
            try write(zone.key + "\n", to: "class/thermal/thermal_zone\(number)/type")
            try write(zone.value + "\n", to: "class/thermal/thermal_zone\(number)/temp")
        }
        #expect(HostSensors(root: folder.path).processorTemperature() == expected)
    }

    @Test(arguments: [("rpi_volt", "1", true), ("rpi_volt", "0", false), ("nvme", "1", nil)])
    func readsUndervoltageOfFirmwareChip(chip: String, alarm: String, expected: Bool?) throws {
        // The second of two chips has the alarm.
        try write("cpu_thermal\n", to: "class/hwmon/hwmon0/name")
        try write(chip + "\n", to: "class/hwmon/hwmon1/name")
        try write(alarm + "\n", to: "class/hwmon/hwmon1/in0_lcrit_alarm")
        #expect(HostSensors(root: folder.path).isUndervoltage() == expected)
    }

    @Test(.enabled(if: InstalledPrograms.areAllowed))
    func freeSpaceMatchesDf() async throws {
        // The value of df may be a moment older.
        let df = try ChildProcess("df", ["--output=avail", "-B1", folder.path])
        await df.waitForExit()
        let reported = try #require(df.lines.last.flatMap { Int64($0.filter(\.isNumber)) })
        let free = try #require(HostSensors.freeBytes(at: folder.path))
        #expect(abs(Int64(free) - reported) < 1 << 30)
        #expect(HostSensors.freeBytes(at: folder.path("none")) == nil)
    }
}
