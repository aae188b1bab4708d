/// Unit byte of public CSAFE commands and replies.
///
/// Source: ErgometerJS, pm5-emulator.
package enum CSAFEUnit: WireEnumeration {
    case kilometers
    case tenthsOfKilometer
    case hundredthsOfKilometer
    case meters
    case tenthsOfMeter
    case kilometersPerHour
    case metersPerMinute
    case minutesPerKilometer
    case secondsPerKilometer
    case secondsPerMile
    case calories
    case strokesPerMinute
    case beatsPerMinute
    case caloriesPerHour
    case watts
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0x21: .kilometers
        case 0x22: .tenthsOfKilometer
        case 0x23: .hundredthsOfKilometer
        case 0x24: .meters
        case 0x25: .tenthsOfMeter
        case 0x30: .kilometersPerHour
        case 0x33: .metersPerMinute
        case 0x38: .minutesPerKilometer
        case 0x39: .secondsPerKilometer
        case 0x3A: .secondsPerMile
        case 0x48: .calories
        case 0x54: .strokesPerMinute
        case 0x55: .beatsPerMinute
        case 0x57: .caloriesPerHour
        case 0x58: .watts
        default: .unrecognized(byte)
        }
    }
}
