import HostRuntime

/// How the machine itself does; what it does not tell is nil.
struct HostFigures: Equatable, Sendable {
    /// Of the file system that holds the ring log.
    var diskFreeBytes: UInt64?
    /// Tenths of a degree Celsius.
    var processorDecidegrees: Int?
    var isUndervoltage: Bool?
    /// What rowgate uses of the processors.
    var processor: ProcessorFigures?
}

extension HostFigures {
    /// Asks the kernel.
    init(ringPath: String, sensors: HostSensors = HostSensors()) {
        let end = ringPath.lastIndex(of: "/") ?? ringPath.startIndex
        let folder = String(ringPath[..<end])
        diskFreeBytes = HostSensors.freeBytes(at: folder.isEmpty ? "/" : folder)
        processorDecidegrees = sensors.processorTemperature().map { ($0 + 50) / 100 }
        isUndervoltage = sensors.isUndervoltage()
        processor = ProcessorFigures()
    }
}
