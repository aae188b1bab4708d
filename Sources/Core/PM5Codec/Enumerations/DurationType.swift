/// Unit of a workout duration: 0x0031 byte 17, CSAFE 0x03 and 0x05.
///
/// One table of the CSAFE definition has other values; monitors use 0x40 for calories.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum DurationType: WireEnumeration {
    /// 0.01 s.
    case time
    case calories
    /// Metres.
    case distance
    case wattMinutes
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0x00: .time
        case 0x40: .calories
        case 0x80: .distance
        case 0xC0: .wattMinutes
        default: .unrecognized(byte)
        }
    }

    /// Listed, not searched: a simulated monitor needs it for each status, and the values are far apart.
    package var rawValue: UInt8 {
        switch self {
        case .time: 0x00
        case .calories: 0x40
        case .distance: 0x80
        case .wattMinutes: 0xC0
        case .unrecognized(let rawValue): rawValue
        }
    }
}
