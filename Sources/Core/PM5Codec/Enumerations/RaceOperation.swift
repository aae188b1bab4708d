/// Race operation; anything but `.disable` demands extended frames.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum RaceOperation: WireEnumeration {
    case disable
    case participationRequest
    case sleep
    case ergInitialization
    case physicalAddressInitialization
    case raceWarmUp
    case raceInitialization
    case timeSynchronization
    case waitToStart
    case start
    case falseStart
    case terminate
    case idle
    case tachSimulatorOn
    case tachSimulatorOff
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .disable
            case 1: .participationRequest
            case 2: .sleep
            case 3: .ergInitialization
            case 4: .physicalAddressInitialization
            case 5: .raceWarmUp
            case 6: .raceInitialization
            case 7: .timeSynchronization
            case 8: .waitToStart
            case 9: .start
            case 10: .falseStart
            case 11: .terminate
            case 12: .idle
            case 13: .tachSimulatorOn
            case 14: .tachSimulatorOff
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .disable: 0
        case .participationRequest: 1
        case .sleep: 2
        case .ergInitialization: 3
        case .physicalAddressInitialization: 4
        case .raceWarmUp: 5
        case .raceInitialization: 6
        case .timeSynchronization: 7
        case .waitToStart: 8
        case .start: 9
        case .falseStart: 10
        case .terminate: 11
        case .idle: 12
        case .tachSimulatorOn: 13
        case .tachSimulatorOff: 14
        case .unrecognized(let rawValue): rawValue
        }
    }
}
