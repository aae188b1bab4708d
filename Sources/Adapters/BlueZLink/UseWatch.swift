import PM5Codec

/// Whether somebody uses a monitor: rows, walks through its menus, or has put a workout on it.
///
/// It sees every value of a link, so it compares bytes and decodes nothing. The clock of a piece that
/// nobody rows runs on, and says nothing.
struct UseWatch: Sendable {
    /// Of 0x0031, from the workout type to the duration type, as last seen.
    private var status: UInt64?
    /// Of 0x003E, the operational state and the screen.
    private var screen: UInt64?

    /// - Parameter payload: as the characteristic itself carries it.
    mutating func isUse(_ id: CharacteristicID, _ payload: UnsafeRawBufferPointer) -> Bool {
        switch id {
        case .strokeData: return true
        case .generalStatus where payload.count >= 18:
            // A rest is part of a program, even if its host has not yet ended it.
            let isResting = payload[8] == WorkoutState.intervalRest.rawValue
            return Self.hasChanged(&status, payload[6..<18]) || isResting
        case .additionalStatus3 where payload.count >= 4:
            return Self.hasChanged(&screen, payload[0..<4])
        default: return false
        }
    }

    /// Whether something was seen before, and was another; FNV-1a.
    private static func hasChanged(
        _ seen: inout UInt64?, _ bytes: Slice<UnsafeRawBufferPointer>
    ) -> Bool {
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        defer { seen = digest }
        return seen != nil && seen != digest
    }
}
