import PM5Codec
import Testing

/// Frames of the Concept2 CSAFE definition and of hardware logs.
///
/// The document has wrong checksums for 2:00/0:30 intervals, variable intervals and terminate. Here they
/// are the XOR of the bytes; hardware accepts 60 for terminate.
@Suite struct WorkoutProgramTests {
    private static let twoMinutes: UInt32 = 12_000

    @Test(
        arguments: [
            (
                .single(.meters(2000), split: .meters(400)), nil,
                """
                F1 76 18 01 01 03 03 05 80 00 00 07 D0 05 05 80 00 00 01 90 14 01 01 13 \
                02 01 01 28 F2
                """
            ),
            (
                .single(.meters(2000), split: nil), nil,
                "F1 76 11 01 01 02 03 05 80 00 00 07 D0 14 01 01 13 02 01 01 31 F2"
            ),
            (
                .single(.meters(2000), split: .meters(400)), twoMinutes,
                """
                F1 76 1E 01 01 03 03 05 80 00 00 07 D0 05 05 80 00 00 01 90 06 04 00 00 \
                2E E0 14 01 01 13 02 01 01 E2 F2
                """
            ),
            (
                .single(.centiseconds(180_000), split: .centiseconds(36_000)), nil,
                """
                F1 76 18 01 01 05 03 05 00 00 02 BF 20 05 05 00 00 00 8C A0 14 01 01 13 \
                02 01 01 D9 F2
                """
            ),
            (
                .single(.centiseconds(180_000), split: .centiseconds(30_000)), nil,
                """
                F1 76 18 01 01 05 03 05 00 00 02 BF 20 05 05 00 00 00 75 30 14 01 01 13 \
                02 01 01 B0 F2
                """
            ),
            (
                .single(.centiseconds(180_000), split: nil), nil,
                "F1 76 11 01 01 04 03 05 00 00 02 BF 20 14 01 01 13 02 01 01 FD F2"
            ),
            (
                .single(.centiseconds(120_000), split: .centiseconds(24_000)), nil,
                """
                F1 76 18 01 01 05 03 05 00 00 01 D4 C0 05 05 00 00 00 5D C0 14 01 01 13 \
                02 01 01 E0 F2
                """
            ),
            (
                .single(.calories(100), split: .calories(20)), nil,
                """
                F1 76 18 01 01 0A 03 05 40 00 00 00 64 05 05 40 00 00 00 14 14 01 01 13 \
                02 01 01 17 F2
                """
            ),
            (
                .single(.meters(499), split: .meters(499)), nil,
                """
                F1 76 18 01 01 03 03 05 80 00 00 01 F3 03 05 05 80 00 00 01 F3 03 14 01 \
                01 13 02 01 01 6E F2
                """
            ),
            (
                .repeating(.meters(500), restSeconds: 60), nil,
                """
                F1 76 15 01 01 07 03 05 80 00 00 01 F4 04 02 00 3C 14 01 01 13 02 01 01 \
                28 F2
                """
            ),
            (
                .repeating(.meters(500), restSeconds: 30), nil,
                """
                F1 76 15 01 01 07 03 05 80 00 00 01 F4 04 02 00 1E 14 01 01 13 02 01 01 \
                0A F2
                """
            ),
            (
                .repeating(.centiseconds(6000), restSeconds: 30), nil,
                """
                F1 76 15 01 01 06 03 05 00 00 00 17 70 04 02 00 1E 14 01 01 13 02 01 01 \
                19 F2
                """
            ),
            (
                .repeating(.centiseconds(twoMinutes), restSeconds: 30), nil,
                """
                F1 76 15 01 01 06 03 05 00 00 00 2E E0 04 02 00 1E 14 01 01 13 02 01 01 \
                B0 F2
                """
            ),
            (
                .repeating(.calories(25), restSeconds: 12), nil,
                """
                F1 76 15 01 01 0C 03 05 40 00 00 00 19 04 02 00 0C 14 01 01 13 02 01 01 \
                3F F2
                """
            ),
            (
                .repeating(.centiseconds(72_000), restSeconds: 240), twoMinutes,
                """
                F1 76 1B 01 01 06 03 05 00 00 01 19 40 04 02 00 F3 00 06 04 00 00 2E E0 \
                14 01 01 13 02 01 01 0A F2
                """
            ),
            (.justRow, nil, "F1 76 07 01 01 00 13 02 01 01 60 F2"),
            (.justRowWithSplits(nil), nil, "F1 76 07 01 01 01 13 02 01 01 61 F2"),
            (
                .justRowWithSplits(.meters(500)), nil,
                "F1 76 0E 01 01 01 05 05 80 00 00 01 F4 13 02 01 01 1D F2"
            ),
        ] as [(WorkoutProgram.Plan, UInt32?, String)])
    func encodesPiecesAndRepeatingIntervals(plan: WorkoutProgram.Plan, target: UInt32?, hex: String) throws {
        // Published frames of pieces and repeating intervals.
        let program = WorkoutProgram(plan, targetPaceCentisecondsPer500m: target)
        #expect(try program.frames().map(\.bytes) == [try #require(hexBytes(hex))])
    }

    @Test(
        arguments: [
            (
                [
                    Interval(.meters(500), rest: .seconds(60)),
                    Interval(.centiseconds(12_000), rest: .seconds(90)),
                ],
                """
                F1 76 2F 18 01 00 01 01 08 17 01 01 03 05 80 00 00 01 F4 04 02 00 3C 14 \
                01 01 18 01 01 17 01 00 03 05 00 00 00 2E E0 04 02 00 5A 14 01 01 13 02 \
                01 01 9D F2
                """
            ),
            (
                [
                    Interval(.meters(500), rest: .seconds(60), target: 10_000),
                    Interval(.centiseconds(18_000), rest: .seconds(0), target: 10_000),
                    Interval(.meters(1000), rest: .seconds(0), target: 10_000),
                    Interval(.centiseconds(30_000), rest: .seconds(120), target: 10_000),
                ],
                """
                F1 76 6F 18 01 00 01 01 08 17 01 01 03 05 80 00 00 01 F4 04 02 00 3C 06 \
                04 00 00 27 10 14 01 01 18 01 01 17 01 00 03 05 00 00 00 46 50 04 02 00 \
                00 06 04 00 00 27 10 14 01 01 18 01 02 17 01 01 03 05 80 00 00 03 E8 04 \
                02 00 00 06 04 00 00 27 10 14 01 01 18 01 03 17 01 00 03 05 00 00 00 75 \
                30 04 02 00 78 06 04 00 00 27 10 14 01 01 13 02 01 01 09 F2
                """
            ),
            (
                [
                    Interval(.meters(100), rest: .undefined, target: 13_000),
                    Interval(.centiseconds(12_000), rest: .undefined, target: 13_000),
                ],
                """
                F1 76 45 18 01 00 01 01 08 17 01 04 03 05 80 00 00 00 64 04 02 00 00 06 \
                04 00 00 32 C8 14 01 01 18 01 01 17 01 03 03 05 00 00 00 2E E0 04 02 00 \
                00 06 04 00 00 32 C8 14 01 01 01 01 09 05 05 80 00 00 00 00 13 02 01 01 \
                8F F2
                """
            ),
            (
                [Interval](repeating: Interval(.meters(500), rest: .seconds(60)), count: 4),
                """
                F1 76 57 18 01 00 01 01 08 17 01 01 03 05 80 00 00 01 F4 04 02 00 3C 14 \
                01 01 18 01 01 17 01 01 03 05 80 00 00 01 F4 04 02 00 3C 14 01 01 18 01 \
                02 17 01 01 03 05 80 00 00 01 F4 04 02 00 3C 14 01 01 18 01 03 17 01 01 \
                03 05 80 00 00 01 F4 04 02 00 3C 14 01 01 13 02 01 01 38 F2
                """
            ),
            (
                [
                    Interval(.meters(250), rest: .seconds(60)),
                    Interval(.meters(500), rest: .undefined),
                    Interval(.meters(750), rest: .seconds(120)),
                ],
                """
                F1 76 4D 18 01 00 01 01 08 17 01 01 03 05 80 00 00 00 FA 04 02 00 3C 14 \
                01 01 18 01 01 17 01 04 03 05 80 00 00 01 F4 04 02 00 00 14 01 01 18 01 \
                02 17 01 01 03 05 80 00 00 02 EE 04 02 00 78 14 01 01 01 01 09 05 05 80 \
                00 00 00 00 13 02 01 01 90 F2
                """
            ),
        ] as [([WorkoutProgram.Interval], String)])
    func encodesVariableIntervals(intervals: [WorkoutProgram.Interval], hex: String) throws {
        // Published frames. The second is the 4-interval set of the document, the last is from
        // jonstraveladventures/pm5-force-logger.
        let frames = try WorkoutProgram(.intervals(intervals)).frames()
        #expect(frames.map(\.bytes) == [try #require(hexBytes(hex))])
    }

    @Test func splitsFiveTargetedIntervalsIntoTwoFrames() throws {
        // Requests of a real app that a PM5 acknowledged: JamesAwesome/Ergomatic, session walk-2026-08-17
        // (vectors csafe-exchange-real-004 and csafe-exchange-enc-005).
        let intervals = [
            Interval(.centiseconds(6000), rest: .seconds(0), target: 0),
            Interval(.centiseconds(6000), rest: .seconds(30), target: 12_900),
            Interval(.centiseconds(12_000), rest: .seconds(30), target: 12_900),
            Interval(.meters(500), rest: .seconds(30), target: 12_900),
            Interval(.centiseconds(6000), rest: .seconds(0), target: 12_900),
        ]
        let vectors = try Vector.all(in: "csafe.jsonl")
        let requests = try ["csafe-exchange-real-004", "csafe-exchange-enc-005"].map { id in
            try #require(try vectors.first { $0.id == id }?.requests.first)
        }
        #expect(try WorkoutProgram(.intervals(intervals)).frames().map(\.bytes) == requests)
    }

    @Test func encodesTypeOfEveryIntervalKind() throws {
        // The six kinds in one program; unit and rest determine the interval type.
        let works: [WorkoutProgram.Extent] = [.centiseconds(6000), .meters(500), .calories(20)]
        let intervals = works.flatMap {
            [Interval($0, rest: .seconds(30)), Interval($0, rest: .undefined)]
        }
        var types: [IntervalType] = []
        for frame in try WorkoutProgram(.intervals(intervals)).frames() {
            for case .wrapped(_, let inner) in try Command.parse(frame.contents) {
                for case .intervalType(let type) in inner { types.append(type) }
            }
        }
        #expect(
            types == [
                .time, .timeUndefinedRest, .distance, .distanceUndefinedRest, .calories,
                .caloriesUndefinedRest,
            ])
    }

    @Test func splitsStuffedPiece() throws {
        // 499 m; a split may divide a stuffed pair.
        let frames = try WorkoutProgram(.single(.meters(499), split: .meters(499))).frames()
        let pieces = frames[0].pieces
        #expect(pieces.count == 2)
        #expect(pieces[0].suffix(4) == [0x80, 0x00, 0x00, 0x01])
        #expect(Array(pieces[1]) == hexBytes("F3 03 14 01 01 13 02 01 01 6E F2"))
    }

    @Test(arguments: [(5, nil, 112), (4, 12_000, 116)] as [(Int, UInt32?, Int)])
    func fillsFramesToPublishedLength(count: Int, target: UInt32?, length: Int) throws {
        // The published sizes, then one interval more.
        let interval = Interval(.meters(250), rest: .seconds(30), target: target)
        let fits = Array(repeating: interval, count: count)
        #expect(try WorkoutProgram(.intervals(fits)).frames().map(\.encodedLength) == [length])
        #expect(try WorkoutProgram(.intervals(fits + [interval])).frames().count == 2)
    }

    @Test func splitsFiftyIntervalsIntoFrames() throws {
        // 1 to 50 intervals that need stuffing. Every frame is within the limit, only the last shows the
        // workout, and the indices are in order.
        for count in 1...50 {
            let interval = Interval(.meters(0xF1F2), rest: .seconds(0xF0), target: 0xF3F3)
            let program = WorkoutProgram(.intervals(Array(repeating: interval, count: count)))
            let frames = try program.frames()
            var indices: [UInt8] = []
            for (position, frame) in frames.enumerated() {
                #expect(frame.encodedLength <= Frame.maximumLength)
                let commands = try Command.parse(frame.contents)
                guard case .wrapped(.setConfiguration, let inner) = commands.first else {
                    Issue.record("frame \(position) is not a set")
                    continue
                }
                for case .workoutIntervalCount(let index) in inner { indices.append(index) }
                let isLast = position == frames.count - 1
                let screen = ProprietaryCommand.screenState(.workout, .prepareToRowWorkout)
                #expect(inner.contains(screen) == isLast)
                if case .workoutIntervalCount = inner[0] {} else { Issue.record("cut inside") }
            }
            #expect(indices == (0..<UInt8(count)).map { $0 })
        }
    }

    @Test func encodesScreenCommands() {
        // Screen commands that hardware accepts.
        let frames: [(Command, String)] = [
            (.terminateWorkout, "F1 76 04 13 02 01 02 60 F2"),
            (.rearmWorkout, "F1 76 04 13 02 01 03 61 F2"),
            (.goToMainScreen, "F1 76 04 13 02 01 06 64 F2"),
            (.pressVirtualKeyD, "F1 76 04 13 02 01 32 50 F2"),
        ]
        for (command, hex) in frames { #expect(Frame(command).bytes == hexBytes(hex)) }
    }
}

private typealias Interval = WorkoutProgram.Interval

extension WorkoutProgram.Interval {
    fileprivate init(
        _ work: WorkoutProgram.Extent, rest: WorkoutProgram.Rest, target: UInt32?
    ) {
        self.init(work, rest: rest, targetPaceCentisecondsPer500m: target)
    }
}
