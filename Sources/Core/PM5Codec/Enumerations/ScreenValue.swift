/// A command to the workout screen, or a key: second byte of CSAFE 0x13.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum ScreenValue: WireEnumeration {
    case none
    case prepareToRowWorkout
    case terminateWorkout
    case rearmWorkout
    case refreshLogCard
    case prepareToRaceStart
    case goToMainScreen
    case logCardBusyWarning
    case logCardSelectUser
    case resetRaceParameters
    case cableTestSlave
    case fishGame
    case displayParticipantInfo
    case displayParticipantInfoWithConfirmation
    case displayTarget
    case displayStandard
    case displayForceCurve
    case displayPaceBoat
    case displayPerStroke
    case displaySimple
    case unitsTimeMeters
    case unitsPace
    case unitsWatts
    case unitsCaloricBurnRate
    case targetGameBasic
    case targetGameAdvanced
    case dartGame
    case usbWaitReady
    case tachCableTestOff
    case tachSimulatorOff
    case tachSimulatorRate1
    case tachSimulatorRate2
    case tachSimulatorRate3
    case tachSimulatorRate4
    case tachSimulatorRate5
    case tachCableTestOn
    case unitsCalories
    case virtualKeyA
    case virtualKeyB
    case virtualKeyC
    case virtualKeyD
    case virtualKeyE
    case virtualKeyUnits
    case virtualKeyDisplay
    case virtualKeyMenu
    case tachSimulatorRateRandom
    case redraw
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .none
        case 1: .prepareToRowWorkout
        case 2: .terminateWorkout
        case 3: .rearmWorkout
        case 4: .refreshLogCard
        case 5: .prepareToRaceStart
        case 6: .goToMainScreen
        case 7: .logCardBusyWarning
        case 8: .logCardSelectUser
        case 9: .resetRaceParameters
        case 10: .cableTestSlave
        case 11: .fishGame
        case 12: .displayParticipantInfo
        case 13: .displayParticipantInfoWithConfirmation
        case 20: .displayTarget
        case 21: .displayStandard
        case 22: .displayForceCurve
        case 23: .displayPaceBoat
        case 24: .displayPerStroke
        case 25: .displaySimple
        case 30: .unitsTimeMeters
        case 31: .unitsPace
        case 32: .unitsWatts
        case 33: .unitsCaloricBurnRate
        case 34: .targetGameBasic
        case 35: .targetGameAdvanced
        case 36: .dartGame
        case 37: .usbWaitReady
        case 38: .tachCableTestOff
        case 39: .tachSimulatorOff
        case 40: .tachSimulatorRate1
        case 41: .tachSimulatorRate2
        case 42: .tachSimulatorRate3
        case 43: .tachSimulatorRate4
        case 44: .tachSimulatorRate5
        case 45: .tachCableTestOn
        case 46: .unitsCalories
        case 47: .virtualKeyA
        case 48: .virtualKeyB
        case 49: .virtualKeyC
        case 50: .virtualKeyD
        case 51: .virtualKeyE
        case 52: .virtualKeyUnits
        case 53: .virtualKeyDisplay
        case 54: .virtualKeyMenu
        case 55: .tachSimulatorRateRandom
        case 255: .redraw
        default: .unrecognized(byte)
        }
    }
}
