/// Protocol values that mean "none".
///
/// Real monitors and emulators differ (0x0032 heart rate: 255 on a PM5, 0 from openrowingmonitor), so both
/// values mean none.
enum Sentinel {
    /// 0 and 255 mean no heart rate.
    static func heartRate(_ wire: UInt8) -> UInt8? {
        wire == 0 || wire == .max ? nil : wire
    }

    /// 0 (before the first stroke) and 0xFFFF (invalid) mean no pace.
    static func pace(_ wire: UInt16) -> UInt16? {
        wire == 0 || wire == .max ? nil : wire
    }

    /// An impossible stroke rate means that the monitor miscounted: it sent 200 for four strokes of a piece
    /// at 24. On a bike the field has revolutions.
    ///
    /// - Parameter machine: nil on old firmware, which does not exist on bikes.
    static func strokeRate(_ wire: UInt8, on machine: ErgMachineType?) -> UInt8? {
        wire <= mostStrokesPerMinute || machine?.family == .bike ? wire : nil
    }

    private static let mostStrokesPerMinute: UInt8 = 100

    /// 0 means not measured yet.
    static func dragFactor(_ wire: UInt8) -> UInt8? { zero(wire) }

    /// 0xFFFF means not measured, for example for the work of a first stroke.
    static func allOnes(_ wire: UInt16) -> UInt16? {
        wire == .max ? nil : wire
    }

    /// 0 means not measured or not applicable.
    static func zero<Wire: FixedWidthInteger>(_ wire: Wire) -> Wire? {
        wire == 0 ? nil : wire
    }
}
