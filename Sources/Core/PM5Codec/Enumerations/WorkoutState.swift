/// Where the monitor is in the workout: 0x0031 byte 8, CSAFE 0x8D.
///
/// The short transitions (6 to 9) may be missed; there is no paused value.
///
/// Source: Concept2 BLE definition rev 1.30, appendix A.
package enum WorkoutState: WireEnumeration {
    case waitToBegin
    /// A single piece or just row is being rowed.
    case workoutRow
    case countdownPause
    case intervalRest
    case intervalWorkTime
    /// Calorie intervals too.
    case intervalWorkDistance
    case intervalRestEndToWorkTime
    case intervalRestEndToWorkDistance
    case intervalWorkTimeToRest
    case intervalWorkDistanceToRest
    /// Finished, being logged.
    case workoutEnd
    /// Stopped early.
    case terminate
    /// Parked with frozen values.
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
