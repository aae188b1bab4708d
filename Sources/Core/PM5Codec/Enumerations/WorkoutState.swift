/// The state of the workout on the monitor: 0x0031 byte 8, CSAFE 0x8D.
///
/// The short transitions (6 to 9) may be missed. There is no value for a pause.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum WorkoutState: WireEnumeration {
    case waitToBegin
    /// Work of a single piece or just row.
    case workoutRow
    case countdownPause
    case intervalRest
    case intervalWorkTime
    /// Also for calorie intervals.
    case intervalWorkDistance
    case intervalRestEndToWorkTime
    case intervalRestEndToWorkDistance
    case intervalWorkTimeToRest
    case intervalWorkDistanceToRest
    /// Finished, being logged.
    case workoutEnd
    /// Stopped early.
    case terminate
    /// Waiting with frozen values.
    case workoutLogged
    case rearm
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .waitToBegin
        case 1: .workoutRow
        case 2: .countdownPause
        case 3: .intervalRest
        case 4: .intervalWorkTime
        case 5: .intervalWorkDistance
        case 6: .intervalRestEndToWorkTime
        case 7: .intervalRestEndToWorkDistance
        case 8: .intervalWorkTimeToRest
        case 9: .intervalWorkDistanceToRest
        case 10: .workoutEnd
        case 11: .terminate
        case 12: .workoutLogged
        case 13: .rearm
        default: .unrecognized(byte)
        }
    }
}
