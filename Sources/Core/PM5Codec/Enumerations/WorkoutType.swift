/// Kind of workout: 0x0031 byte 6, 0x0039 byte 17, CSAFE 0x89 and 0x01.
///
/// Value 13 (the count of types) was captured while the user was choosing a workout.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum WorkoutType: WireEnumeration {
    case justRowWithoutSplits
    case justRowWithSplits
    case fixedDistanceWithoutSplits
    case fixedDistanceWithSplits
    case fixedTimeWithoutSplits
    case fixedTimeWithSplits
    case fixedTimeInterval
    case fixedDistanceInterval
    case variableInterval
    case variableIntervalUndefinedRest
    case fixedCaloriesWithSplits
    case fixedWattMinutesWithSplits
    case fixedCalorieInterval
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .justRowWithoutSplits
        case 1: .justRowWithSplits
        case 2: .fixedDistanceWithoutSplits
        case 3: .fixedDistanceWithSplits
        case 4: .fixedTimeWithoutSplits
        case 5: .fixedTimeWithSplits
        case 6: .fixedTimeInterval
        case 7: .fixedDistanceInterval
        case 8: .variableInterval
        case 9: .variableIntervalUndefinedRest
        case 10: .fixedCaloriesWithSplits
        case 11: .fixedWattMinutesWithSplits
        case 12: .fixedCalorieInterval
        default: .unrecognized(byte)
        }
    }
}
