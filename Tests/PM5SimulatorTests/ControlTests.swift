import Bytes
import Testing

@testable import PM5Codec
@testable import PM5Simulator

extension ErgRun {
    /// Sends a frame in pieces of 20 bytes and returns the answers of the next two seconds.
    @discardableResult
    mutating func exchange(_ wire: [UInt8], forSeconds seconds: Int = 2) throws -> [Frame] {
        for start in stride(from: 0, to: wire.count, by: 20) {
            erg.write(Array(wire[start..<min(start + 20, wire.count)]), to: .csafeIn)
        }
        var parser = FrameParser()
        var frames: [Frame] = []
        let end = erg.now + seconds * 1000
        while erg.now < end {
            for output in erg.step(to: min(erg.nextMilliseconds, end)) {
                switch output {
                case .notification(.csafeOut, let bytes):
                    #expect(bytes.count <= 20)
                    for case .frame(let frame) in parser.consume(bytes) where frames.last != frame {
                        frames.append(frame)
                    }
                case .truth(let record): truth.append(record)
                case .notification: break
                }
            }
        }
        return frames
    }

    mutating func exchange(_ commands: Command...) throws -> Response {
        let frames = try exchange(Frame(commands: commands).bytes)
        return try Response(try #require(frames.first))
    }

    mutating func value<Value>(of query: Query<Value>) throws -> Value? {
        try exchange(query.command).value(of: query)
    }
}

@Suite struct ControlTests {
    /// An unused erg: its client subscribes to the control characteristic only.
    private func parked(generation: MonitorGeneration = .new) throws -> ErgRun {
        var run = try ErgRun("just-row", generation: generation, subscribe: [.csafeOut])
        try run.run(forSeconds: 1)
        return run
    }

    /// An erg on which a workout is being rowed for ten seconds.
    private func rowing(_ workout: String) throws -> ErgRun {
        var run = try ErgRun(workout)
        try run.run(forSeconds: 12)
        return run
    }

    private static let published: [(String, Workout)] = [
        (
            "f17618010103030580000007d005058000000190140101130201 0128f2",
            Workout(
                .fixedDistanceWithSplits, [WorkoutInterval(.meters(2000))], splitLength: 400)
        ),
        (
            "f17611010102030580000007d014010113020101 31f2",
            Workout(.fixedDistanceWithoutSplits, [WorkoutInterval(.meters(2000))])
        ),
        (
            "f1761801010503050000 02bf200505000000 8ca01401011302 0101d9f2",
            Workout(
                .fixedTimeWithSplits, [WorkoutInterval(.centiseconds(180_000))],
                splitLength: 36_000)
        ),
        (
            "f17615010107030580000001f40402003c14010113020101 28f2",
            Workout(.fixedDistanceInterval, [WorkoutInterval(.meters(500), rest: .seconds(60))])
        ),
        (
            "f1761501010c0305400000001904 02000c140101130201013ff2",
            Workout(.fixedCalorieInterval, [WorkoutInterval(.calories(25), rest: .seconds(12))])
        ),
        (
            "f1762f180100010108170101030580000001f40402003c140101180101170100030500000 02ee004"
                + "02005a140101130201019df2",
            Workout(
                .variableInterval,
                [
                    WorkoutInterval(.meters(500), rest: .seconds(60)),
                    WorkoutInterval(.centiseconds(12_000), rest: .seconds(90)),
                ])
        ),
        (
            "f176451801000101081701040305800000006404020000060400 0032c8140101180101170103030500"
                + "00002ee0040200000604000032c81401010101090505800000000013020101 8ff2",
            Workout(
                .variableIntervalUndefinedRest,
                [
                    WorkoutInterval(
                        .meters(100), rest: .undefined, targetPaceCentisecondsPer500m: 13_000),
                    WorkoutInterval(
                        .centiseconds(12_000), rest: .undefined,
                        targetPaceCentisecondsPer500m: 13_000),
                ])
        ),
        (
            "f1761e01010303058000000 7d00505800000019006040000 2ee014010113020101e2f2",
            Workout(
                .fixedDistanceWithSplits,
                [WorkoutInterval(.meters(2000), targetPaceCentisecondsPer500m: 12_000)],
                splitLength: 400)
        ),
        ("f176070101011302010161f2", .justRow),
    ]

    @Test("published frames arm what they say", arguments: published)
    func publishedFramesArmTheirWorkout(_ hex: String, _ expected: Workout) throws {
        // Worked frames of the CSAFE definition, with corrected checksums.
        var run = try parked()
        let wire = try bytes(ofHex: hex)
        let answers = try run.exchange(wire)
        #expect(try Response(try #require(answers.first)).status.isAccepted)
        #expect(run.erg.workout == expected)
        #expect(run.erg.state == .waitToBegin)
    }

    @Test func targetPaceCanBeQueried() throws {
        // A worked frame of the CSAFE definition sets 2:00.0.
        var run = try parked()
        #expect(try run.value(of: .targetPace) == 0)
        _ = try run.exchange(
            try bytes(
                ofHex: "f1761e01010303058000000 7d00505800000019006040000 2ee014010113020101e2f2"))
        #expect(try run.value(of: .targetPace) == 12_000)
    }

    @Test func answersMatchHardware() throws {
        var run = try parked()
        let wire = try bytes(
            ofHex: "f17618010103030580000007d00505800000019014010113020101 28f2")
        let answers = try run.exchange(wire)
        #expect(hexadecimal(try #require(answers.first).bytes) == "f18176050103051413f302f2")
        #expect(try run.exchange(.other(id: 0x80, data: [])).status.rawValue == 0x01)
        #expect(try run.exchange([0xF1, 0x00, 0xF2]).first?.contents == [0x81])
        let identity = try run.exchange(
            .wrapped(.userConfiguration, [.get(.strokeState)]), Query<VersionReply>.version.command)
        #expect(hexadecimal(identity.frame().contents) == "011a03bf010191071602057a02b000")
    }

    @Test func answersExtendedFramesToTheirSender() throws {
        // A frame that ErgZone sent; the checksum excludes the addresses.
        var run = try parked()
        let wire = try bytes(ofHex: "f0fd00770939070 00a00b02fcd627af2")
        let answer = try #require(try run.exchange(wire).first)
        #expect(answer.addresses == Frame.Addresses(destination: 0, source: 0xFD))
        #expect(Array(answer.contents.dropFirst()) == [0x77, 0x01, 0x39])
    }

    @Test func damagedFramesGetStatusBad() throws {
        var run = try parked()
        let good = try bytes(ofHex: "f176070101011302010161f2")
        var wire = good
        wire[4] ^= 1
        let answer = try Response(try #require(try run.exchange(wire).first))
        #expect(answer.status.previousFrame == .bad && !answer.status.toggle)
        let truncated = Frame(contents: [0x76, 0x20, 0x01])
        #expect(
            try Response(try #require(try run.exchange(truncated.bytes).first))
                .status.previousFrame == .bad)
        let long = Frame(contents: [UInt8](repeating: 0x80, count: 118))
        #expect(
            try Response(try #require(try run.exchange(long.bytes).first))
                .status.previousFrame == .bad)
    }

    private static let refused: [[ProprietaryCommand]] = [
        [.workoutType(.fixedDistanceWithoutSplits), .workoutDuration(.distance, 99)],
        [.workoutType(.fixedTimeWithoutSplits), .workoutDuration(.time, 1999)],
        [.workoutType(.fixedTimeWithoutSplits), .workoutDuration(.distance, 2000)],
        [
            .workoutType(.fixedDistanceWithSplits), .workoutDuration(.distance, 2000),
            .splitDuration(.distance, 2001),
        ],
        [
            .workoutType(.fixedDistanceInterval), .workoutDuration(.distance, 500),
            .restDuration(seconds: 596),
        ],
        [.workoutType(.fixedWattMinutesWithSplits), .workoutDuration(.wattMinutes, 100)],
        [.workoutIntervalCount(1)],
        [.workoutType(.variableInterval)],
        // The order matters: the type comes first, and a piece has a length.
        [.workoutDuration(.distance, 2000), .workoutType(.fixedDistanceWithoutSplits)],
        [.workoutType(.fixedDistanceWithoutSplits)],
        [
            .workoutIntervalCount(0), .workoutType(.variableInterval),
            .intervalType(.distance), .restDuration(seconds: 60),
        ],
        // An undefined rest has no seconds.
        [
            .workoutIntervalCount(0), .workoutType(.variableInterval),
            .intervalType(.distanceUndefinedRest), .workoutDuration(.distance, 500),
            .restDuration(seconds: 60),
        ],
    ]

    @Test("values outside the limits are refused", arguments: refused)
    func rejectsValuesOutsideLimits(_ commands: [ProprietaryCommand]) throws {
        var run = try parked()
        let before = run.erg.workout
        let response = try run.exchange(
            .wrapped(
                .setConfiguration,
                commands + [
                    .configureWorkout(.enable), .screenState(.workout, .prepareToRowWorkout),
                ]))
        #expect(response.status.previousFrame == .reject && response.replies.isEmpty)
        #expect(run.erg.workout == before)
    }

    @Test func acceptsFiftyIntervalsInManyFrames() throws {
        // A rest of 4:00 needs byte stuffing.
        var run = try parked()
        let intervals = (0..<50).map { index in
            WorkoutProgram.Interval(.meters(UInt32(100 + index)), rest: .seconds(240))
        }
        for frame in try WorkoutProgram(.intervals(intervals)).frames() {
            let answer = try Response(try #require(try run.exchange(frame.bytes).first))
            #expect(answer.status.isAccepted)
        }
        #expect(run.erg.workout.intervals.count == 50)
        #expect(run.erg.workout.intervals[49].rest == .seconds(240))
        #expect(run.erg.workout.intervals[49].goal == .meters(149))
    }

    private static let undefinedRest: [ProprietaryCommand] = [
        .workoutIntervalCount(0), .workoutType(.variableInterval),
        .intervalType(.distanceUndefinedRest), .workoutDuration(.distance, 500),
        .restDuration(seconds: 0), .configureWorkout(.enable),
    ]

    private static let halfPrograms: [[ProprietaryCommand]] = [
        [.workoutType(.fixedDistanceWithoutSplits), .workoutDuration(.distance, 2000)],
        undefinedRest, undefinedRest + [.workoutType(.variableIntervalUndefinedRest)],
        undefinedRest + [.splitDuration(.distance, 0)],
        [],
    ]

    @Test(arguments: halfPrograms)
    func incompleteProgramArmsNothing(_ commands: [ProprietaryCommand]) throws {
        // The host omits CONFIGURE_WORKOUT, or the type or the split of undefined rests. All
        // commands are acknowledged.
        var run = try parked()
        let response = try run.exchange(
            .wrapped(
                .setConfiguration, commands + [.screenState(.workout, .prepareToRowWorkout)]))
        #expect(response.status.isAccepted)
        #expect(run.erg.workout == .justRow)
    }

    @Test func rejectsRequestBeforeAnswerOrWithin50Milliseconds() throws {
        // Two programs at once; the first is armed, and the second after it is sent again.
        var run = try parked()
        func frame(_ meters: UInt32) throws -> [UInt8] {
            try #require(try WorkoutProgram(.single(.meters(meters), split: nil)).frames().first)
                .bytes
        }
        let answers = try run.exchange(frame(2000) + frame(5000), forSeconds: 4)
        let states = try answers.map { try Response($0).status }
        #expect(states.map(\.previousFrame) == [.ok, .notReady])
        #expect(states[0].toggle == states[1].toggle)
        #expect(run.erg.workout.intervals == [WorkoutInterval(.meters(2000))])
        let secondAttempt = try Response(try #require(try run.exchange(frame(5000)).first))
        #expect(secondAttempt.status.isAccepted && secondAttempt.status.toggle != states[0].toggle)
        #expect(run.erg.workout.intervals == [WorkoutInterval(.meters(5000))])
    }

    @Test func statusShowsOldWorkoutFirst() throws {
        // One packet later it still shows the old duration.
        var run = try ErgRun("wait", subscribe: [.csafeOut, .generalStatus])
        try run.run(forSeconds: 1)
        run.sent = []
        let frame = try #require(
            try WorkoutProgram(.single(.centiseconds(60_000), split: nil)).frames().first)
        for byte in frame.bytes { run.erg.write([byte], to: .csafeIn) }
        try run.run(forSeconds: 5)
        let shown = run.statuses
        let new = try #require(shown.firstIndex { $0.workoutType == .fixedTimeWithoutSplits })
        #expect(shown[new].workoutDuration == 0 && shown[new].durationType == .distance)
        #expect(shown[new + 1].workoutDuration == 60_000 && shown[new + 1].durationType == .time)
    }

    @Test func acceptsProgramsInFourStates() throws {
        let program = try #require(
            try WorkoutProgram(.single(.meters(2000), split: nil)).frames().first)
        for (command, isAccepted) in [
            (Command.goReady, true), (.goIdle, true), (.goInUse, true), (.goHaveID, false),
        ] {
            var run = try parked()
            for byte in Frame(command).bytes { run.erg.write([byte], to: .csafeIn) }
            try run.run(forSeconds: 2)
            let answer = try Response(try #require(try run.exchange(program.bytes).first))
            #expect(answer.status.isAccepted == isAccepted, "\(command)")
        }
    }

    @Test func ignoresUnknownCommands() throws {
        var run = try parked()
        let response = try run.exchange(
            .other(id: 0x99, data: []), .wrapped(.userConfiguration, [.get(.strokeState)]),
            .other(id: 0x7B, data: [1, 2]))
        #expect(response.status.isAccepted && response.replies.count == 1)
    }

    @Test func screenCommandIsQueued() throws {
        var run = try parked()
        for byte in Frame(.terminateWorkout).bytes { run.erg.write([byte], to: .csafeIn) }
        #expect(run.erg.control.screens == [.terminateWorkout])
        try run.run(forSeconds: 2)
        let status = try #require(try run.value(of: .screenStatus))
        #expect(status.status == .inactive && status.value == .terminateWorkout)
    }

    @Test func rejectsProgramDuringManualPiece() throws {
        // After terminate and state 0, the same frames arm.
        var run = try rowing("5000m")
        let frame = try #require(
            try WorkoutProgram(.single(.meters(2000), split: nil)).frames().first)
        let refused = try Response(try #require(try run.exchange(frame.bytes).first))
        #expect(refused.status.previousFrame == .reject && refused.status.state == .offline)
        #expect(run.erg.state == .workoutRow)
        let stopped = try run.exchange(.terminateWorkout)
        #expect(stopped.status.isAccepted && stopped.acknowledgedIDs == [0x13])
        run.sent = []
        try run.run(forSeconds: 3)
        #expect(run.states.last == 0)
        #expect(run.statuses.last?.distanceDecimeters == 0)
        #expect(try Response(try #require(try run.exchange(frame.bytes).first)).status.isAccepted)
        #expect(run.erg.workout.type == .fixedDistanceWithoutSplits)
    }

    @Test func programDuringProgrammedPieceArmsEmptyWorkout() throws {
        // As captured on hardware.
        var run = try rowing("5000m")
        _ = try run.exchange(.terminateWorkout)
        try run.run(forSeconds: 3)
        let frame = try #require(
            try WorkoutProgram(.single(.meters(2000), split: nil)).frames().first)
        try run.exchange(frame.bytes)
        try run.run(forSeconds: 20)
        #expect(run.erg.state == .workoutRow)
        let answer = try Response(try #require(try run.exchange(frame.bytes).first))
        #expect(answer.status.isAccepted && answer.status.state == .inUse)
        run.sent = []
        try run.run(forSeconds: 1)
        let status = try #require(run.statuses.first)
        #expect(status.workoutType == .justRowWithSplits)
        #expect(status.workoutDuration == 0 && status.durationType == .distance)
    }

    @Test func terminateWorksInEveryState() throws {
        var running = try rowing("500m")
        running.sent = []
        running.erg.write([3], to: .sampleRate)
        for byte in Frame(.terminateWorkout).bytes { running.erg.write([byte], to: .csafeIn) }
        try running.run(forSeconds: 4)
        #expect(running.states == [1, 11, 13, 0])
        for byte in Frame(.terminateWorkout).bytes { running.erg.write([byte], to: .csafeIn) }
        running.sent = []
        try running.run(forSeconds: 4)
        #expect(running.states == [0, 13, 0])
        var logged = try ErgRun("100m")
        try logged.run(forSeconds: 50)
        logged.sent = []
        for byte in Frame(.terminateWorkout).bytes { logged.erg.write([byte], to: .csafeIn) }
        try logged.run(forSeconds: 4)
        #expect(logged.states == [12, 0])
    }

    @Test func fixedIntervalsRepeatIndefinitely() throws {
        var run = try ErgRun("500m", subscribe: [.csafeOut, .generalStatus, .splitData])
        _ = try run.exchange(
            .wrapped(
                .setConfiguration,
                [
                    .workoutType(.fixedDistanceInterval), .workoutDuration(.distance, 100),
                    .restDuration(seconds: 10), .configureWorkout(.enable),
                    .screenState(.workout, .prepareToRowWorkout),
                ]))
        try run.run(forSeconds: 300)
        #expect(run.splits.count > 4)
    }

    @Test func userConfigurationAndPublicCommandsArmNothing() throws {
        // Public values need GOREADY and GOINUSE.
        var run = try parked()
        let program: [ProprietaryCommand] = [
            .workoutType(.fixedDistanceInterval), .workoutDuration(.distance, 500),
            .restDuration(seconds: 60), .configureWorkout(.enable),
            .screenState(.workout, .prepareToRowWorkout),
        ]
        #expect(try run.exchange(.wrapped(.userConfiguration, program)).status.isAccepted)
        #expect(run.erg.workout == .justRow)
        _ = try run.exchange(.setHorizontal(1000, .meters), .setProgram(.programmed))
        #expect(run.erg.workout == .justRow)
        let wire = try bytes(ofHex: "f1872103e8032424020000 85c9f2")
        try run.exchange(wire)
        #expect(run.erg.workout.intervals == [WorkoutInterval(.meters(1000))])
        #expect(try run.exchange(.setHorizontal(99, .meters)).status.previousFrame == .reject)
        #expect(try run.exchange(.goFinished).status.previousFrame == .reject)
    }

    @Test func polledValuesMatchNotifications() throws {
        var run = try rowing("5000m")
        let distance = try #require(
            try run.value(of: Query<WorkAmount>.workDistance.throughUserConfiguration))
        run.sent = []
        try run.run(forSeconds: 1)
        let status = try #require(run.statuses.first)
        let total = try #require(distance.total)
        #expect(total > 100 && abs(Int(total) - Int(status.distanceDecimeters)) < 150)
        #expect(try run.value(of: .workoutState) == .workoutRow)
        #expect(try run.value(of: .workoutType) == .fixedDistanceWithSplits)
        #expect(
            try run.value(of: .workoutDuration)
                == WorkoutDurationReply(type: .distance, amount: 5000))
        #expect(try run.value(of: .hardwareAddress) == 430_000_001)
        #expect(try run.value(of: .serial) == "430000001")
        let drag = try #require(try run.value(of: .dragFactor.throughUserConfiguration))
        #expect(abs(Int(drag) - Int(status.dragFactor)) <= 2)
    }

    @Test func forceSamplesAreReturnedOnce() throws {
        // The previous drive is read to its end; then a poll every 100 ms.
        var run = try rowing("5000m")
        func poll() throws -> [UInt16] {
            let reply = run.erg.proprietaryReply(to: 0x6B, [32], in: .userConfiguration)
            let data = try #require(reply?.data)
            #expect(data.count == 33)
            return stride(from: 1, to: Int(data[0]) + 1, by: 2).map {
                UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8
            }
        }
        let stroke = try #require(run.erg.piece?.stroke)
        try #require(run.erg.now < stroke.catchMilliseconds)
        while try !poll().isEmpty {}
        var samples: [UInt16] = []
        while run.erg.now < stroke.finishMilliseconds - 150 {
            _ = run.erg.step(to: run.erg.now + 100)
            samples += try poll()
        }
        let expected = stroke.forces.map { UInt16($0) }
        #expect(samples == Array(expected.prefix(samples.count)))
        #expect((1..<expected.count).contains(samples.count))
        _ = run.erg.step(to: stroke.finishMilliseconds + 100)
        while case let rest = try poll(), !rest.isEmpty { samples += rest }
        #expect(samples == expected)
        #expect(try poll().isEmpty)
    }

    @Test func goIdleSpoilsAPendingSummary() throws {
        var run = try ErgRun("100m")
        while run.erg.state != .workoutEnd { try run.run(forSeconds: 1) }
        run.erg.write(Frame(.goIdle).bytes, to: .csafeIn)
        try run.run(forSeconds: 5)
        let summary = try #require(run.summaries.first)
        #expect(summary.distanceDecimeters == 0 && summary.workoutType == .justRowWithSplits)
        #expect(summary.knownAveragePaceDecisecondsPer500m == nil)
    }
}
