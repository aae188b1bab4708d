/// State of the public state machine, low nibble of a status byte. Source: Concept2 CSAFE definition rev 0.25.
///
/// `.offline` is normal while a piece started on the monitor is being rowed.
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

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .error
            case 1: .ready
            case 2: .idle
            case 3: .haveID
            case 5: .inUse
            case 6: .pause
            case 7: .finished
            case 8: .manual
            case 9: .offline
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .error: 0
        case .ready: 1
        case .idle: 2
        case .haveID: 3
        case .inUse: 5
        case .pause: 6
        case .finished: 7
        case .manual: 8
        case .offline: 9
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Unit byte of public CSAFE commands and replies. Source: ErgometerJS, pm5-emulator.
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

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
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
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .kilometers: 0x21
        case .tenthsOfKilometer: 0x22
        case .hundredthsOfKilometer: 0x23
        case .meters: 0x24
        case .tenthsOfMeter: 0x25
        case .kilometersPerHour: 0x30
        case .metersPerMinute: 0x33
        case .minutesPerKilometer: 0x38
        case .secondsPerKilometer: 0x39
        case .secondsPerMile: 0x3A
        case .calories: 0x48
        case .strokesPerMinute: 0x54
        case .beatsPerMinute: 0x55
        case .caloriesPerHour: 0x57
        case .watts: 0x58
        case .unrecognized(let rawValue): rawValue
        }
    }
}
