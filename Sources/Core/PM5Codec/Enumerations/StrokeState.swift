/// Whether the rower is active: 0x0031 byte 9, CSAFE 0x93; active from the first completed drive.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum RowingState: WireEnumeration {
    case inactive
    case active
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .inactive
        case 1: .active
        default: .unrecognized(byte)
        }
    }
}

/// Phase of the stroke: 0x0031 byte 10, CSAFE 0xBF.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum StrokeState: WireEnumeration {
    case waitingForMinimumSpeed
    case waitingForAcceleration
    case driving
    case dwellingAfterDrive
    case recovery
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .waitingForMinimumSpeed
        case 1: .waitingForAcceleration
        case 2: .driving
        case 3: .dwellingAfterDrive
        case 4: .recovery
        default: .unrecognized(byte)
        }
    }
}

/// The trend of the stroke rate: reply to CSAFE 0xC0.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum StrokeRateState: WireEnumeration {
    case idle
    case steady
    case increasing
    case decreasing
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .idle
        case 1: .steady
        case 2: .increasing
        case 3: .decreasing
        default: .unrecognized(byte)
        }
    }
}
