/// A workout of the monitor's lists: CSAFE 0x24 and 0xA4.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum WorkoutNumber: WireEnumeration {
    case programmed
    case standard1
    case standard2
    case standard3
    case standard4
    case standard5
    case custom1
    case custom2
    case custom3
    case custom4
    case custom5
    case favorite1
    case favorite2
    case favorite3
    case favorite4
    case favorite5
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .programmed
        case 1: .standard1
        case 2: .standard2
        case 3: .standard3
        case 4: .standard4
        case 5: .standard5
        case 6: .custom1
        case 7: .custom2
        case 8: .custom3
        case 9: .custom4
        case 10: .custom5
        case 11: .favorite1
        case 12: .favorite2
        case 13: .favorite3
        case 14: .favorite4
        case 15: .favorite5
        default: .unrecognized(byte)
        }
    }
}
