/// The activity of the whole monitor: 0x003E byte 0, CSAFE 0x8F.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum OperationalState: WireEnumeration {
    case reset
    case ready
    case workout
    case warmUp
    case race
    case powerOff
    case pause
    case invokeBootLoader
    case powerOffShip
    case idleCharge
    case idle
    case manufacturingTest
    case firmwareUpdate
    case dragFactor
    case dragFactorCalibration
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .reset
        case 1: .ready
        case 2: .workout
        case 3: .warmUp
        case 4: .race
        case 5: .powerOff
        case 6: .pause
        case 7: .invokeBootLoader
        case 8: .powerOffShip
        case 9: .idleCharge
        case 10: .idle
        case 11: .manufacturingTest
        case 12: .firmwareUpdate
        case 13: .dragFactor
        case 100: .dragFactorCalibration
        default: .unrecognized(byte)
        }
    }
}
