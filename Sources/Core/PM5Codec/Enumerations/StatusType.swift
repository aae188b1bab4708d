/// A status message of the monitor: CSAFE 0xCA; its value is 0xCB.
///
/// Source: Concept2 CSAFE definition rev 0.25.
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

    package static func value(of byte: UInt8) -> Self {
        switch byte {
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
        default: .unrecognized(byte)
        }
    }
}
