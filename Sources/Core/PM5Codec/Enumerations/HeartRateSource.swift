/// The source of a heart rate written to 0x0041.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum HeartRateSource: WireEnumeration {
    case bluetooth
    case ant
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .bluetooth
        case 1: .ant
        default: .unrecognized(byte)
        }
    }
}

/// First byte of the replies to CSAFE 0x84 and 0xEA.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum HeartRateChannelStatus: WireEnumeration {
    case inactive
    case discovery
    case paired
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .inactive
        case 1: .discovery
        case 2: .paired
        default: .unrecognized(byte)
        }
    }
}
