import PM5Codec
import Testing

@Suite struct StatusByteTests {
    @Test func everyByteReadsAndBuilds() {
        // Goal: bits at their places. Method: all bytes without the unused bit, built again.
        for rawValue in UInt8.min...UInt8.max where rawValue & 0x40 == 0 {
            let status = StatusByte(rawValue: rawValue)
            let again = StatusByte(
                toggle: status.toggle, previousFrame: status.previousFrame, state: status.state)
            #expect(again == status)
            #expect(status.isAccepted == (rawValue & 0x30 == 0))
        }
    }

    @Test(arguments: [0x11, 0x91, 0x92, 0x17, 0x98, 0x19, 0x99] as [UInt8])
    func capturedRejects(rawValue: UInt8) throws {
        // Goal: a reject is seen in every state and toggle. Method: on-erg captures.
        let response = try response([0xF1, rawValue, rawValue, 0xF2])
        #expect(response.status.previousFrame == .reject)
        #expect(response.status.isAccepted == false)
        #expect(response.replies.isEmpty)
    }
}

@Suite struct QueryTests {
    @Test(
        arguments: [
            (Query.status.command, "F1 80 80 F2"),
            (Query.screenStatus.command, "F1 7E 01 86 F9 F2"),
            (Query.workoutState.command, "F1 7E 01 8D F3 02 F2"),
            (Query.workoutDuration.command, "F1 7E 01 E8 97 F2"),
            (Query.batteryLevelPercent.command, "F1 7E 01 97 E8 F2"),
            (Query.dateTime.command, "F1 7E 01 85 FA F2"),
            (Query.dragFactor.throughUserConfiguration.command, "F1 1A 01 C1 DA F2"),
            (Query.strokeState.throughUserConfiguration.command, "F1 1A 01 BF A4 F2"),
            (Query.workTime.throughUserConfiguration.command, "F1 1A 01 A0 BB F2"),
            (
                Query.forcePlot(byteCount: 20).throughUserConfiguration.command,
                "F1 1A 03 6B 01 14 67 F2"
            ),
            (
                Query.forcePlot(byteCount: 32).throughUserConfiguration.command,
                "F1 1A 03 6B 01 20 53 F2"
            ),
            (Query.strokeStatistics.throughUserConfiguration.command, "F1 1A 03 6E 01 00 76 F2"),
            (Query.errorType.throughUserConfiguration.command, "F1 1A 01 C8 D3 F2"),
            (Query.errorValue.throughUserConfiguration.command, "F1 1A 01 C9 D2 F2"),
            (
                .wrapped(.getData, [.get(Query.extendedHeartRateBelt(user: 0))]),
                "F1 7F 03 57 01 00 2A F2"
            ),
        ] as [(Command, String)])
    func requests(command: Command, hex: String) {
        // Goal: polling frames as published. Method: byte for byte.
        #expect(Frame(command).bytes == hexBytes(hex))
    }

    @Test func severalQueriesInOneFrame() {
        // Goal: queries share frames and wrappers. Method: the published combinations.
        let wrapped = Command.wrapped(
            .getConfiguration,
            [
                .get(Query.workoutType), .get(Query.workoutState), .get(Query.intervalType),
                .get(Query.workoutIntervalCount), .get(Query.ergMachineType),
            ])
        #expect(Frame(wrapped).bytes == hexBytes("F1 7E 05 89 8D 8E 9F ED 83 F2"))
        let live = Frame(
            Query.publicWorkTime.command, Query.pace.command, Query.cadence.command,
            Query.currentHeartRate.command, Query.power.command)
        #expect(live.bytes == hexBytes("F1 A0 A6 A7 B0 B4 A5 F2"))
        let identity = Frame(Query.version.command, Query.serial.command)
        #expect(identity.bytes == hexBytes("F1 91 94 05 F2"))
        #expect(Frame(contents: []).bytes == hexBytes("F1 00 F2"))
    }

    @Test func setAndGetInOneReply() throws {
        // Goal: wrapped and public replies side by side. Method: a recorded answer
        // (tijmenvangulik/ErgometerJS, row100meter.ts, t=1646 ms).
        let response = try response("F1811A03BF0100910716020554011400E0F2")
        #expect(response.status == StatusByte(toggle: true, state: .ready))
        #expect(try response.value(of: .strokeState) == .waitingForMinimumSpeed)
        #expect(try response.value(of: .version) == VersionReply(hardware: 340, software: 20))
        #expect(try response.value(of: .dragFactor) == nil)
        #expect(response.acknowledgedIDs == [])
    }

    @Test func acknowledgements() throws {
        // Goal: bare ids inside a set wrapper. Method: recorded answers, two of them stuffed.
        let ids: [UInt8] = [0x01, 0x03, 0x05, 0x14, 0x13]
        #expect(try response("F1017605010305141372F2").acknowledgedIDs == ids)
        #expect(try response("F18176050103051413F302F2").acknowledgedIDs == ids)
        #expect(try response("F18276050103051413F301F2").acknowledgedIDs == ids)
        #expect(try response("F181760113E5F2").acknowledgedIDs == [0x13])
        #expect(try response("F1011A001BF2").acknowledgedIDs == [])
        let terminated = Response(
            status: StatusByte(toggle: true, state: .ready),
            replies: [
                Reply(
                    .setConfiguration,
                    [.acknowledging(.screenState(.workout, .terminateWorkout))])
            ])
        #expect(terminated.frame().bytes == hexBytes("F181760113E5F2"))
    }

    @Test func bothFormsOfTheStatusReply() throws {
        // Goal: bare and echoed status are the same. Method: the PM5's and the PM3-era form.
        #expect(try response("F18181F2").reportedStatus.rawValue == 0x81)
        #expect(try response("F10180010181F2").reportedStatus.rawValue == 0x01)
    }

    @Test func paceIsHalved() throws {
        // Goal: s/km becomes a 500 m pace. Method: the recorded 249 s/km, 2:04.5.
        let reply = Reply(id: 0xA6, data: [0xF9, 0x00, 0x39])
        let response = Response(status: StatusByte(rawValue: 1), replies: [reply])
        let pace = try response.value(of: .pace)
        #expect(pace == UnitValue(249, .secondsPerKilometer))
        #expect(pace?.paceCentisecondsPer500m == 12_450)
    }

    @Test func workDistanceThroughTheUserDoor() throws {
        // Goal: base and fraction add up. Method: the recorded 5770 + 9, 577.9 m.
        let reply = Reply(id: 0x1A, data: hexBytes("A3 05 8A 16 00 00 09"))
        let response = Response(status: StatusByte(rawValue: 1), replies: [reply])
        #expect(try response.value(of: .workDistance)?.total == 5779)
        let plain = Reply(id: 0x7F, data: hexBytes("A3 04 00 00 16 8A"))
        let other = Response(status: StatusByte(rawValue: 1), replies: [plain])
        #expect(try other.value(of: .workDistance) == WorkAmount(base: 5770, fraction: nil))
    }

    @Test func screenStatus() throws {
        // Goal: pending is not done. Method: the two built answers of the reference.
        let pending = try response("F1017E058603010101FEF2").value(of: .screenStatus)
        #expect(pending?.status == .pending)
        let done = try response("F1017E058603010100FFF2").value(of: .screenStatus)
        #expect(
            done
                == ScreenStatusReply(
                    type: .workout, value: .prepareToRowWorkout, status: .inactive))
    }

    @Test func tooShortDataThrow() throws {
        // Goal: a reply that ends early is an error with numbers. Method: one byte of a pace.
        let response = Response(
            status: StatusByte(rawValue: 1), replies: [Reply(id: 0xA6, data: [0xF9])])
        #expect(throws: DecodeError.truncated(needed: 2, had: 1)) {
            try response.value(of: .pace)
        }
    }

    @Test func countPastTheEndIsKeptAndMarked() throws {
        // Goal: a cut reply does not lose the whole frame. Method: three bytes announced, one there.
        let response = try Response(Frame(contents: [0x01, 0xB0, 0x01, 0x90, 0xA6, 0x03, 0xF9]))
        #expect(response.isTruncated)
        #expect(try response.value(of: .currentHeartRate) == 0x90)
        #expect(response.replies.last == Reply(id: 0xA6, data: [0xF9]))
        #expect(throws: DecodeError.truncated(needed: 1, had: 0)) {
            try Response(Frame(contents: []))
        }
    }
}

@Suite struct ReplyValueTests {
    /// Puts a value into a response and reads it again, through each door the query has.
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

    @Test func publicValues() throws {
        // Goal: simulator and gateway agree. Method: each public value there and back.
        try check(.status, StatusByte(rawValue: 0x81))
        try check(.version, VersionReply(hardware: 0x0154, software: 0xF0F1))
        try check(.userID, "00000")
        try check(.serial, "430070439")
        try check(.units, 0)
        try check(.odometer, UnitValue(0x0102_0304, .meters))
        try check(.errorCode, ErrorCodeReply(0x01_0203))
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
        #expect(WorkTimeReply(hours: 1, minutes: 2, seconds: 3).totalSeconds == 3723)
    }

    @Test func configurationValues() throws {
        // Goal: simulator and gateway agree. Method: each value there and back through both doors.
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

    @Test func dataValues() throws {
        // Goal: simulator and gateway agree. Method: each value there and back through both doors.
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

    @Test func byteOrdersOfTheExceptions() {
        // Goal: rest time and heart beats are little-endian everywhere. Method: bytes of the reply.
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

    @Test func sampleCountPastTheEndThrows() throws {
        // Goal: a lying count is an error. Method: 34 bytes claimed in a reply of 33.
        let reply = Reply(id: 0x6B, data: [34] + [UInt8](repeating: 0, count: 32))
        let response = Response(
            status: StatusByte(rawValue: 1), replies: [Reply(.userConfiguration, [reply])])
        #expect(throws: DecodeError.truncated(needed: 35, had: 33)) {
            try response.value(of: .forcePlot(byteCount: 32))
        }
    }
}

private func response(_ hex: String) throws -> Response {
    try response(try #require(hexBytes(hex)))
}

private func response(_ bytes: [UInt8]) throws -> Response {
    try Response(try Frame(decoding: bytes))
}
