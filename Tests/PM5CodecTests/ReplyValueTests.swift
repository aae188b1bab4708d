import Bytes
import Testing

@testable import PM5Codec

@Suite struct ReplyValueTests {
    /// Encodes a value into a response and decodes it again, through each wrapper of the query.
    private func check<Value>(_ query: Query<Value>, _ value: Value) throws {
        let doors: [Wrapper?] = query.wrapper.map { [$0, .userConfiguration] } ?? [nil]
        for door in doors {
            let reply = Reply(answering: query, value, in: door)
            let response = Response(
                status: StatusByte(toggle: false, state: .ready),
                replies: [door.map { Reply($0, [reply]) } ?? reply])
            let received = try Response(try Frame(decoding: response.frame().bytes))
            #expect(received == response)
            #expect(try received.value(of: query) == value, "\(query.id)")
        }
    }

    @Test func roundTripsPublicValues() throws {
        // Each public value, encoded by the simulator's code and decoded by the gateway's.
        try check(.status, StatusByte(rawValue: 0x81))
        var version = VersionReply(hardware: 0x0154, software: 0xF0F1)
        try check(.version, version)
        (version.manufacturer, version.classID, version.model) = (0xF1, 0xF2, 0xF3)
        try check(.version, version)
        try check(.userID, "00000")
        try check(.serial, "430070439")
        try check(.units, 0)
        try check(.odometer, UnitValue(0x0102_0304, .meters))
        try check(.errorCode, ErrorCodeReply(code: 0x01_0203))
        try check(.publicWorkTime, WorkTimeReply(hours: 1, minutes: 2, seconds: 3))
        try check(.horizontal, UnitValue(2000, .meters))
        try check(.calories, 0x0102)
        try check(.program, .standard3)
        try check(.pace, UnitValue(249, .secondsPerKilometer))
        try check(.cadence, UnitValue(28, .strokesPerMinute))
        try check(
            .userInfo, UserInfoReply(weight: UnitValue(175, .unrecognized(0x28)), age: 0, gender: 0)
        )
        try check(.currentHeartRate, 142)
        try check(.power, UnitValue(203, .watts))
        try check(
            .linkCapabilities,
            CapabilitiesReply(maximumReceiveBytes: 120, maximumSendBytes: 120, minimumFrameGap: 50))
    }

    @Test func roundTripsConfigurationValues() throws {
        // Each value through both wrappers.
        let sensor = HeartRateSensor(manufacturer: 1, deviceType: 120)
        try check(.firmwareVersion, VersionText("000168"))
        try check(.hardwareVersion, VersionText("0123456789ABCDEF"))
        try check(.hardwareAddress, 430_070_439)
        try check(
            .heartRateMonitor, HeartRateChannel(status: .paired, sensor: sensor, number: 0x0102))
        try check(
            .extendedHeartRateMonitor,
            HeartRateChannel(status: .discovery, sensor: sensor, number: 0x0102_0304))
        try check(
            .heartRateBelt(user: 1), HeartRateBeltReply(user: 1, sensor: sensor, number: 0x0102))
        try check(
            .extendedHeartRateBelt(user: 0),
            HeartRateBeltReply(user: 0, sensor: sensor, number: 0x0102_0304))
        try check(.dateTime, MonitorClock(year: 2026, month: 7, day: 15, hour: 0, minute: 5))
        try check(
            .screenStatus,
            ScreenStatusReply(type: .workout, value: .virtualKeyD, status: .inProgress))
        try check(.workoutType, .variableInterval)
        try check(.displayType, .target)
        try check(.displayUnits, .calories)
        try check(.workoutState, .workoutLogged)
        try check(.intervalType, .none)
        try check(.operationalState, .dragFactorCalibration)
        try check(.rowingState, .active)
        try check(.powerUpState, 1)
        try check(.batteryLevelPercent, 97)
        try check(.internalLogParameters, LogParametersReply(startAddress: 1, lastEntryBytes: 2))
        try check(
            .productConfiguration,
            ProductConfigurationReply(hardware: 1, software: 2, softwareBuild: 3, displayMaker: 4))
        try check(.workoutIntervalCount, 4)
        try check(.workoutDuration, WorkoutDurationReply(type: .distance, amount: 0x6E_F000))
        try check(.workOther, 5)
        try check(.flywheelSpeed, 0x0102)
        try check(.ergMachineType, .multiErgSki)
        try check(.firmwareUpdateStatus, FirmwareUpdateReply(infoType: 1, status: 2))
        try check(
            .currentLogStructure(1, splitNumber: 2),
            LogStructureReply(structure: 1, splitNumber: 2, bytes: [0xF0, 0xF1, 0xF2]))
    }

    @Test func roundTripsDataValues() throws {
        // Each value through both wrappers.
        try check(.workTime, WorkAmount(base: 57_700, fraction: 42))
        try check(.workDistance, WorkAmount(base: 5770, fraction: nil))
        let numbers: [Query<UInt32>] = [
            .projectedWorkTime, .totalRestTime, .totalWorkDistance, .projectedWorkDistance,
            .totalRestDistance, .strokePace, .strokePowerWatts, .strokeCaloriesPerHour,
            .splitAveragePace, .splitAveragePowerWatts, .splitAverageCaloriesPerHour,
            .splitCalories, .totalAveragePace, .totalAveragePowerWatts,
            .totalAverageCaloriesPerHour, .totalCalories, .splitTime, .lastSplitTime,
            .splitDistance, .lastSplitDistance, .lastRestDistance, .targetPace,
        ]
        for query in numbers { try check(query, 0x0102_03F1) }
        #expect(Set(numbers.map(\.id)).count == numbers.count)
        for query in [.restDistance, .errorValue, .restTime, .userInterfaceEvents]
            as [Query<UInt16>]
        {
            try check(query, 0x0102)
        }
        let bytes: [Query<UInt8>] = [
            .strokeRate, .splitAverageStrokeRate, .totalAverageStrokeRate, .averageHeartRate,
            .endingAverageHeartRate, .restAverageHeartRate, .dragFactor, .heartRateState,
            .errorType, .statusValue,
        ]
        for query in bytes { try check(query, 0xF2) }
        #expect(Set(bytes.map(\.id)).count == bytes.count)
        try check(.strokeState, .recovery)
        try check(.strokeRateState, .increasing)
        try check(.statusType, .workoutLogged)
        try check(
            .internalLogMemory(address: 0x0102_0304, byteCount: 3), LogMemoryReply([1, 2, 3]))
        try check(.forcePlot(byteCount: 32), SampleBlock((0..<16).map { $0 * 300 }))
        try check(.forcePlot(byteCount: 32), SampleBlock([]))
        try check(.heartBeats(byteCount: 32), SampleBlock([0x0102, 0x0304]))
        try check(
            .strokeStatistics,
            StrokeStatistics(
                strokeDistanceCentimeters: 995, driveCentiseconds: 70, recoveryCentiseconds: 180,
                driveLengthCentimeters: 124, driveCounter: 2, peakForceTenthsOfPound: 2037,
                impulse: 7, averageForceTenthsOfPound: 1245, workPerStrokeDecijoules: 3815))
        try check(.currentWorkoutHash, WorkoutHashReply([1, 2, 3, 4, 5, 6, 7, 8]))
        try check(.gameScore, GameScoreReply(game: .dart, score: 0x0102))
    }

    @Test func usesFixedByteOrders() {
        // Rest time and heart beats are little-endian in every wrapper.
        let rest = Reply(answering: .restTime, 0x0102, in: .getData)
        #expect(rest.data == [0x02, 0x01])
        let beats = Reply(answering: .heartBeats(byteCount: 2), SampleBlock([0x0102]), in: .getData)
        #expect(beats.data?.prefix(3) == [0x02, 0x02, 0x01])
        let force = Reply(answering: .forcePlot(byteCount: 2), SampleBlock([0x0102]), in: .getData)
        #expect(force.data?.prefix(3) == [0x02, 0x01, 0x02])
        #expect(force.data?.count == 33)
        let memory = Query.internalLogMemory(address: 0x0102_0304, byteCount: 64)
        #expect(memory.parameters == [1, 2, 3, 4, 64])
    }

    @Test func throwsForSampleCountPastTheEnd() throws {
        // 34 bytes claimed in a reply of 33.
        let reply = Reply(id: 0x6B, data: [34] + [UInt8](repeating: 0, count: 32))
        let response = Response(
            status: StatusByte(rawValue: 1), replies: [Reply(.userConfiguration, [reply])])
        #expect(throws: DecodeError.truncated(needed: 35, had: 33)) {
            try response.value(of: .forcePlot(byteCount: 32))
        }
    }
}
