import PM5Codec
import Testing

@Suite struct EnumerationTests {
    @Test func allValuesRoundTrip() {
        // Goal: newer firmware's values survive, and no two names share a number. Method: all 256
        // values of each enumeration, and as many distinct cases.
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
        check(RaceOperation.self, known: 15)
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

    @Test func numbersAfterTheGaps() {
        // Goal: no list slipped by one. Method: the documented numbers behind each gap.
        #expect(WorkoutState.workoutLogged.rawValue == 12)
        #expect(WorkoutState.rearm.rawValue == 13)
        #expect(WorkoutType.fixedCalorieInterval.rawValue == 12)
        #expect(WorkoutType(rawValue: 13) == .unrecognized(13))
        #expect(IntervalType.wattMinutesUndefinedRest.rawValue == 9)
        #expect(IntervalType.none.rawValue == 255)
        #expect(StrokeState.recovery.rawValue == 4)
        #expect(DurationType.calories.rawValue == 0x40)
        #expect(DurationType.distance.rawValue == 0x80)
        #expect(WorkoutNumber.custom1.rawValue == 6)
        #expect(WorkoutNumber.favorite5.rawValue == 15)
        #expect(RaceOperation.tachSimulatorOff.rawValue == 14)
        #expect(ErgMachineType.modelE.rawValue == 5)
        #expect(ErgMachineType.multiErgBike.rawValue == 226)
        #expect(OperationalState.dragFactor.rawValue == 13)
        #expect(OperationalState.dragFactorCalibration.rawValue == 100)
        #expect(ScreenValue.displayParticipantInfoWithConfirmation.rawValue == 13)
        #expect(ScreenValue.displaySimple.rawValue == 25)
        #expect(ScreenValue.unitsCaloricBurnRate.rawValue == 33)
        #expect(ScreenValue.tachCableTestOn.rawValue == 45)
        #expect(ScreenValue.virtualKeyA.rawValue == 47)
        #expect(ScreenValue.virtualKeyD.rawValue == 50)
        #expect(ScreenValue.tachSimulatorRateRandom.rawValue == 55)
        #expect(StatusType.logStorageCapacity.rawValue == 13)
        #expect(CSAFEState.inUse.rawValue == 5)
        #expect(CSAFEState.offline.rawValue == 9)
        #expect(GameID.crossTraining.rawValue == 5)
    }

    @Test func machineFamilies() {
        // Goal: families by range. Method: both ends of each range and what lies outside.
        let families: [(UInt8, ErgFamily?)] = [
            (0, .row), (63, .row), (64, .dynamometer), (127, .dynamometer), (128, .ski),
            (191, .ski), (192, .bike), (223, .bike), (224, .multi), (226, .multi), (227, nil),
            (255, nil),
        ]
        for (rawValue, family) in families {
            #expect(ErgMachineType(rawValue: rawValue).family == family, "\(rawValue)")
        }
    }

    @Test func samplePeriods() {
        // Goal: periods of 0x0034. Method: the four documented values and one more.
        let periods = (UInt8(0)...4).map { SampleRate(rawValue: $0).periodMilliseconds }
        #expect(periods == [1000, 500, 250, 100, nil])
    }
}
