/// State of the public state machine, low nibble of a status byte.
///
/// `.offline` is normal while a piece started on the monitor is being rowed.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum CSAFEState: WireEnumeration {
    case error
    case ready
    case idle
    case haveID
    case inUse
    case pause
    case finished
    case manual
    case offline
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .error
        case 1: .ready
        case 2: .idle
        case 3: .haveID
        case 5: .inUse
        case 6: .pause
        case 7: .finished
        case 8: .manual
        case 9: .offline
        default: .unrecognized(byte)
        }
    }
}
