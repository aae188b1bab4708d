import PM5Codec
import Testing

@testable import PM5Simulator

@Suite struct SimulatedErgTests {
    /// Short states (6 to 9) last long enough for a status every 100 ms to see them.
    private static let sequences: [(workout: String, seconds: Int, states: [Int])] = [
        ("500m", 300, [0, 1, 10, 12]),
        ("2:00", 200, [0, 1, 10, 12]),
        ("20cal", 300, [0, 1, 10, 12]),
        ("200wm", 300, [0, 1, 10, 12]),
        ("just-row/0/1:30", 120, [0, 1, 11, 13, 0]),
        ("just-row/1:30", 120, [0, 1, 11, 13, 0]),
        ("2x200m/0:20r", 220, [0, 5, 9, 3, 7, 5, 9, 3, 11, 13, 0]),
        ("2x0:40/0:20r", 220, [0, 4, 8, 3, 6, 4, 8, 3, 11, 13, 0]),
        ("200m/0:20r+0:40/0:20r", 220, [0, 5, 9, 3, 6, 4, 8, 3, 10, 12]),
        ("100m+0:30", 220, [0, 5, 4, 10, 12]),
    ]

    @Test("workout states follow the CSAFE definition, appendix E", arguments: sequences)
    func states(_ workout: String, _ seconds: Int, _ expected: [Int]) throws {
        var run = try ErgRun(workout)
        run.erg.write([3], to: .sampleRate)
        try run.run(forSeconds: seconds)
        #expect(run.states == expected)
    }

    @Test(arguments: SimulatedMachine.allCases, MonitorGeneration.allCases)
    func machineIsReportedByNewFirmware(
        _ machine: SimulatedMachine, _ generation: MonitorGeneration
    ) throws {
        var run = try ErgRun("100m", generation: generation, machine: machine)
        try run.run(forSeconds: 60)
        let isNew = generation == .new
        let types = run.sent.compactMap { sent -> ErgMachineType?? in
            switch sent.value {
            case .additionalStatus1(let packet): .some(packet.ergMachineType)
            case .additionalSplitData(let packet): .some(packet.ergMachineType)
            default: nil
            }
        }
        #expect(Set(types) == [isNew ? machine.type : nil])
        #expect(run.erg.read(.ergMachineType) == (isNew ? [machine.type.rawValue] : nil))
        let hint = AdvertisedName(run.erg.identity.name)?.machineHint
        #expect((hint == .bike) == (isNew && machine == .bike))
        #expect((hint == .ski) == (isNew && machine == .ski))
    }

    @Test func sendsStrokeDataTwicePerStroke() throws {
        // The second 0x0035 contains the stroke's own recovery.
        var run = try ErgRun("500m")
        try run.run(forSeconds: 200)
        let byCount = Dictionary(grouping: run.strokes, by: \.strokeCount)
        let last = try #require(byCount.keys.max())
        #expect(Array(byCount.keys.sorted()) == Array(1...last))
        for (count, packets) in byCount where count < last {
            #expect(packets.count == 2)
            #expect(packets[1].elapsedCentiseconds > packets[0].elapsedCentiseconds)
            if let next = byCount[count + 1]?.first {
                #expect(packets[1].recoveryCentiseconds == next.recoveryCentiseconds)
            }
        }
        #expect(byCount[1]?[0].recoveryCentiseconds == 0)
        #expect(byCount[1]?[0].workPerStrokeDecijoules == .max)
        let additional = run.sent.filter { $0.characteristic == .additionalStrokeData }
        #expect(additional.count == Int(last))
    }

    @Test func splitsAddUpToThePiece() throws {
        // 2000 m in splits of 400 m.
        var run = try ErgRun("2000m/400m")
        try run.run(forSeconds: 700)
        let summary = try #require(run.summaries.first)
        #expect(run.splits.map(\.splitNumber) == [1, 2, 3, 4, 5])
        #expect(run.splits.map(\.splitDistanceMeters) == [400, 400, 400, 400, 400])
        let deciseconds = run.splits.reduce(0) { $0 + $1.splitDeciseconds }
        #expect(deciseconds * 10 == summary.elapsedCentiseconds)
        #expect(summary.distanceDecimeters == 20_000)
        let final = try #require(run.statuses.last)
        #expect(final.elapsedCentiseconds == summary.elapsedCentiseconds)
        #expect(final.distanceDecimeters == 20_000)
        let strokes = Set(run.strokes.map(\.strokeCount)).count
        #expect(run.records(.result).first?["strokes"] == String(strokes))
        #expect(run.records(.stroke).count == strokes)
    }

    @Test func powerWorkAndPaceAgree() throws {
        // The formulas of the CSAFE definition, within truncation.
        var run = try ErgRun("1000m")
        try run.run(forSeconds: 400)
        let additional = run.sent.compactMap {
            if case .additionalStrokeData(let data) = $0.value { data } else { nil }
        }
        let firsts = Dictionary(grouping: run.strokes, by: \.strokeCount).mapValues { $0[0] }
        for data in additional where data.strokeCount > 1 {
            let stroke = try #require(firsts[data.strokeCount])
            let seconds =
                Double(stroke.driveCentiseconds) / 100
                + Double(stroke.recoveryCentiseconds) / 100
            let speed = Double(stroke.strokeDistanceCentimeters) / 100 / seconds
            #expect(abs(2.8 * speed * speed * speed - Double(data.strokePowerWatts)) < 8)
            let work = Double(stroke.workPerStrokeDecijoules ?? 0) / 10
            #expect(abs(work / seconds - Double(data.strokePowerWatts)) < 4)
            #expect(
                data.strokeCaloriesPerHour
                    >= UInt16(3.4416 * Double(data.strokePowerWatts) + 300))
        }
    }

    @Test func forceCurveContainsThePeak() throws {
        var run = try ErgRun("500m")
        try run.run(forSeconds: 200)
        var curve: [Int16] = []
        var announced = 0
        for sent in run.sent {
            guard case .forceCurvePiece(let piece) = sent.value else { continue }
            if piece.sequence == 0 { (curve, announced) = ([], Int(piece.pieceCount)) }
            #expect(sent.bytes.count <= 20)
            curve += piece.samples
            if Int(piece.sequence) + 1 == announced {
                let peak = try #require(
                    run.strokes.map { Int16($0.peakDriveForceTenthsOfPound / 10) }
                        .first { $0 == curve.max() })
                #expect(curve.count > 20 && peak > 30)
            }
        }
        #expect(announced > 0)
    }

    @Test func summaryIsLateAndRepeatedWithRecoveryHeartRate() throws {
        // 0x39 follows state 10 by 1.2 to 3.5 s, and again after a minute if a belt is worn.
        for seed in 1...12 as ClosedRange<UInt64> {
            var run = try ErgRun("100m", seed: seed)
            try run.run(forSeconds: 150)
            let end = try #require(
                run.sent.first {
                    if case .generalStatus(let status) = $0.value {
                        status.workoutState == .workoutEnd
                    } else {
                        false
                    }
                }, "seed \(seed)")
            let summary = try #require(run.first(.workoutSummary))
            #expect((1200...3500).contains(summary.milliseconds - end.milliseconds))
            let hasBelt = run.erg.profile.beltID != nil
            #expect(run.summaries.count == (hasBelt ? 2 : 1), "seed \(seed)")
            if hasBelt { #expect(run.summaries[1].recoveryHeartRateBeatsPerMinute > 0) }
            #expect(run.records(.result).count == run.summaries.count)
            #expect(run.erg.isDone)
        }
    }

    @Test func sameSeedSendsSameBytes() throws {
        // One run in small steps, one in large ones, and another seed.
        func bytes(_ seed: UInt64, step: Int) throws -> [[UInt8]] {
            var run = try ErgRun("2x200m/0:20r", seed: seed)
            for _ in 0..<(200 / step) { try run.run(forSeconds: step) }
            return run.sent.map(\.bytes)
        }
        #expect(try bytes(7, step: 1) == bytes(7, step: 200))
        #expect(try bytes(7, step: 1) != bytes(8, step: 1))
    }

    @Test func oldMonitorSendsShortPayloads() throws {
        var run = try ErgRun("500m", generation: .old)
        try run.run(forSeconds: 200)
        #expect(run.first(.additionalStatus1)?.bytes.count == 16)
        #expect(run.first(.additionalSplitData)?.bytes.count == 18)
        let later: [CharacteristicID] = [.forceCurve, .additionalStatus3, .loggedWorkout]
        for id in later { #expect(run.first(id) == nil) }
        #expect(run.erg.read(.modelNumber) == nil && run.erg.read(.ergMachineType) == nil)
        #expect(run.erg.identity.name == "PM5 430000001")
        var new = try ErgRun("500m")
        try new.run(forSeconds: 200)
        #expect(new.first(.additionalStatus1)?.bytes.count == 17)
        #expect(new.first(.additionalSplitData)?.bytes.count == 19)
        for id in later { #expect(new.first(id) != nil) }
    }

    @Test func multiplexesOnlyUnsubscribedCharacteristics() throws {
        var run = try ErgRun("100m", subscribe: [.multiplexed, .generalStatus])
        try run.run(forSeconds: 100)
        let inside = Set(run.sent.filter { $0.characteristic == .multiplexed }.map { $0.bytes[0] })
        #expect(
            inside.isSuperset(of: [0x32, 0x33, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3A, 0x3C, 0x3D]))
        #expect(!inside.contains(0x31))
        #expect(run.first(.generalStatus) != nil)
        #expect(run.sent.allSatisfy { $0.bytes.count <= 20 })
        #expect(run.records(.stroke).count > 3 && run.records(.unsentStroke).isEmpty)
    }

    @Test func rowingStartsAfterSubscription() throws {
        // Strokes without subscriber are not recorded as sent.
        var run = try ErgRun("500m", subscribe: [.strokeData])
        try run.run(forSeconds: 30)
        #expect(run.sent.isEmpty && run.truth.isEmpty)
        run.erg.setSubscribed(true, to: .generalStatus)
        try run.run(forSeconds: 30)
        #expect(run.strokes.count > 5)
        #expect(run.records(.stroke).isEmpty && run.records(.unsentStroke).count > 3)
    }

    @Test func sampleRateLastsUntilReconnect() throws {
        var run = try ErgRun("just-row")
        func periods() -> Set<Int> {
            let times = run.sent.filter { $0.characteristic == .generalStatus }.map(\.milliseconds)
            return Set(zip(times, times.dropFirst()).map { $1 - $0 })
        }
        try run.run(forSeconds: 10)
        #expect(periods() == [500])
        for (code, period) in [(0, 1000), (2, 250), (3, 100)] as [(UInt8, Int)] {
            run.erg.write([code], to: .sampleRate)
            run.sent = []
            try run.run(forSeconds: 10)
            #expect(periods() == [period])
            #expect(run.erg.read(.sampleRate) == [code])
        }
        run.erg.setConnected(false)
        run.erg.setConnected(true)
        #expect(run.erg.read(.sampleRate) == [1])
        #expect(run.erg.subscriptions.isEmpty)
    }

    @Test func equalIntervalsEndWhenTheRowerStops() throws {
        var run = try ErgRun("3x100m")
        try run.run(forSeconds: 180)
        #expect(run.erg.isDone)
        #expect(run.splits.filter { $0.splitDistanceMeters == 100 }.count == 3)
        #expect(run.records(.session).count == 2)
    }

    @Test func intervalsStartFromZeroAndReportTheirRest() throws {
        var run = try ErgRun("3x200m/0:20r")
        try run.run(forSeconds: 300)
        #expect(run.splits.map(\.splitNumber) == [1, 2, 3])
        #expect(run.splits.map(\.splitDistanceMeters) == [200, 200, 200])
        #expect(run.splits.map(\.restSeconds) == [20, 20, 15])
        #expect(run.splits.map(\.splitType) == [.distance, .distance, .distance])
        #expect(run.splits[0].restDistanceMeters > 0)
        let resets = zip(run.statuses, run.statuses.dropFirst()).filter {
            $1.distanceDecimeters < $0.distanceDecimeters
        }
        #expect(resets.count == 3)
        #expect(Set(run.statuses.map(\.totalWorkDistanceMeters)) == [0, 200, 400, 600])
        let summary = try #require(run.summaries.first)
        #expect(summary.distanceDecimeters == 6000)
        #expect(summary.workoutType == .fixedDistanceInterval)
        let work = run.splits.reduce(0) { $0 + $1.splitDeciseconds }
        #expect(summary.elapsedCentiseconds == work * 10)
        #expect(run.records(.session).map { $0["event"] } == ["\"started\"", "\"ended\""])
    }

    @Test("a pause stops the clock of just row and no other", arguments: ["just-row", "5000m"])
    func distanceStopsDuringPause(_ workout: String) throws {
        var run = try ErgRun(workout)
        try run.run(forSeconds: 30)
        run.erg.pause(forMilliseconds: 20_000)
        try run.run(forSeconds: 8)
        run.sent = []
        try run.run(forSeconds: 10)
        #expect(Set(run.statuses.map(\.distanceDecimeters)).count == 1)
        #expect(
            run.statuses.allSatisfy { $0.rowingState == .inactive && $0.workoutState.rawValue == 1 }
        )
        let elapsed = Set(run.statuses.map(\.elapsedCentiseconds)).count
        #expect(workout == "just-row" ? elapsed == 1 : elapsed == run.statuses.count)
        #expect(run.strokes.isEmpty)
        let count = try #require(run.erg.piece?.strokeCount)
        try run.run(forSeconds: 20)
        #expect(run.strokes.first?.strokeCount == UInt16(count))
        #expect(run.strokes.first?.recoveryCentiseconds == 2000)
        #expect(run.strokes.dropFirst().first?.strokeCount == UInt16(count + 1))
        let distances = run.statuses.map(\.distanceDecimeters)
        #expect(distances == distances.sorted() && distances.last ?? 0 > distances[0])
    }

    @Test func fadeChangesSpeedInTime() throws {
        var run = try ErgRun("10000m")
        func speed() -> Double { run.erg.piece?.stroke?.meanSpeed ?? 0 }
        try run.run(forSeconds: 60)
        let planned = run.erg.profile.cruisingSpeed
        #expect(abs(speed() / planned - 1) < 0.08)
        run.erg.fade(to: 0.6, withinMilliseconds: 60_000)
        try run.run(forSeconds: 30)
        #expect(abs(speed() / planned - 0.8) < 0.08)
        try run.run(forSeconds: 60)
        #expect(abs(speed() / planned - 0.6) < 0.06)
        run.erg.fade(to: 1, withinMilliseconds: 0)
        try run.run(forSeconds: 10)
        #expect(abs(speed() / planned - 1) < 0.08)
    }

    @Test func lostBeltSendsNoHeartRate() throws {
        var run = try ErgRun("10000m", seed: try #require(Self.seedWithBelt))
        func rates() throws -> Set<Bool> {
            run.sent = []
            try run.run(forSeconds: 5)
            return Set(
                run.sent.compactMap { sent in
                    guard case .additionalStatus1(let status) = sent.value else { return nil }
                    return status.heartRateBeatsPerMinute != 255
                })
        }
        try run.run(forSeconds: 10)
        #expect(try rates() == [true])
        run.erg.setBelt(isReceived: false)
        #expect(try rates() == [false])
        run.erg.setBelt(isReceived: true)
        #expect(try rates() == [true])
    }

    /// A seed whose rower wears a belt.
    private static let seedWithBelt = (UInt64(1)...20).first { seed in
        var generator = SeededGenerator(seed: seed)
        return RowerProfile(drawnFrom: &generator).beltID != nil
    }

    @Test func timedPieceEndsDuringPause() throws {
        var run = try ErgRun("1:00/0:20")
        try run.run(forSeconds: 30)
        run.erg.pause(forMilliseconds: 600_000)
        try run.run(forSeconds: 60)
        #expect(run.states == [0, 1, 10, 12])
        #expect(run.splits.map(\.splitDeciseconds) == [200, 200, 200])
        #expect(run.splits[2].splitDistanceMeters == 0)
        #expect(run.summaries.first?.elapsedCentiseconds == 6000)
    }

    @Test func repeatsPieceAfterMenu() throws {
        var run = try ErgRun("100m", repeats: true)
        try run.run(forSeconds: 300)
        #expect(run.states.prefix(7) == [0, 1, 10, 12, 13, 0, 1])
        #expect(run.records(.result).contains { $0["session"] == "2" })
        #expect(!run.erg.isDone)
    }
}

@Suite struct WorkoutScriptTests {
    @Test func parsesEveryNotation() throws {
        #expect(try WorkoutScript(parsing: "just-row") == WorkoutScript(.justRow))
        #expect(
            try WorkoutScript(parsing: "2000m/400m").workout
                == Workout(
                    .fixedDistanceWithSplits, [WorkoutInterval(.meters(2000))], splitLength: 400))
        #expect(
            try WorkoutScript(parsing: "30:00").workout
                == Workout(
                    .fixedTimeWithSplits, [WorkoutInterval(.centiseconds(180_000))],
                    splitLength: 36_000))
        #expect(try WorkoutScript(parsing: "2000m/0").workout.type == .fixedDistanceWithoutSplits)
        #expect(
            try WorkoutScript(parsing: "4x500m/1:00r")
                == WorkoutScript(
                    Workout(
                        .fixedDistanceInterval, [WorkoutInterval(.meters(500), rest: .seconds(60))]),
                    stop: .afterIntervals(4)))
        #expect(
            try WorkoutScript(parsing: "500m/1:00r+2:00/r+50cal").workout
                == Workout(
                    .variableIntervalUndefinedRest,
                    [
                        WorkoutInterval(.meters(500), rest: .seconds(60)),
                        WorkoutInterval(.centiseconds(12_000), rest: .undefined),
                        WorkoutInterval(.calories(50)),
                    ]))
    }

    @Test(arguments: ["", "500", "0m", "x500m", "0x500m", "2000m/5:00", "500m/1:00r+", "9:99", "m"])
    func rejectsInvalidNotation(_ text: String) {
        #expect(throws: WorkoutSyntaxError.self) { try WorkoutScript(parsing: text) }
    }
}

/// The rowers of a room.
@Suite struct RowerTests {
    private func erg(seed: UInt64, rower: RowerProfile? = nil) throws -> SimulatedErg {
        SimulatedErg(
            SimulatedIdentity(serial: "430000003", generation: .new),
            script: try WorkoutScript(parsing: "500m"),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed, rower: rower)
    }

    @Test func theProfileOfAnErgIsThatOfTheRowerInTheRoom() throws {
        let profile = RowerProfile(ofErg: 3, in: 26)
        #expect(try erg(seed: SimulatedErg.seed(ofErg: 3, in: 26)).profile == profile)
        #expect(RowerProfile(ofErg: 4, in: 26) != profile)
    }

    @Test func aGivenRowerReplacesTheRandomOne() throws {
        var rower = RowerProfile(ofErg: 3, in: 26)
        rower.cruisingSpeed = 5.5
        #expect(try erg(seed: 1, rower: rower).profile == rower)
    }
}
