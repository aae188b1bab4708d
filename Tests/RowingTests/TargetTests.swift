import Bytes
import PM5Codec
import Testing
import Timeline

@testable import Rowing

/// Targets and their results. Every stroke of the scripted rower has a rate of 24, 180 W, 2:05.0 per 500 m
/// and 140 beats.
@Suite struct TargetTests {
    private static func bands(_ change: (inout TargetBands) -> Void) -> TargetBands {
        var bands = TargetBands()
        change(&bands)
        return bands
    }

    private static let met = bands { $0.rate = TargetBand(low: 22, high: 26) }
    private static let missed = bands { $0.watts = TargetBand(low: 200, high: 220) }
    private static let piece = Rowing.Workout(
        type: .fixedDistanceWithSplits, target: .distance(Meters(80)))
    private static let fixedIntervals = Rowing.Workout(
        type: .fixedDistanceInterval, target: .distance(Meters(40)))

    /// A monitor with this programmed workout.
    private func armed(_ targets: [TargetBands], _ workout: Rowing.Workout = piece)
        -> ScriptedMonitor
    {
        var pm5 = ScriptedMonitor(workout.type, workout.type.isInterval ? 40 : 80)
        pm5.arm()
        setTargets(targets, workout, on: &pm5)
        return pm5
    }

    private func setTargets(
        _ targets: [TargetBands], _ workout: Rowing.Workout, on pm5: inout ScriptedMonitor
    ) {
        pm5.harness.machine.setTargets(
            WorkoutTargets(targets), for: workout, into: &pm5.harness.events)
    }

    @Test func comparesStrokesWithTargets() throws {
        // Bands around each of the rower's values, without a belt. A slower pace is below.
        var pm5 = armed([
            Self.bands {
                $0.pace = TargetBand(low: 11_000, high: 12_000)
                $0.watts = TargetBand(low: 100, high: 150)
                $0.rate = TargetBand(low: 24, high: nil)
                $0.heartRate = TargetBand(low: nil, high: 150)
            }
        ])
        pm5.row(4)
        let stroke = try #require(pm5.harness.strokes.last?.target)
        #expect((stroke.pace, stroke.watts) == (.below, .above))
        #expect((stroke.rate, stroke.heartRate) == (.within, .within))
        let live = try #require(pm5.harness.live?.target)
        #expect(live == stroke)
        pm5.heartRate = 255
        pm5.row(4)
        #expect(pm5.harness.strokes.last?.target?.heartRate == nil)
        var others = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        others.arm()
        others.row(4)
        #expect(others.harness.strokes.allSatisfy { $0.target == nil })
        #expect(others.harness.live?.target == nil)
    }

    @Test func acceptsExactPaceWithinOneSecond() {
        func place(_ low: Int?, _ high: Int?) -> TargetPosition? {
            var pm5 = armed([Self.bands { $0.pace = TargetBand(low: low, high: high) }])
            pm5.row(3)
            let stroke = pm5.harness.strokes.last?.target
            // The published band is the exact target.
            #expect(stroke?.bands.pace == TargetBand(low: low, high: high))
            return stroke?.pace
        }
        #expect(place(12_500, 12_500) == .within)
        #expect(place(12_600, 12_600) == .within)
        #expect(place(12_400, 12_400) == .within)
        #expect(place(12_601, 12_601) == .above)
        #expect(place(12_399, 12_399) == .below)
        // A band keeps its own width.
        #expect(place(12_501, 12_600) == .above)
        #expect(place(nil, 12_499) == .below)
    }

    @Test func includesEndsOfBand() {
        // Bands of one value around the rower's, and of two values for paces.
        func target(_ offset: Int) -> TargetCheck? {
            func band(_ value: Int) -> TargetBand {
                TargetBand(low: value + offset, high: value + offset)
            }
            let end = 12_500 + offset
            var pm5 = armed([
                Self.bands {
                    $0.pace = TargetBand(
                        low: offset > 0 ? end : end - 1, high: offset > 0 ? end + 1 : end)
                    $0.watts = band(180)
                    ($0.rate, $0.heartRate) = (band(24), band(140))
                }
            ])
            pm5.row(3)
            return pm5.harness.strokes.last?.target
        }
        func places(_ check: TargetCheck?) -> [TargetPosition?] {
            [check?.pace, check?.watts, check?.rate, check?.heartRate]
        }
        #expect(places(target(0)) == [.within, .within, .within, .within])
        #expect(places(target(1)) == [.above, .below, .below, .below])
        #expect(places(target(-1)) == [.below, .above, .above, .above])
    }

    @Test func requiresAllValuesToMeetTarget() {
        // Misses one band at a time; then the belt is lost.
        let missed: [(inout TargetBands) -> Void] = [
            { $0.pace = TargetBand(low: nil, high: 12_000) },
            { $0.watts = TargetBand(low: 200, high: nil) },
            { $0.rate = TargetBand(low: 30, high: nil) },
            { $0.heartRate = TargetBand(low: nil, high: 120) },
        ]
        for (index, miss) in missed.enumerated() {
            var bands = TargetBands()
            bands.pace = TargetBand(low: 11_000, high: 13_000)
            bands.watts = TargetBand(low: 100, high: 200)
            miss(&bands)
            var pm5 = armed([bands])
            pm5.row(8)
            pm5.end()
            #expect(pm5.harness.summaries.last?.targetTally?.strokes == 8, "\(index)")
            #expect(pm5.harness.summaries.last?.targetTally?.met == 0, "\(index)")
        }
        var pm5 = armed([Self.bands { $0.heartRate = TargetBand(low: 130, high: nil) }])
        pm5.row(4)
        pm5.heartRate = 255
        pm5.row(4)
        pm5.end()
        #expect(pm5.harness.summaries.last?.targetTally?.strokes == 4)
        #expect(pm5.harness.summaries.last?.targetTally?.thousandths == 1000)
    }

    @Test func countsLateStrokeInItsInterval() {
        // Strokes of the first interval arrive after one of the second, also after a checkpoint.
        var bands = TargetBands()
        bands.rate = TargetBand(low: 20, high: nil)
        func check(_ rate: Int) -> TargetCheck {
            TargetCheck(bands, pace: nil, watts: nil, rate: rate, heartRate: nil)
        }
        var totals = TargetTotals()
        for (rate, interval) in [(24, 1), (24, 2), (18, 1)] {
            totals.add(check(rate), interval: interval)
        }
        let bytes = ByteCoder.bytes { totals.code(with: &$0) }
        var restored = TargetTotals()
        #expect(ByteCoder.read(bytes) { restored.code(with: &$0) } != nil)
        #expect(restored == totals)
        restored.add(check(18), interval: 1)
        #expect(restored.tally(ofInterval: 1)?.strokes == 3)
        #expect(restored.tally(ofInterval: 1)?.met == 1)
        #expect(restored.tally(ofInterval: 2)?.strokes == 1)
        #expect(restored.tally(ofInterval: 3) == nil && restored.all.strokes == 4)
    }

    @Test func appliesTargetsPerInterval() {
        // A rate that is met, then watts that are not, in three intervals of four strokes. The bands
        // repeat.
        var pm5 = armed([Self.met, Self.missed], Self.fixedIntervals)
        for interval in 1...3 {
            pm5.row(4)
            if interval == 3 { break }
            pm5.rest(seconds: 5)
            #expect(pm5.harness.live?.target == nil, "no target during a rest")
            pm5.nextInterval(after: 5)
        }
        pm5.end(.terminate)
        pm5.pass(4000)
        let strokes = pm5.harness.strokes
        #expect(strokes.compactMap(\.interval) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
        #expect(strokes.prefix(4).allSatisfy { $0.target?.rate == .within })
        #expect(strokes[4..<8].allSatisfy { $0.target?.watts == .below && $0.target?.rate == nil })
        #expect(strokes.suffix(4).allSatisfy { $0.target?.bands == Self.met })
        #expect(pm5.harness.splits.map(\.targetTally?.thousandths) == [1000, 0, 1000])
        #expect(pm5.harness.splits.map(\.targetTally?.strokes) == [4, 4, 4])
        #expect(pm5.harness.splits.map(\.targets) == [Self.met, Self.missed, Self.met])
        #expect(pm5.harness.summaries.last?.targetTally?.strokes == 12)
        #expect(pm5.harness.summaries.last?.targetTally?.thousandths == 667)
    }

    @Test func showsCurrentTargetsInLiveSample() {
        // The second of two intervals, rowing and then pausing.
        var pm5 = armed([Self.met, Self.missed], Self.fixedIntervals)
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(2)
        #expect(pm5.harness.live?.target?.bands == Self.missed)
        #expect(pm5.harness.live?.target?.watts == .below)
        pm5.stand(9000)
        #expect(pm5.harness.live?.state == .paused)
        #expect(pm5.harness.live?.target?.bands == Self.missed)
        #expect(pm5.harness.live?.target?.watts == nil)
    }

    @Test func reportsNothingForIntervalWithoutTarget() {
        // A target in the second of two intervals.
        var pm5 = armed([TargetBands(), Self.met], Self.fixedIntervals)
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(4)
        #expect(
            pm5.harness.strokes.map { $0.target != nil } == [
                false, false, false, false, true, true, true, true,
            ])
        #expect(pm5.harness.splits.map { $0.targetTally == nil } == [true])
    }

    @Test func clearsTargetsAfterPiece() {
        // The same piece twice; only the first has a target.
        var pm5 = armed([Self.met])
        pm5.row(8)
        pm5.end()
        pm5.arm()
        pm5.row(8)
        pm5.end()
        let sessions = Dictionary(grouping: pm5.harness.strokes, by: \.session.text)
        #expect(sessions["S1"]?.allSatisfy { $0.target != nil } == true)
        #expect(sessions["S2"]?.allSatisfy { $0.target == nil } == true)
        #expect(pm5.harness.summaries.map { $0.targetTally == nil } == [false, true])
    }

    @Test func dropsTargetsOfAnotherWorkout() {
        // A just row in between.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        setTargets([Self.met], Self.piece, on: &pm5)
        pm5.arm()
        pm5.row(3)
        pm5.end(.terminate)
        #expect(pm5.harness.strokes.count == 3)
        #expect(pm5.harness.strokes.allSatisfy { $0.target == nil })
        #expect(pm5.harness.machine.programmed.targets == nil)
    }

    @Test func replacesTargetsWithLatest() {
        // Another target, and then none, before the rower begins.
        var pm5 = armed([Self.met])
        setTargets([Self.missed], Self.piece, on: &pm5)
        pm5.row(2)
        #expect(pm5.harness.strokes.last?.target?.bands == Self.missed)
        var cleared = armed([Self.met])
        setTargets([], Self.piece, on: &cleared)
        cleared.row(2)
        #expect(cleared.harness.strokes.last.map { $0.target == nil } == true)
    }

    @Test func appliesTargetsToPieceInProgress() {
        // Two strokes before the target is set.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        pm5.arm()
        pm5.row(2)
        setTargets([Self.met], Self.piece, on: &pm5)
        pm5.row(2)
        #expect(pm5.harness.strokes.map { $0.target != nil } == [false, false, true, true])
    }

    @Test(arguments: ScriptedMonitor.Loss.allCases)
    func keepsTargetsOverLoss(loss: ScriptedMonitor.Loss) {
        // A lost link and a killed gateway, before the first stroke and during the piece.
        var pm5 = armed([Self.missed, Self.met], Self.fixedIntervals)
        pm5.away(loss) { $0.pass(1000) }
        pm5.row(4)
        pm5.away(loss) { $0.pass(1000) }
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(4)
        pm5.end(.terminate)
        pm5.pass(4000)
        #expect(
            pm5.harness.strokes.map(\.target?.bands) == Array(repeating: Self.missed, count: 4)
                + Array(repeating: Self.met, count: 4))
        #expect(pm5.harness.splits.map(\.targetTally?.thousandths) == [0, 1000])
        #expect(pm5.harness.summaries.last?.targetTally?.thousandths == 500)
    }

    @Test func writesOldVersionWithoutTargets() throws {
        // An older gateway must read checkpoints without a target, and reject those with one.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        pm5.arm()
        pm5.row(2)
        #expect(pm5.harness.machine.checkpoint(at: pm5.harness.instant)?.encode().first == 2)
        var withTargets = armed([Self.met, Self.missed])
        for strokes in [0, 2] {
            if strokes > 0 { withTargets.row(strokes) }
            let harness = withTargets.harness
            let checkpoint = try #require(harness.machine.checkpoint(at: harness.instant))
            let bytes = checkpoint.encode()
            #expect(bytes.first == 3)
            #expect(SessionCheckpoint(decoding: bytes) == checkpoint)
            for count in 0..<bytes.count {
                #expect(SessionCheckpoint(decoding: Array(bytes.prefix(count))) == nil)
            }
        }
    }

    @Test func storesPendingTargetsWithoutSession() throws {
        // A checkpoint without a session.
        let pm5 = armed([Self.met])
        let checkpoint = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant))
        #expect(checkpoint.beginning == nil && !checkpoint.isOpen)
        #expect(checkpoint.endingEvents(awayFor: .zero, at: pm5.harness.instant) == [])
    }

    @Test func hasNoBeginningAfterSessionIsClosed() throws {
        // Every stage of a session.
        let checkpoints = try CheckpointTests.stages().map {
            try #require($0.harness.machine.checkpoint(at: $0.harness.instant))
        }
        #expect(checkpoints.map { $0.beginning != nil } == [true, true, true, true, true, false, false])
    }

    @Test func resolvesPowerShareToWatts() throws {
        // Rounded; worked out by hand.
        var share = Self.met
        share.powerShare = TargetBand(low: 55, high: nil)
        let targets = WorkoutTargets([share, Self.missed])
        #expect(targets.testDistances == [.twoK])
        let resolved = try targets.resolved(TestPowers(twoK: 310))
        #expect(resolved.testDistances.isEmpty)
        // Of 310 W they are 170.5.
        #expect(resolved.intervals[0].watts == TargetBand(low: 171, high: nil))
        #expect(resolved.intervals[0].rate == Self.met.rate)
        #expect(resolved.intervals[1] == Self.missed)
    }

    private static func offset(
        _ distance: TestDistance, _ low: Int?, _ high: Int?
    ) -> TargetBands {
        bands { $0.paceOffset = PaceOffset(distance, TargetBand(low: low, high: high)) }
    }

    @Test func resolvesPaceOffsets() throws {
        // 203 W are 1:59.91 per 500 m, and 169 W 2:07.46.
        let targets = WorkoutTargets([
            Self.offset(.twoK, 1_200, 1_200), Self.offset(.sixK, -250, nil), Self.met,
        ])
        #expect(targets.testDistances == [.twoK, .sixK])
        let resolved = try targets.resolved(TestPowers(twoK: 203, sixK: 169))
        #expect(resolved.testDistances.isEmpty)
        #expect(resolved.intervals[0].pace == TargetBand(low: 13_191, high: 13_191))
        #expect(resolved.intervals[1].pace == TargetBand(low: 12_496, high: nil))
        #expect(resolved.intervals[2] == Self.met)
    }

    static let unresolvable: [(TargetBands, TestPowers, RelativeTargetError)] = [
        (offset(.twoK, 0, 0), TestPowers(sixK: 200), .unknownPower(.twoK)),
        (offset(.sixK, 0, 0), TestPowers(twoK: 200), .unknownPower(.sixK)),
        (bands { $0.powerShare = TargetBand(low: 50, high: 60) }, TestPowers(), .unknownPower(.twoK)),
        // 1000 W are 1:10.4 per 500 m.
        (offset(.twoK, -2_000, nil), TestPowers(twoK: 1000), .paceOutOfRange(5_047)),
    ]

    @Test(arguments: unresolvable)
    func refusesTargetsWithoutAPace(
        bands: TargetBands, powers: TestPowers, expected: RelativeTargetError
    ) {
        #expect(throws: expected) { try WorkoutTargets([bands]).resolved(powers) }
    }

    @Test func collapsesEqualIntervalTargets() {
        // Equal intervals, none, and some.
        #expect(WorkoutTargets([Self.met, Self.met]).intervals == [Self.met])
        #expect(WorkoutTargets([TargetBands(), TargetBands()]).isEmpty)
        #expect(WorkoutTargets([TargetBands(), Self.met]).intervals.count == 2)
        #expect(WorkoutTargets([Self.met, Self.missed]).bands(ofInterval: nil) == nil)
    }
}
