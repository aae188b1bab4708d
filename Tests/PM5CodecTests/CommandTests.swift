import Bytes
import TestSupport
import Testing

@testable import PM5Codec

@Suite struct CommandTests {
    @Test(
        arguments: [
            (
                [.goReady, .setHorizontal(1000, .meters), .setProgram(.programmed)],
                "F1 87 21 03 E8 03 24 24 02 00 00 85 C9 F2"
            ),
            (
                [.goReady, .setHorizontal(2000, .meters), .setProgram(.programmed)],
                "F1 87 21 03 D0 07 24 24 02 00 00 85 F5 F2"
            ),
        ] as [([Command], String)])
    func encodesPublicPieceAsUsedOnHardware(commands: [Command], hex: String) {
        // GOREADY first, GOINUSE last.
        #expect(Frame(commands: commands + [.goInUse]).bytes == hexBytes(hex))
    }

    @Test func encodesSplitInUserConfigurationLittleEndian() {
        // The two public samples of the document.
        let distance = Frame(
            .setHorizontal(2, .kilometers),
            .wrapped(.userConfiguration, [.splitDuration(.distance, 500)]),
            .setPower(200, .watts), .setProgram(.programmed))
        #expect(
            distance.bytes
                == hexBytes(
                    "F1 21 03 02 00 21 1A 07 05 05 80 F4 01 00 00 34 03 C8 00 58 24 02 00 00 E8 F2")
        )
        let time = Frame(
            .setWorkTime(hours: 0, minutes: 20, seconds: 0),
            .wrapped(.userConfiguration, [.splitDuration(.time, 24_000)]),
            .setPower(100, .watts), .setProgram(.programmed))
        #expect(
            time.bytes
                == hexBytes(
                    "F1 20 03 00 14 00 1A 07 05 05 00 C0 5D 00 00 34 03 64 00 58 24 02 00 00 9A F2")
        )
    }

    @Test func encodesPresetAndClock() {
        // A standard list workout, and the clock as an app set it (laberning/openrowingmonitor#93), with
        // hour 0 for twelve.
        #expect(Frame(.setProgram(.standard3)).bytes == hexBytes("F1 24 02 03 00 25 F2"))
        let clock = MonitorClock(
            hour12: 0, minute: 31, isAfternoon: true, month: 11, day: 11, year: 2022)
        #expect(
            Frame(.wrapped(.setConfiguration, [.dateTime(clock)])).bytes
                == hexBytes("F1 76 09 22 07 00 1F 01 0B 0B 07 E6 A5 F2"))
        #expect(clock.hour == 12)
        #expect(MonitorClock(year: 2022, month: 1, day: 2, hour: 0, minute: 5).hour12 == 12)
        for hour in UInt8(0)..<24 {
            let clock = MonitorClock(year: 2026, month: 7, day: 1, hour: hour, minute: 0)
            #expect(clock.hour == hour)
            #expect((1...12).contains(clock.hour12))
        }
    }

    @Test func decodesExtendedFrameWithBelt() throws {
        // ErgZone's frame quoted in JaapvanEkris/openrowingmonitor: the checksum excludes the addresses,
        // the belt is 0x39.
        let bytes = try #require(hexBytes("F0 FD 00 77 09 39 07 00 0A 00 B0 2F CD 62 7A F2"))
        let frame = try Frame(decoding: bytes)
        let belt = ProprietaryCommand.extendedHeartRateBelt(
            unused: 0, HeartRateSensor(manufacturer: 10, deviceType: 0), number: 0xB02F_CD62)
        #expect(try Command.parse(frame.contents) == [.wrapped(.setData, [belt])])
        let reply = Response(
            status: StatusByte(toggle: false, state: .ready),
            replies: [Reply(.setData, [.acknowledging(belt)])])
        let answer = reply.frame(addresses: frame.addresses?.swapped)
        #expect(answer.bytes == hexBytes("F0 00 FD 01 77 01 39 4E F2"))
    }

    @Test(arguments: [ByteOrder.little, .big])
    func decodesEveryWrappedCommand(order: ByteOrder) throws {
        // One of each command, in both byte orders.
        let wrapper = order == .little ? Wrapper.userConfiguration : .setConfiguration
        let sensor = HeartRateSensor(manufacturer: 1, deviceType: 2)
        let commands: [ProprietaryCommand] = [
            .workoutType(.variableInterval), .workoutDuration(.distance, 0x0102_0304),
            .restDuration(seconds: 0x0102), .splitDuration(.time, 0x0102_0304),
            .targetPace(centisecondsPer500m: 0x0102_0304), .screenState(.workout, .virtualKeyD),
            .configureWorkout(.enable), .targetAveragePower(watts: 0x0102),
            .targetCalories(perHour: 0x0102), .intervalType(.none), .workoutIntervalCount(3),
            .displayUpdateRate(4), .languageType(5), .screenErrorMode(6),
            .dateTime(MonitorClock(year: 2026, month: 7, day: 15, hour: 18, minute: 5)),
            .heartRateMonitor(sensor, number: 0x0102),
            .heartRateBelt(user: 1, sensor, number: 0x0102),
            .extendedHeartRateBelt(unused: 0, sensor, number: 0x0102_0304),
            .extendedHeartRateMonitor(sensor, number: 0x0102_0304),
            .backlight(state: 1, percent: 50),
            .gameParameters(
                GameParameters(
                    game: .fish, duration: 1, split: 2, targetPaceCentisecondsPer500m: 3,
                    targetPowerWatts: 4, targetCaloriesPerHour: 5, targetStrokeRatePerMinute: 6)),
            .raceControl(
                RaceControlParameters(
                    restToWorkTransitionSeconds: 1, undefinedRestIntervalSeconds: 2,
                    promptSeconds: 3, timeCapSeconds: 4)),
            .other(id: 0xE0, data: []), .other(id: 0x4F, data: [1, 2, 3]),
        ]
        let frame = Frame(.wrapped(wrapper, commands))
        #expect(try Command.parse(frame.contents) == [.wrapped(wrapper, commands)])
    }

    @Test func decodesEveryPublicCommand() throws {
        // One of each command.
        let commands: [Command] = [
            .reset, .goIdle, .goHaveID, .goInUse, .goFinished, .goReady, .badID,
            .autoUpload(configuration: 0x10), .idDigits(5), .setTime(hour: 1, minute: 2, second: 3),
            .setDate(yearsSince1900: 126, month: 7, day: 15), .setTimeout(seconds: 9),
            .setWorkTime(hours: 9, minutes: 59, seconds: 59), .setHorizontal(0x0102, .meters),
            .setCalories(0x0102), .setProgram(.favorite5), .setPower(0x0102, .watts),
            .other(id: 0x80, data: []), .other(id: 0x70, data: [0]),
        ]
        #expect(try Command.parse(Frame(commands: commands).contents) == commands)
    }

    @Test func preservesMalformedCommands() throws {
        // One byte too few and one too many, between valid commands. A monitor ignores such a command.
        let contents = try #require(hexBytes("76 0A 03 01 80 01 02 03 00 14 01 01 21 02 E8 03"))
        #expect(
            try Command.parse(contents) == [
                .wrapped(
                    .setConfiguration,
                    [
                        .other(id: 0x03, data: [0x80]), .other(id: 0x01, data: [3, 0]),
                        .configureWorkout(.enable),
                    ]),
                .other(id: 0x21, data: [0xE8, 0x03]),
            ])
    }

    @Test func preservesSecondByteOfProgramNumber() throws {
        // 24 02 03 01: the documented second byte is zero.
        let commands = try Command.parse([0x24, 0x02, 0x03, 0x01])
        #expect(commands == [.other(id: 0x24, data: [0x03, 0x01])])
    }

    @Test func throwsForTruncatedCommands() {
        // Every truncation of two commands.
        let contents: [UInt8] = [0x87, 0x76, 0x07, 0x01, 0x01, 0x01, 0x13, 0x02, 0x01, 0x01]
        for length in 2..<contents.count {
            #expect(throws: DecodeError.self) { try Command.parse(Array(contents.prefix(length))) }
        }
        #expect(throws: DecodeError.self) { try Command.parse([0x76, 0x02, 0x01, 0x04]) }
    }

    @Test(arguments: [21, 22] as [UInt64])
    func neverTrapsOnRandomContents(seed: UInt64) throws {
        // Random contents with many IDs and small counts. Whatever can be parsed encodes to the same bytes.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let ids: [UInt8] = [0x1A, 0x76, 0x77, 0x7E, 0x7F, 0x03, 0x05, 0x22, 0x6B, 0x81, 0x21, 0xC1]
        for _ in 0..<20_000 {
            let contents = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...8, using: &generator)
                    : ids.randomElement(using: &generator) ?? 0
            }
            _ = FrameReport.fields(of: Frame(contents: contents).bytes, from: .monitor)
            guard let commands = try? Command.parse(contents) else { continue }
            #expect(Frame(commands: commands).contents == contents)
        }
    }
}
