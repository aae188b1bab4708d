import Testing

@testable import PM5Codec
@testable import PM5Simulator
@testable import Relay

/// The made values, read by position as the Fitness Machine Service 1.0 (4.8) defines them.
@Suite struct FitnessMachineValuesTests {
    private typealias Values = FitnessMachineValues

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private static func after(_ payload: some CharacteristicPayload, _ values: inout Values) -> [UInt8]? {
        payload.notificationBytes(carrier: .dedicated).withUnsafeBytes {
            values.rowerData(after: type(of: payload).characteristic, $0)
        }
    }

    @Test func placesEachFieldWhereItIsDefined() throws {
        var values = Values()
        var status = GeneralStatus()
        status.elapsedCentiseconds = 12_345
        status.distanceDecimeters = 5_019
        status.rowingState = .active
        var status1 = AdditionalStatus1()
        status1.strokeRatePerMinute = 28
        status1.heartRateBeatsPerMinute = 151
        status1.currentPaceCentisecondsPer500m = 12_360
        var stroke = AdditionalStrokeData()
        stroke.strokePowerWatts = 187
        stroke.strokeCount = 300
        stroke.strokeCaloriesPerHour = 943
        var status2 = AdditionalStatus2()
        status2.totalCalories = 35
        #expect(Self.after(status, &values) == nil)
        #expect(Self.after(status1, &values) == nil)
        #expect(Self.after(stroke, &values) == nil)
        let value = try #require(Self.after(status2, &values))
        #expect(value.count == 20)
        #expect(Self.number(value[0..<2]) == 0b1011_0010_1100)
        #expect(value[2] == 56, "half a stroke per minute")
        #expect(Self.number(value[3..<5]) == 300)
        #expect(Self.number(value[5..<8]) == 501)
        #expect(Self.number(value[8..<10]) == 124, "seconds for 500 m")
        #expect(Self.number(value[10..<12]) == 187)
        #expect(Self.number(value[12..<14]) == 35)
        #expect(Self.number(value[14..<16]) == 943)
        #expect(value[16] == 15, "calories per minute")
        #expect(value[17] == 151)
        #expect(Self.number(value[18..<20]) == 123)

        // In a pause the monitor repeats its last rates.
        status.rowingState = .inactive
        _ = Self.after(status, &values)
        let pause = try #require(Self.after(status2, &values))
        #expect(pause[2] == 0)
        #expect(Array(pause[8..<12]) == [0, 0, 0, 0])
        #expect(Array(pause[14..<17]) == [0, 0, 0])
        #expect(Self.number(pause[5..<8]) == 501)
    }

    @Test func withoutABeltTheHeartRateIsZero() throws {
        var values = Values()
        #expect(Self.after(AdditionalStatus2(), &values) == nil, "parts of a status are missing")
        _ = Self.after(GeneralStatus(), &values)
        _ = Self.after(AdditionalStatus1(), &values)
        #expect(try #require(Self.after(AdditionalStatus2(), &values))[17] == 0)
    }

    /// The same piece through single characteristics and through 0x0080.
    @Test(arguments: [MonitorGeneration.new, .old])
    func followsAPieceWithEitherCarrier(_ generation: MonitorGeneration) throws {
        for subscriptions in [generation.notifying.filter { $0 != .multiplexed }, [.multiplexed]] {
            var values = Values()
            let made = try SentValue.all(in: "200m", lasting: 90_000, to: subscriptions, generation)
                .compactMap { sent in sent.bytes.withUnsafeBytes { values.rowerData(after: sent.id, $0) } }
            let distances = made.map { Self.number($0[5..<8]) }
            #expect(distances == distances.sorted())
            #expect(distances.last == 200)
            #expect(
                made.contains { $0[2] > 30 && Self.number($0[10..<12]) > 50 && Self.number($0[8..<10]) > 60 })
            #expect(Self.number(try #require(made.last)[3..<5]) > 10)
        }
    }

    @Test func grantsControlAndSupportsNothingElse() {
        #expect(Values.answer(to: [0x00]) == [0x80, 0x00, 0x01])
        for operation: UInt8 in 1...0x15 {
            #expect(Values.answer(to: [operation, 1]) == [0x80, operation, 0x02])
        }
        #expect(Values.answer(to: []) == nil)
    }

    @Test func declaresWhatItSends() {
        let bits = Self.number(Values.feature[0..<4])
        #expect((0..<32).filter { bits >> $0 & 1 == 1 } == [1, 2, 5, 9, 10, 12, 14])
        #expect(Array(Values.feature[4...]) == [0, 0, 0, 0])
    }
}
