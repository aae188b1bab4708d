import PM5Codec

/// Detects whether a monitor is used: rowing, menus, or a new workout.
///
/// It sees every value of a link, so it compares bytes without decoding them. The clock of a piece
/// that is not rowed runs on, and does not count as use.
struct UseDetector: Sendable {
    /// The last bytes of 0x0031 from the workout type to the duration type.
    private var status: UInt64?
    /// The last operational state and screen of 0x003E.
    private var screen: UInt64?

    /// - Parameter payload: in the layout of the dedicated characteristic.
    mutating func isUse(_ id: CharacteristicID, _ payload: UnsafeRawBufferPointer) -> Bool {
        switch id {
        case .strokeData: return true
        case .generalStatus where payload.count >= 18:
            // A rest is part of a program, even if its host has not ended it.
            let isResting = payload[8] == WorkoutState.intervalRest.rawValue
            return Self.hasChanged(&status, payload[6..<18]) || isResting
        case .additionalStatus3 where payload.count >= 4:
            return Self.hasChanged(&screen, payload[0..<4])
        default: return false
        }
    }

    /// Whether there was an earlier value that differs; FNV-1a.
    private static func hasChanged(
        _ seen: inout UInt64?, _ bytes: Slice<UnsafeRawBufferPointer>
    ) -> Bool {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        defer { seen = digest }
        return seen != nil && seen != digest
    }
}
