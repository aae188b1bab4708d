/// The machine with the monitor: 0x0016, 0x0032, 0x0038, 0x003C, CSAFE 0xED.
///
/// A current RowErg reports model D or E.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
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

    package static func value(of byte: UInt8) -> Self {
        switch byte {
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
        default: .unrecognized(byte)
        }
    }
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

/// The machine families of a PM5, by range of the type number.
package enum ErgFamily: Hashable, Sendable {
    case row, dynamometer, ski, bike, multi
}

/// The model in a log entry, 0x003F byte 14. Its numbers differ from `ErgMachineType`.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum ErgModelType: WireEnumeration {
    case modelDOrE
    case modelCOrB
    case modelA
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .modelDOrE
        case 1: .modelCOrB
        case 2: .modelA
        default: .unrecognized(byte)
        }
    }
}
