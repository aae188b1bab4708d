/// The selected display of a workout: reply to CSAFE 0x8A.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum DisplayType: WireEnumeration {
    case standard
    case forceCurve
    case paceBoat
    case perStroke
    case simple
    case target
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .standard
        case 1: .forceCurve
        case 2: .paceBoat
        case 3: .perStroke
        case 4: .simple
        case 5: .target
        default: .unrecognized(byte)
        }
    }
}

/// The units of speed on the display: reply to CSAFE 0x8B.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum DisplayUnits: WireEnumeration {
    case timeMeters
    case pace
    case watts
    case caloricBurnRate
    case calories
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .timeMeters
        case 1: .pace
        case 2: .watts
        case 3: .caloricBurnRate
        case 4: .calories
        default: .unrecognized(byte)
        }
    }
}
