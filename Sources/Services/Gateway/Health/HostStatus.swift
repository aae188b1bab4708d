import HostRuntime

/// The state of the machine; nil for values that it does not report.
struct HostStatus: Equatable, Sendable {
    /// Of the file system with the ring log.
    var diskFreeBytes: UInt64?
    /// In tenths of a degree Celsius.
    var processorDecidegrees: Int?
    var isUndervoltage: Bool?
    /// Processor use of rowgate.
    var processor: ProcessorUsage?
}

extension HostStatus {
    /// Reads the values from the kernel.
    init(ringPath: String, sensors: HostSensors = HostSensors()) {
        let end = ringPath.lastIndex(of: "/") ?? ringPath.startIndex
        let folder = String(ringPath[..<end])
        diskFreeBytes = HostSensors.freeBytes(at: folder.isEmpty ? "/" : folder)
        processorDecidegrees = sensors.processorTemperature().map { ($0 + 50) / 100 }
        isUndervoltage = sensors.isUndervoltage()
        processor = ProcessorUsage()
    }
}
