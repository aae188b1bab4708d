/// Kind of workout: 0x0031 byte 6, 0x0039 byte 17, CSAFE 0x89 and 0x01. Source: Concept2 BLE definition rev 1.30, appendix A.
///
/// Value 13 (the count of types) was captured while the user was choosing a workout.
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

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
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
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .justRowWithoutSplits: 0
        case .justRowWithSplits: 1
        case .fixedDistanceWithoutSplits: 2
        case .fixedDistanceWithSplits: 3
        case .fixedTimeWithoutSplits: 4
        case .fixedTimeWithSplits: 5
        case .fixedTimeInterval: 6
        case .fixedDistanceInterval: 7
        case .variableInterval: 8
        case .variableIntervalUndefinedRest: 9
        case .fixedCaloriesWithSplits: 10
        case .fixedWattMinutesWithSplits: 11
        case .fixedCalorieInterval: 12
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Kind of split or interval: 0x0031 byte 7, 0x0037 byte 16, 0x003A byte 4. Source: Concept2 BLE definition rev 1.30, appendix A.
///
/// Single pieces report `.distance` whatever they are: the workout type tells the kind of piece.
package enum IntervalType: WireEnumeration {
    case time
    case distance
    case rest
    case timeUndefinedRest
    case distanceUndefinedRest
    case undefinedRest
    case calories
    case caloriesUndefinedRest
    case wattMinutes
    case wattMinutesUndefinedRest
    case none
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .time
            case 1: .distance
            case 2: .rest
            case 3: .timeUndefinedRest
            case 4: .distanceUndefinedRest
            case 5: .undefinedRest
            case 6: .calories
            case 7: .caloriesUndefinedRest
            case 8: .wattMinutes
            case 9: .wattMinutesUndefinedRest
            case 255: .none
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .time: 0
        case .distance: 1
        case .rest: 2
        case .timeUndefinedRest: 3
        case .distanceUndefinedRest: 4
        case .undefinedRest: 5
        case .calories: 6
        case .caloriesUndefinedRest: 7
        case .wattMinutes: 8
        case .wattMinutesUndefinedRest: 9
        case .none: 255
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Where the monitor is in the workout: 0x0031 byte 8, CSAFE 0x8D. Source: Concept2 BLE definition rev 1.30, appendix A.
///
/// The short transitions (6 to 9) may be missed; there is no paused value.
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

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
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
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .waitToBegin: 0
        case .workoutRow: 1
        case .countdownPause: 2
        case .intervalRest: 3
        case .intervalWorkTime: 4
        case .intervalWorkDistance: 5
        case .intervalRestEndToWorkTime: 6
        case .intervalRestEndToWorkDistance: 7
        case .intervalWorkTimeToRest: 8
        case .intervalWorkDistanceToRest: 9
        case .workoutEnd: 10
        case .terminate: 11
        case .workoutLogged: 12
        case .rearm: 13
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// 0x0031 byte 9; active from the first completed drive. Source: Concept2 BLE definition rev 1.30, appendix A.
package enum RowingState: WireEnumeration {
    case inactive
    case active
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .inactive
            case 1: .active
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .inactive: 0
        case .active: 1
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Phase of the stroke: 0x0031 byte 10, CSAFE 0xBF. Source: Concept2 BLE definition rev 1.30, appendix A.
package enum StrokeState: WireEnumeration {
    case waitingForMinimumSpeed
    case waitingForAcceleration
    case driving
    case dwellingAfterDrive
    case recovery
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .waitingForMinimumSpeed
            case 1: .waitingForAcceleration
            case 2: .driving
            case 3: .dwellingAfterDrive
            case 4: .recovery
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .waitingForMinimumSpeed: 0
        case .waitingForAcceleration: 1
        case .driving: 2
        case .dwellingAfterDrive: 3
        case .recovery: 4
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Unit of a workout duration: 0x0031 byte 17, CSAFE 0x03 and 0x05. Source: Concept2 BLE definition rev 1.30, appendix A.
///
/// One table of the CSAFE definition prints other values; monitors take 0x40 for calories.
package enum DurationType: WireEnumeration {
    /// 0.01 s.
    case time
    case calories
    /// Metres.
    case distance
    case wattMinutes
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0x00: .time
            case 0x40: .calories
            case 0x80: .distance
            case 0xC0: .wattMinutes
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .time: 0x00
        case .calories: 0x40
        case .distance: 0x80
        case .wattMinutes: 0xC0
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// CSAFE 0xC0. Source: Concept2 CSAFE definition rev 0.25.
package enum StrokeRateState: WireEnumeration {
    case idle
    case steady
    case increasing
    case decreasing
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .idle
            case 1: .steady
            case 2: .increasing
            case 3: .decreasing
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .idle: 0
        case .steady: 1
        case .increasing: 2
        case .decreasing: 3
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// CSAFE 0x24 and 0xA4. Source: Concept2 CSAFE definition rev 0.25.
package enum WorkoutNumber: WireEnumeration {
    case programmed
    case standard1
    case standard2
    case standard3
    case standard4
    case standard5
    case custom1
    case custom2
    case custom3
    case custom4
    case custom5
    case favorite1
    case favorite2
    case favorite3
    case favorite4
    case favorite5
    case unrecognized(UInt8)

    package init(rawValue: UInt8) {
        self =
            switch rawValue {
            case 0: .programmed
            case 1: .standard1
            case 2: .standard2
            case 3: .standard3
            case 4: .standard4
            case 5: .standard5
            case 6: .custom1
            case 7: .custom2
            case 8: .custom3
            case 9: .custom4
            case 10: .custom5
            case 11: .favorite1
            case 12: .favorite2
            case 13: .favorite3
            case 14: .favorite4
            case 15: .favorite5
            default: .unrecognized(rawValue)
            }
    }

    package var rawValue: UInt8 {
        switch self {
        case .programmed: 0
        case .standard1: 1
        case .standard2: 2
        case .standard3: 3
        case .standard4: 4
        case .standard5: 5
        case .custom1: 6
        case .custom2: 7
        case .custom3: 8
        case .custom4: 9
        case .custom5: 10
        case .favorite1: 11
        case .favorite2: 12
        case .favorite3: 13
        case .favorite4: 14
        case .favorite5: 15
        case .unrecognized(let rawValue): rawValue
        }
    }
}

/// Race operation; anything but `.disable` demands extended frames. Source: Concept2 CSAFE definition rev 0.25.
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
