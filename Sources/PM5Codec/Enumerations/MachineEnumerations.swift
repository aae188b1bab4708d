/// The machine the monitor is mounted on: 0x0016, 0x0032, 0x0038, 0x003C, CSAFE 0xED. Source: Concept2 BLE definition rev 1.30, appendix A.
///
/// A RowErg of today reports model D or E.
package enum ErgMachineType: WireEnumeration {
    case modelD
    case modelC
    case modelA
    case modelB
    case modelE
    case rowerSimulator
    case dynamic
    case modelAOnSlides
    case modelBOnSlides
    case modelCOnSlides
    case modelDOnSlides
    case modelEOnSlides
    case dynamicOnSlides
    case dynamometer
    case skiErg
    case skiSimulator
    case bikeWithoutArms
    case bikeWithArms
    case bikeWithoutArmsSecondCode
    case bikeSimulator
    case multiErgRow
    case multiErgSki
    case multiErgBike
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .modelD
            case 1: .modelC
            case 2: .modelA
            case 3: .modelB
            case 5: .modelE
            case 7: .rowerSimulator
            case 8: .dynamic
            case 16: .modelAOnSlides
            case 17: .modelBOnSlides
            case 18: .modelCOnSlides
            case 19: .modelDOnSlides
            case 20: .modelEOnSlides
            case 32: .dynamicOnSlides
            case 64: .dynamometer
            case 128: .skiErg
            case 143: .skiSimulator
            case 192: .bikeWithoutArms
            case 193: .bikeWithArms
            case 194: .bikeWithoutArmsSecondCode
            case 207: .bikeSimulator
            case 224: .multiErgRow
            case 225: .multiErgSki
            case 226: .multiErgBike
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .modelD: 0
        case .modelC: 1
        case .modelA: 2
        case .modelB: 3
        case .modelE: 5
        case .rowerSimulator: 7
        case .dynamic: 8
        case .modelAOnSlides: 16
        case .modelBOnSlides: 17
        case .modelCOnSlides: 18
        case .modelDOnSlides: 19
        case .modelEOnSlides: 20
        case .dynamicOnSlides: 32
        case .dynamometer: 64
        case .skiErg: 128
        case .skiSimulator: 143
        case .bikeWithoutArms: 192
        case .bikeWithArms: 193
        case .bikeWithoutArmsSecondCode: 194
        case .bikeSimulator: 207
        case .multiErgRow: 224
        case .multiErgSki: 225
        case .multiErgBike: 226
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// 0x003F byte 14. Source: Concept2 CSAFE definition rev 0.25.
package enum ErgModelType: WireEnumeration {
    case modelDOrE
    case modelCOrB
    case modelA
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .modelDOrE
            case 1: .modelCOrB
            case 2: .modelA
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .modelDOrE: 0
        case .modelCOrB: 1
        case .modelA: 2
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// 0x003E byte 0, CSAFE 0x8F. Source: Concept2 CSAFE definition rev 0.25.
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

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
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
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .reset: 0
        case .ready: 1
        case .workout: 2
        case .warmUp: 3
        case .race: 4
        case .powerOff: 5
        case .pause: 6
        case .invokeBootLoader: 7
        case .powerOffShip: 8
        case .idleCharge: 9
        case .idle: 10
        case .manufacturingTest: 11
        case .firmwareUpdate: 12
        case .dragFactor: 13
        case .dragFactorCalibration: 100
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// 0x003C byte 6 low nibble, 0x003E byte 9. Source: Concept2 CSAFE definition rev 0.25.
package enum GameID: WireEnumeration {
    case none
    case fish
    case dart
    case targetBasic
    case targetAdvanced
    case crossTraining
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .none
            case 1: .fish
            case 2: .dart
            case 3: .targetBasic
            case 4: .targetAdvanced
            case 5: .crossTraining
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .none: 0
        case .fish: 1
        case .dart: 2
        case .targetBasic: 3
        case .targetAdvanced: 4
        case .crossTraining: 5
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// First byte of the replies to CSAFE 0x84 and 0xEA. Source: Concept2 CSAFE definition rev 0.25.
package enum HeartRateChannelStatus: WireEnumeration {
    case inactive
    case discovery
    case paired
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .inactive
            case 1: .discovery
            case 2: .paired
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .inactive: 0
        case .discovery: 1
        case .paired: 2
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Where a heart rate written to 0x0041 comes from. Source: Concept2 CSAFE definition rev 0.25.
package enum HeartRateSource: WireEnumeration {
    case bluetooth
    case ant
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .bluetooth
            case 1: .ant
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .bluetooth: 0
        case .ant: 1
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// CSAFE 0xCA. Source: Concept2 CSAFE definition rev 0.25.
package enum StatusType: WireEnumeration {
    case none
    /// The status value is the charge in percent.
    case batteryLevel1Warning
    /// The status value is the charge in percent.
    case batteryLevel2Warning
    case logDeviceState
    case powerSource
    case workoutLogged
    case flywheelTurning
    case wrongUtility
    case firmwareUpdate
    case unsupportedUSBHostDevice
    case usbDrive
    case loadControl
    case usbLogbook
    case logStorageCapacity
    case factoryCalibration
    case verifyCalibration
    case serviceCalibration
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .none
            case 1: .batteryLevel1Warning
            case 2: .batteryLevel2Warning
            case 3: .logDeviceState
            case 4: .powerSource
            case 5: .workoutLogged
            case 6: .flywheelTurning
            case 7: .wrongUtility
            case 8: .firmwareUpdate
            case 9: .unsupportedUSBHostDevice
            case 10: .usbDrive
            case 11: .loadControl
            case 12: .usbLogbook
            case 13: .logStorageCapacity
            case 14: .factoryCalibration
            case 15: .verifyCalibration
            case 16: .serviceCalibration
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .none: 0
        case .batteryLevel1Warning: 1
        case .batteryLevel2Warning: 2
        case .logDeviceState: 3
        case .powerSource: 4
        case .workoutLogged: 5
        case .flywheelTurning: 6
        case .wrongUtility: 7
        case .firmwareUpdate: 8
        case .unsupportedUSBHostDevice: 9
        case .usbDrive: 10
        case .loadControl: 11
        case .usbLogbook: 12
        case .logStorageCapacity: 13
        case .factoryCalibration: 14
        case .verifyCalibration: 15
        case .serviceCalibration: 16
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Period of the timed notifications, 0x0034; lost with the connection. Source: Concept2 BLE definition rev 1.30.
///
/// Measured with 500 ms: 505 to 515 ms between packets (ErgometerJS recording).
package enum SampleRate: WireEnumeration {
    case every1000Milliseconds
    /// The default until written.
    case every500Milliseconds
    case every250Milliseconds
    case every100Milliseconds
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .every1000Milliseconds
            case 1: .every500Milliseconds
            case 2: .every250Milliseconds
            case 3: .every100Milliseconds
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .every1000Milliseconds: 0
        case .every500Milliseconds: 1
        case .every250Milliseconds: 2
        case .every100Milliseconds: 3
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// The families of machines a PM5 can be mounted on, by range of the type number.
package enum ErgFamily: Hashable, Sendable {
    case row, dynamometer, ski, bike, multi
}

extension ErgMachineType {
    /// Nil for numbers outside the documented ranges.
    package var family: ErgFamily? {
        switch rawValue {
        case 0...63: .row
        case 64...127: .dynamometer
        case 128...191: .ski
        case 192...223: .bike
        case 224...226: .multi
        default: nil
        }
    }
}
