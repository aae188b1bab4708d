import PM5Codec
import Testing

@Suite struct EnumerationTests {
    @Test func roundTripsAllValues() {
        // All 256 values of each enumeration, and the number of distinct cases.
        func check<Code: WireEnumeration>(_ type: Code.Type, known: Int) {
            let all = (UInt8.min...UInt8.max).map(Code.init(rawValue:))
            #expect(all.map(\.rawValue) == Array(UInt8.min...UInt8.max), "\(type)")
            #expect(Set(all).count == 256, "\(type)")
            let recognized = all.filter { $0 != .unrecognized($0.rawValue) }
            #expect(recognized.count == known, "\(type)")
        }
        check(WorkoutType.self, known: 13)
        check(IntervalType.self, known: 11)
        check(WorkoutState.self, known: 14)
        check(RowingState.self, known: 2)
        check(StrokeState.self, known: 5)
        check(DurationType.self, known: 4)
        check(StrokeRateState.self, known: 4)
        check(WorkoutNumber.self, known: 16)
        check(ErgMachineType.self, known: 23)
        check(ErgModelType.self, known: 3)
        check(OperationalState.self, known: 15)
        check(GameID.self, known: 6)
        check(HeartRateChannelStatus.self, known: 3)
        check(HeartRateSource.self, known: 2)
        check(StatusType.self, known: 17)
        check(SampleRate.self, known: 4)
        check(ScreenType.self, known: 6)
        check(ScreenValue.self, known: 47)
        check(ScreenStatus.self, known: 3)
        check(DisplayUnits.self, known: 5)
        check(DisplayType.self, known: 6)
        check(ProgrammingMode.self, known: 2)
        check(CSAFEState.self, known: 9)
        check(CSAFEUnit.self, known: 15)
    }

    /// Checks names with consecutive numbers.
    private func expect<Code: WireEnumeration>(_ names: [Code], from first: UInt8 = 0) {
        for (index, name) in names.enumerated() {
            #expect(name.rawValue == first + UInt8(index), "\(Code.self).\(name)")
        }
    }

    @Test func numbersRowingServiceEnumerations() {
        // Appendix A of the BLE definition (rev 1.30), list by list, in its order.
        expect([
            WorkoutType.justRowWithoutSplits, .justRowWithSplits, .fixedDistanceWithoutSplits,
            .fixedDistanceWithSplits, .fixedTimeWithoutSplits, .fixedTimeWithSplits,
            .fixedTimeInterval, .fixedDistanceInterval, .variableInterval,
            .variableIntervalUndefinedRest, .fixedCaloriesWithSplits,
            .fixedWattMinutesWithSplits, .fixedCalorieInterval, .unrecognized(13),
        ])
        expect([
            IntervalType.time, .distance, .rest, .timeUndefinedRest, .distanceUndefinedRest,
            .undefinedRest, .calories, .caloriesUndefinedRest, .wattMinutes,
            .wattMinutesUndefinedRest, .unrecognized(10),
        ])
        expect([IntervalType.none], from: 255)
        expect([
            WorkoutState.waitToBegin, .workoutRow, .countdownPause, .intervalRest,
            .intervalWorkTime, .intervalWorkDistance, .intervalRestEndToWorkTime,
            .intervalRestEndToWorkDistance, .intervalWorkTimeToRest,
            .intervalWorkDistanceToRest, .workoutEnd, .terminate, .workoutLogged, .rearm,
        ])
        expect([RowingState.inactive, .active])
        expect([
            StrokeState.waitingForMinimumSpeed, .waitingForAcceleration, .driving,
            .dwellingAfterDrive, .recovery,
        ])
        let durations: [(DurationType, UInt8)] = [
            (.time, 0x00), (.calories, 0x40), (.distance, 0x80), (.wattMinutes, 0xC0),
        ]
        for (type, number) in durations { expect([type], from: number) }
        expect([
            SampleRate.every1000Milliseconds, .every500Milliseconds, .every250Milliseconds,
            .every100Milliseconds,
        ])
    }

    @Test func numbersMachineTypes() {
        // The machine types of both definitions. Model A is 2 and B is 3, but on slides the letters are in
        // order.
        expect([ErgMachineType.modelD, .modelC, .modelA, .modelB])
        expect([ErgMachineType.modelE], from: 5)
        expect([ErgMachineType.rowerSimulator, .dynamic], from: 7)
        expect(
            [
                ErgMachineType.modelAOnSlides, .modelBOnSlides, .modelCOnSlides, .modelDOnSlides,
                .modelEOnSlides,
            ], from: 16)
        expect([ErgMachineType.dynamicOnSlides], from: 32)
        expect([ErgMachineType.dynamometer], from: 64)
        expect([ErgMachineType.skiErg], from: 128)
        expect([ErgMachineType.skiSimulator], from: 143)
        expect(
            [ErgMachineType.bikeWithoutArms, .bikeWithArms, .bikeWithoutArmsSecondCode], from: 192)
        expect([ErgMachineType.bikeSimulator], from: 207)
        expect([ErgMachineType.multiErgRow, .multiErgSki, .multiErgBike], from: 224)
        expect([ErgModelType.modelDOrE, .modelCOrB, .modelA])
    }

    @Test func numbersControlServiceEnumerations() {
        // The enumerations of the CSAFE definition (rev 0.25).
        expect([CSAFEState.error, .ready, .idle, .haveID, .unrecognized(4), .inUse, .pause])
        expect([CSAFEState.finished, .manual, .offline], from: 7)
        expect([
            OperationalState.reset, .ready, .workout, .warmUp, .race, .powerOff, .pause,
            .invokeBootLoader, .powerOffShip, .idleCharge, .idle, .manufacturingTest,
            .firmwareUpdate, .dragFactor,
        ])
        expect([OperationalState.dragFactorCalibration], from: 100)
        expect([GameID.none, .fish, .dart, .targetBasic, .targetAdvanced, .crossTraining])
        expect([HeartRateSource.bluetooth, .ant])
        expect([HeartRateChannelStatus.inactive, .discovery, .paired])
        expect([
            StatusType.none, .batteryLevel1Warning, .batteryLevel2Warning, .logDeviceState,
            .powerSource, .workoutLogged, .flywheelTurning, .wrongUtility, .firmwareUpdate,
            .unsupportedUSBHostDevice, .usbDrive, .loadControl, .usbLogbook, .logStorageCapacity,
            .factoryCalibration, .verifyCalibration, .serviceCalibration,
        ])
        expect([DisplayUnits.timeMeters, .pace, .watts, .caloricBurnRate, .calories])
        expect([DisplayType.standard, .forceCurve, .paceBoat, .perStroke, .simple, .target])
        expect([StrokeRateState.idle, .steady, .increasing, .decreasing])
        expect([ProgrammingMode.disable, .enable])
        expect([
            WorkoutNumber.programmed, .standard1, .standard2, .standard3, .standard4, .standard5,
            .custom1, .custom2, .custom3, .custom4, .custom5, .favorite1, .favorite2, .favorite3,
            .favorite4, .favorite5,
        ])
    }

    @Test func numbersScreenValues() {
        // The lists of the CSAFE definition with their gaps; virtual key D is 50 (openrowingmonitor).
        expect([ScreenType.none, .workout, .race, .csafe, .diagnostic, .manufacturing])
        expect([ScreenStatus.inactive, .pending, .inProgress])
        expect([
            ScreenValue.none, .prepareToRowWorkout, .terminateWorkout, .rearmWorkout,
            .refreshLogCard, .prepareToRaceStart, .goToMainScreen, .logCardBusyWarning,
            .logCardSelectUser, .resetRaceParameters, .cableTestSlave, .fishGame,
            .displayParticipantInfo, .displayParticipantInfoWithConfirmation, .unrecognized(14),
        ])
        expect(
            [
                ScreenValue.displayTarget, .displayStandard, .displayForceCurve, .displayPaceBoat,
                .displayPerStroke, .displaySimple, .unrecognized(26),
            ], from: 20)
        expect(
            [
                ScreenValue.unitsTimeMeters, .unitsPace, .unitsWatts, .unitsCaloricBurnRate,
                .targetGameBasic, .targetGameAdvanced, .dartGame, .usbWaitReady, .tachCableTestOff,
                .tachSimulatorOff, .tachSimulatorRate1, .tachSimulatorRate2, .tachSimulatorRate3,
                .tachSimulatorRate4, .tachSimulatorRate5, .tachCableTestOn, .unitsCalories,
                .virtualKeyA, .virtualKeyB, .virtualKeyC, .virtualKeyD, .virtualKeyE,
                .virtualKeyUnits, .virtualKeyDisplay, .virtualKeyMenu, .tachSimulatorRateRandom,
                .unrecognized(56),
            ], from: 30)
        expect([ScreenValue.redraw], from: 255)
    }

    @Test func numbersUnits() {
        // The unit list of ErgometerJS and raralabs/pm5-emulator.
        expect(
            [
                CSAFEUnit.kilometers, .tenthsOfKilometer, .hundredthsOfKilometer, .meters,
                .tenthsOfMeter,
            ], from: 0x21)
        let others: [(CSAFEUnit, UInt8)] = [
            (.kilometersPerHour, 0x30), (.metersPerMinute, 0x33), (.minutesPerKilometer, 0x38),
            (.secondsPerKilometer, 0x39), (.secondsPerMile, 0x3A), (.calories, 0x48),
            (.strokesPerMinute, 0x54), (.beatsPerMinute, 0x55), (.caloriesPerHour, 0x57),
            (.watts, 0x58),
        ]
        for (unit, number) in others { expect([unit], from: number) }
    }

    @Test func mapsMachineTypesToFamilies() {
        // Both ends of each range, and values outside.
        let families: [(UInt8, ErgFamily?)] = [
            (0, .row), (63, .row), (64, .dynamometer), (127, .dynamometer), (128, .ski),
            (191, .ski), (192, .bike), (223, .bike), (224, .multi), (226, .multi), (227, nil),
            (255, nil),
        ]
        for (rawValue, family) in families {
            #expect(ErgMachineType(rawValue: rawValue).family == family, "\(rawValue)")
        }
    }

    @Test func mapsSampleRatesToPeriods() {
        // The four documented values and one more.
        let periods = (UInt8(0)...4).map { SampleRate(rawValue: $0).periodMilliseconds }
        #expect(periods == [1000, 500, 250, 100, nil])
    }
}
