/// Kind of split or interval: 0x0031 byte 7, 0x0037 byte 16, 0x003A byte 4.
///
/// All single pieces report `.distance`; the workout type gives the kind of piece.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum IntervalType: WireEnumeration {
    case time
    case distance
    case rest
    case timeUndefinedRest
    case distanceUndefinedRest
    case undefinedRest
    case calories
    case caloriesUndefinedRest
    case wattMinutes
    case wattMinutesUndefinedRest
    case none
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .time
        case 1: .distance
        case 2: .rest
        case 3: .timeUndefinedRest
        case 4: .distanceUndefinedRest
        case 5: .undefinedRest
        case 6: .calories
        case 7: .caloriesUndefinedRest
        case 8: .wattMinutes
        case 9: .wattMinutesUndefinedRest
        case 255: .none
        default: .unrecognized(byte)
        }
    }
}
