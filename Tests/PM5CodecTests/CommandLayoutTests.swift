import Bytes
import Testing

@testable import PM5Codec

/// The bytes of every command, derived by hand from the tables of the Concept2 CSAFE definition (rev 0.25):
/// ID, byte count, data. Round trips alone would not find swapped IDs or fields.
@Suite struct CommandLayoutTests {
    @Test(
        arguments: [
            (.reset, "81"), (.goIdle, "82"), (.goHaveID, "83"), (.goInUse, "85"),
            (.goFinished, "86"), (.goReady, "87"), (.badID, "88"),
            (.autoUpload(configuration: 0x10), "01 01 10"), (.idDigits(5), "10 01 05"),
            (.setTime(hour: 13, minute: 14, second: 15), "11 03 0D 0E 0F"),
            (.setDate(yearsSince1900: 126, month: 11, day: 21), "12 03 7E 0B 15"),
            (.setTimeout(seconds: 9), "13 01 09"),
            (.setWorkTime(hours: 9, minutes: 58, seconds: 57), "20 03 09 3A 39"),
            (.setHorizontal(0x1234, .meters), "21 03 34 12 24"),
            (.setCalories(0x0102), "23 02 02 01"),
            (.setProgram(.favorite1), "24 02 0B 00"), (.setPower(300, .watts), "34 03 2C 01 58"),
            (.other(id: 0xA6, data: []), "A6"), (.other(id: 0x70, data: [0]), "70 01 00"),
        ] as [(Command, String)])
    func encodesPublicCommands(command: Command, hex: String) {
        // IDs, counts and data order; numbers are little-endian.
        #expect(Frame(command).contents == hexBytes(hex))
    }

    private static let sensor = HeartRateSensor(manufacturer: 0x0A, deviceType: 0x78)
    private static let clock = MonitorClock(
        hour12: 7, minute: 8, isAfternoon: true, month: 9, day: 10, year: 2026)
    private static let game = GameParameters(
        game: .targetBasic, duration: 1, split: 2, targetPaceCentisecondsPer500m: 3,
        targetPowerWatts: 4, targetCaloriesPerHour: 5, targetStrokeRatePerMinute: 6)
    private static let race = RaceControlParameters(
        restToWorkTransitionSeconds: 1, undefinedRestIntervalSeconds: 2, promptSeconds: 3,
        timeCapSeconds: 4)

    @Test(
        arguments: [
            (.workoutType(.fixedCalorieInterval), "01 01 0C"),
            (.workoutDuration(.calories, 100), "03 05 40 00 00 00 64"),
            (.restDuration(seconds: 595), "04 02 02 53"),
            (.splitDuration(.wattMinutes, 0x0102_0304), "05 05 C0 01 02 03 04"),
            (.targetPace(centisecondsPer500m: 12_000), "06 04 00 00 2E E0"),
            (.screenState(.workout, .virtualKeyE), "13 02 01 33"),
            (.configureWorkout(.disable), "14 01 00"), (.configureWorkout(.enable), "14 01 01"),
            (.targetAveragePower(watts: 300), "15 02 01 2C"),
            (.targetCalories(perHour: 900), "16 02 03 84"),
            (.intervalType(.caloriesUndefinedRest), "17 01 07"),
            (.workoutIntervalCount(49), "18 01 31"), (.displayUpdateRate(4), "19 01 04"),
            (.dateTime(clock), "22 07 07 08 01 09 0A 07 EA"), (.languageType(5), "23 01 05"),
            (.screenErrorMode(1), "27 01 01"),
            (.heartRateMonitor(sensor, number: 0x0102), "2B 04 0A 78 01 02"),
            (.heartRateBelt(user: 3, sensor, number: 0x0102), "2D 05 03 0A 78 01 02"),
            (
                .gameParameters(game),
                "38 16 03 00000001 00000002 00000003 00000004 00000005 06"
            ),
            (
                .extendedHeartRateBelt(unused: 0, sensor, number: 0x0102_0304),
                "39 07 00 0A 78 01 02 03 04"
            ),
            (
                .extendedHeartRateMonitor(sensor, number: 0x0102_0304), "3A 06 0A 78 01 02 03 04"
            ),
            (.backlight(state: 1, percent: 50), "3B 02 01 32"),
            (.raceControl(race), "3E 0C 0001 0002 00000003 00000004"),
        ] as [(ProprietaryCommand, String)])
    func encodesSetCommands(command: ProprietaryCommand, hex: String) throws {
        // Numbers are big-endian inside 0x76; inside 0x1A the ID and count are the same.
        let expected = try #require(hexBytes(hex))
        let big = Frame(.wrapped(.setConfiguration, [command])).contents
        #expect(big == [0x76, UInt8(expected.count)] + expected)
        #expect(command.id == expected[0])
        let little = Frame(.wrapped(.userConfiguration, [command])).contents
        #expect(little[2...3] == big[2...3] && little.count == big.count)
    }

    @Test func wrappers() {
        // The five wrappers of the definition.
        let numbers: [(Wrapper, UInt8)] = [
            (.userConfiguration, 0x1A), (.setConfiguration, 0x76), (.setData, 0x77),
            (.getConfiguration, 0x7E), (.getData, 0x7F),
        ]
        for (wrapper, number) in numbers { #expect(wrapper.rawValue == number) }
        #expect(Wrapper.allCases.filter { $0.byteOrder == .little } == [.userConfiguration])
    }
}

/// The frame of a query and the decoder of its answer, without its type.
private struct Question: Sendable, CustomTestStringConvertible {
    let hex: String
    let command: Command
    /// The answer as text.
    let read: @Sendable (Response) throws(DecodeError) -> String?

    init<Value>(_ hex: String, _ query: Query<Value>) {
        self.hex = hex
        command = query.command
        read = { response throws(DecodeError) in try response.value(of: query).map { "\($0)" } }
    }

    var testDescription: String { hex }
}

/// Every query, with its ID.
private let questions: [Question] = [
    // Public commands.
    Question("80", .status), Question("91", .version), Question("92", .userID),
    Question("93", .units), Question("94", .serial), Question("9B", .odometer),
    Question("9C", .errorCode), Question("A0", .publicWorkTime), Question("A1", .horizontal),
    Question("A3", .calories), Question("A4", .program), Question("A6", .pace),
    Question("A7", .cadence), Question("AB", .userInfo), Question("B0", .currentHeartRate),
    Question("B4", .power), Question("70 01 00", .linkCapabilities),
    // GETPMCFG.
    Question("7E 01 80", .firmwareVersion), Question("7E 01 81", .hardwareVersion),
    Question("7E 01 82", .hardwareAddress), Question("7E 01 84", .heartRateMonitor),
    Question("7E 01 85", .dateTime), Question("7E 01 86", .screenStatus),
    Question("7E 01 89", .workoutType), Question("7E 01 8A", .displayType),
    Question("7E 01 8B", .displayUnits), Question("7E 01 8D", .workoutState),
    Question("7E 01 8E", .intervalType), Question("7E 01 8F", .operationalState),
    Question("7E 01 92", .powerUpState), Question("7E 01 93", .rowingState),
    Question("7E 01 97", .batteryLevelPercent), Question("7E 01 99", .internalLogParameters),
    Question("7E 01 9A", .productConfiguration), Question("7E 01 9F", .workoutIntervalCount),
    Question("7E 01 E8", .workoutDuration), Question("7E 01 E9", .workOther),
    Question("7E 01 EA", .extendedHeartRateMonitor), Question("7E 01 EC", .flywheelSpeed),
    Question("7E 01 ED", .ergMachineType), Question("7E 01 EF", .firmwareUpdateStatus),
    Question("7E 03 56 01 02", .heartRateBelt(user: 2)),
    Question("7E 03 57 01 02", .extendedHeartRateBelt(user: 2)),
    Question("7E 04 58 02 03 04", .currentLogStructure(3, splitNumber: 4)),
    // GETPMDATA.
    Question("7F 01 A0", .workTime), Question("7F 01 A1", .projectedWorkTime),
    Question("7F 01 A2", .totalRestTime), Question("7F 01 A3", .workDistance),
    Question("7F 01 A4", .totalWorkDistance), Question("7F 01 A5", .projectedWorkDistance),
    Question("7F 01 A6", .restDistance), Question("7F 01 A7", .totalRestDistance),
    Question("7F 01 A8", .strokePace), Question("7F 01 A9", .strokePowerWatts),
    Question("7F 01 AA", .strokeCaloriesPerHour), Question("7F 01 AB", .splitAveragePace),
    Question("7F 01 AC", .splitAveragePowerWatts),
    Question("7F 01 AD", .splitAverageCaloriesPerHour), Question("7F 01 AE", .splitCalories),
    Question("7F 01 AF", .totalAveragePace), Question("7F 01 B0", .totalAveragePowerWatts),
    Question("7F 01 B1", .totalAverageCaloriesPerHour), Question("7F 01 B2", .totalCalories),
    Question("7F 01 B3", .strokeRate), Question("7F 01 B4", .splitAverageStrokeRate),
    Question("7F 01 B5", .totalAverageStrokeRate), Question("7F 01 B6", .averageHeartRate),
    Question("7F 01 B7", .endingAverageHeartRate), Question("7F 01 B8", .restAverageHeartRate),
    Question("7F 01 B9", .splitTime), Question("7F 01 BA", .lastSplitTime),
    Question("7F 01 BB", .splitDistance), Question("7F 01 BC", .lastSplitDistance),
    Question("7F 01 BD", .lastRestDistance), Question("7F 01 BE", .targetPace),
    Question("7F 01 BF", .strokeState), Question("7F 01 C0", .strokeRateState),
    Question("7F 01 C1", .dragFactor), Question("7F 01 C3", .heartRateState),
    Question("7F 01 C8", .errorType), Question("7F 01 C9", .errorValue),
    Question("7F 01 CA", .statusType), Question("7F 01 CB", .statusValue),
    Question("7F 01 CF", .restTime),
    Question("7F 07 6A 05 01 02 03 04 40", .internalLogMemory(address: 0x0102_0304, byteCount: 64)),
    Question("7F 03 6B 01 20", .forcePlot(byteCount: 32)),
    Question("7F 03 6C 01 20", .heartBeats(byteCount: 32)),
    Question("7F 03 6D 01 00", .userInterfaceEvents), Question("7F 03 6E 01 00", .strokeStatistics),
    Question("7F 03 72 01 00", .currentWorkoutHash), Question("7F 03 78 01 00", .gameScore),
]

@Suite struct QueryLayoutTests {
    @Test(arguments: questions)
    fileprivate func requests(_ question: Question) {
        // IDs typed from the definition.
        #expect(Frame(question.command).contents == hexBytes(question.hex))
    }

    @Test(arguments: questions)
    fileprivate func rejectsShortAnswers(_ question: Question) throws {
        // Each query is answered with 0, 1, 2, ... bytes of FF, up to the first length that it accepts.
        // Every error reports the actual length.
        let contents = Frame(question.command).contents
        let wrapper = Wrapper(rawValue: contents[0])
        let id = wrapper == nil ? contents[0] : contents[2]
        for length in 0...70 {
            let reply = Reply(id: id, data: [UInt8](repeating: 0xFF, count: length))
            let response = Response(
                status: StatusByte(rawValue: 1),
                replies: [wrapper.map { Reply($0, [reply]) } ?? reply])
            let value = Result { () throws(DecodeError) in try question.read(response) }
            switch value {
            case .success(let text?):
                #expect(length > 0 || text.isEmpty, "only a text can be empty")
                return
            case .success(nil): Issue.record("no answer found")
            case .failure(.truncated(let needed, let had)): #expect(had <= length && needed > had)
            case .failure(.unknownCharacteristic): Issue.record("no characteristic is read here")
            }
        }
        // Answers with a count claim 255 bytes of FF, which never come.
        #expect([0x58, 0x6A, 0x6B, 0x6C].contains(id))
    }
}

/// Fields of replies, derived by hand from the definition.
@Suite struct ReplyLayoutTests {
    private func value<Value>(of query: Query<Value>, _ hex: String) throws -> Value? {
        let data = try #require(hexBytes(hex))
        let reply = Reply(id: query.id, data: data)
        let response = Response(
            status: StatusByte(rawValue: 1),
            replies: [query.wrapper.map { Reply($0, [reply]) } ?? reply])
        return try response.value(of: query)
    }

    @Test func decodesPublicAnswers() throws {
        // All bytes differ; least significant byte first.
        #expect(
            try value(of: .version, "16 02 05 54 01 14 00")
                == VersionReply(hardware: 340, software: 20)
        )
        #expect(try value(of: .userID, "3132333435") == "12345")
        #expect(try value(of: .odometer, "04030201 24") == UnitValue(0x0102_0304, .meters))
        #expect(try value(of: .errorCode, "03 02 01") == ErrorCodeReply(code: 0x01_0203))
        #expect(
            try value(of: .publicWorkTime, "01 02 03")
                == WorkTimeReply(hours: 1, minutes: 2, seconds: 3))
        #expect(try value(of: .horizontal, "D0 07 24") == UnitValue(2000, .meters))
        #expect(try value(of: .calories, "2C 01") == 300)
        #expect(try value(of: .cadence, "1C 00 54") == UnitValue(28, .strokesPerMinute))
        #expect(
            try value(of: .userInfo, "AF 00 27 1E 01")
                == UserInfoReply(weight: UnitValue(175, .unrecognized(0x27)), age: 30, gender: 1))
        #expect(
            try value(of: .linkCapabilities, "78 60 32")
                == CapabilitiesReply(
                    maximumReceiveBytes: 120, maximumSendBytes: 96, minimumFrameGap: 50))
    }

    @Test func decodesConfigurationAnswers() throws {
        // All bytes differ; most significant byte first.
        let sensor = HeartRateSensor(manufacturer: 0x0A, deviceType: 0x78)
        #expect(
            try value(of: .firmwareVersion, "30303031363800000000000000000000")
                == VersionText("000168"))
        #expect(try value(of: .hardwareAddress, "19 A2 6A A7") == 430_074_535)
        #expect(
            try value(of: .heartRateMonitor, "02 0A 78 01 02")
                == HeartRateChannel(status: .paired, sensor: sensor, number: 0x0102))
        #expect(
            try value(of: .extendedHeartRateMonitor, "01 0A 78 01 02 03 04")
                == HeartRateChannel(status: .discovery, sensor: sensor, number: 0x0102_0304))
        #expect(
            try value(of: .heartRateBelt(user: 3), "03 0A 78 01 02")
                == HeartRateBeltReply(user: 3, sensor: sensor, number: 0x0102))
        #expect(
            try value(of: .extendedHeartRateBelt(user: 3), "03 0A 78 01 02 03 04")
                == HeartRateBeltReply(user: 3, sensor: sensor, number: 0x0102_0304))
        #expect(
            try value(of: .dateTime, "07 08 01 09 0A 07 EA")
                == MonitorClock(
                    hour12: 7, minute: 8, isAfternoon: true, month: 9, day: 10, year: 2026))
        #expect(
            try value(of: .internalLogParameters, "01 02 03 04 00 D4")
                == LogParametersReply(startAddress: 0x0102_0304, lastEntryBytes: 212))
        #expect(
            try value(of: .productConfiguration, "02 7A 00 A8 05 06 00 00 00 00")
                == ProductConfigurationReply(
                    hardware: 634, software: 168, softwareBuild: 5, displayMaker: 6))
        #expect(
            try value(of: .workoutDuration, "40 00 00 00 64")
                == WorkoutDurationReply(type: .calories, amount: 100))
        #expect(try value(of: .flywheelSpeed, "01 2C") == 300)
        #expect(
            try value(of: .firmwareUpdateStatus, "00 01 00 02")
                == FirmwareUpdateReply(infoType: 1, status: 2))
        #expect(
            try value(of: .currentLogStructure(3, splitNumber: 4), "03 04 02 AA BB")
                == LogStructureReply(structure: 3, splitNumber: 4, bytes: [0xAA, 0xBB]))
    }

    @Test func decodesDataAnswers() throws {
        // All bytes differ; stale bytes follow the samples.
        #expect(try value(of: .workTime, "00 00 16 8A") == WorkAmount(base: 5770, fraction: nil))
        #expect(try value(of: .totalWorkDistance, "00 00 07 D0") == 2000)
        #expect(try value(of: .restDistance, "01 2C") == 300)
        #expect(try value(of: .restTime, "2C 01") == 300)
        #expect(
            try value(of: .strokeStatistics, "03E3 46 00B4 7C 0002 07F5 0009 04DD 0EE7")
                == StrokeStatistics(
                    strokeDistanceCentimeters: 995, driveCentiseconds: 70,
                    recoveryCentiseconds: 180, driveLengthCentimeters: 124, driveCounter: 2,
                    peakForceTenthsOfPound: 2037, impulse: 9, averageForceTenthsOfPound: 1245,
                    workPerStrokeDecijoules: 3815))
        let stale = String(repeating: "EE", count: 28)
        #expect(
            try value(of: .forcePlot(byteCount: 32), "04 0102 0304" + stale)
                == SampleBlock([0x0102, 0x0304]))
        #expect(
            try value(of: .heartBeats(byteCount: 32), "04 0102 0304" + stale)
                == SampleBlock([0x0201, 0x0403]))
        #expect(
            try value(of: .internalLogMemory(address: 0, byteCount: 64), "03 010203" + stale)
                == LogMemoryReply([1, 2, 3]))
        #expect(
            try value(of: .currentWorkoutHash, "0102030405060708 0000000000000000")
                == WorkoutHashReply([1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(
            try value(of: .gameScore, "02 01 2C") == GameScoreReply(game: .dart, score: 300))
    }
}
