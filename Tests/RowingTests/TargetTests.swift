import Bytes
import PM5Codec
import Testing
import Timeline

@testable import Rowing

/// What was asked for, and what came of it. Every stroke of the scripted rower has 24 a minute, 180 W,
/// 2:05.0 for 500 m and 140 beats.
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

    /// A monitor on which the workout has just been put.
    private func armed(_ targets: [TargetBands], _ workout: Rowing.Workout = piece)
        -> ScriptedMonitor
    {
        var pm5 = ScriptedMonitor(workout.type, workout.type.isInterval ? 40 : 80)
        pm5.arm()
        aim(targets, workout, on: &pm5)
        return pm5
    }

    private func aim(
        _ targets: [TargetBands], _ workout: Rowing.Workout, on pm5: inout ScriptedMonitor
    ) {
        pm5.fold.machine.aim(
            at: WorkoutTargets(targets), in: workout, into: &pm5.fold.events)
    }

    @Test func strokesAreHeldAgainstTheirBands() throws {
        // Goal: in, below or above, and nothing where nothing was asked for or told; a slower pace is
        // below. Method: each quantity about the rower's own figure; a belt that is not there.
        var pm5 = armed([
            Self.bands {
                $0.pace = TargetBand(low: 11_000, high: 12_000)
                $0.watts = TargetBand(low: 100, high: 150)
                $0.rate = TargetBand(low: 24, high: nil)
                $0.heartRate = TargetBand(low: nil, high: 150)
            }
        ])
        pm5.row(4)
        let stroke = try #require(pm5.fold.strokes.last?.target)
        #expect((stroke.pace, stroke.watts) == (.below, .above))
        #expect((stroke.rate, stroke.heartRate) == (.within, .within))
        let live = try #require(pm5.fold.live?.target)
        #expect(live == stroke)
        pm5.heartRate = 255
        pm5.row(4)
        #expect(pm5.fold.strokes.last?.target?.heartRate == nil)
        var others = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        others.arm()
        others.row(4)
        #expect(others.fold.strokes.allSatisfy { $0.target == nil })
        #expect(others.fold.live?.target == nil)
    }

    @Test func aSinglePaceIsKeptWithinASecond() {
        func place(_ low: Int?, _ high: Int?) -> TargetPlace? {
            var pm5 = armed([Self.bands { $0.pace = TargetBand(low: low, high: high) }])
            pm5.row(3)
            let stroke = pm5.fold.strokes.last?.target
            // What is published is what was asked for.
            #expect(stroke?.bands.pace == TargetBand(low: low, high: high))
            return stroke?.pace
        }
        #expect(place(12_500, 12_500) == .within)
        #expect(place(12_600, 12_600) == .within)
        #expect(place(12_400, 12_400) == .within)
        #expect(place(12_601, 12_601) == .above)
        #expect(place(12_399, 12_399) == .below)
        // A band has its own width.
        #expect(place(12_501, 12_600) == .above)
        #expect(place(nil, 12_499) == .below)
    }

    @Test func theEdgesOfABandAreInIt() {
        // Goal: a band holds both of its ends, and nothing beyond. Method: bands of one value, the rower's
        // own, and their neighbours; of paces two values wide.
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
            return pm5.fold.strokes.last?.target
        }
        func places(_ check: TargetCheck?) -> [TargetPlace?] {
            [check?.pace, check?.watts, check?.rate, check?.heartRate]
        }
        #expect(places(target(0)) == [.within, .within, .within, .within])
        #expect(places(target(1)) == [.above, .below, .below, .below])
        #expect(places(target(-1)) == [.below, .above, .above, .above])
    }

    @Test func aStrokeIsInWhenAllIsIn() {
        // Goal: each quantity counts, and a stroke without any of its figures does not. Method: one band
        // at a time that is missed, beside one that is met; then a belt that is lost in the middle.
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
            #expect(pm5.fold.summaries.last?.targetTally?.strokes == 8, "\(index)")
            #expect(pm5.fold.summaries.last?.targetTally?.met == 0, "\(index)")
        }
        var pm5 = armed([Self.bands { $0.heartRate = TargetBand(low: 130, high: nil) }])
        pm5.row(4)
        pm5.heartRate = 255
        pm5.row(4)
        pm5.end()
        #expect(pm5.fold.summaries.last?.targetTally?.strokes == 4)
        #expect(pm5.fold.summaries.last?.targetTally?.thousandths == 1000)
    }

    @Test func aStrokeThatComesLateIsOfItsInterval() {
        // Goal: neither interval has more or fewer than were rowed in it. Method: strokes of the first told
        // behind one of the second, over a checkpoint too.
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
        var again = TargetTotals()
        #expect(ByteCoder.read(bytes) { again.code(with: &$0) } != nil)
        #expect(again == totals)
        again.add(check(18), interval: 1)
        #expect(again.tally(ofInterval: 1)?.strokes == 3)
        #expect(again.tally(ofInterval: 1)?.met == 1)
        #expect(again.tally(ofInterval: 2)?.strokes == 1)
        #expect(again.tally(ofInterval: 3) == nil && again.all.strokes == 4)
    }

    @Test func eachIntervalHasItsOwn() {
        // Goal: bands by interval, over and over; their share in split and summary. Method: a rate
        // that is kept, then watts that are not, three intervals of four strokes.
        var pm5 = armed([Self.met, Self.missed], Self.fixedIntervals)
        for interval in 1...3 {
            pm5.row(4)
            if interval == 3 { break }
            pm5.rest(seconds: 5)
            #expect(pm5.fold.live?.target == nil, "nobody is to row in a rest")
            pm5.nextInterval(after: 5)
        }
        pm5.end(.terminate)
        pm5.pass(4000)
        let strokes = pm5.fold.strokes
        #expect(strokes.compactMap(\.interval) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
        #expect(strokes.prefix(4).allSatisfy { $0.target?.rate == .within })
        #expect(strokes[4..<8].allSatisfy { $0.target?.watts == .below && $0.target?.rate == nil })
        #expect(strokes.suffix(4).allSatisfy { $0.target?.bands == Self.met })
        #expect(pm5.fold.splits.map(\.targetTally?.thousandths) == [1000, 0, 1000])
        #expect(pm5.fold.splits.map(\.targetTally?.strokes) == [4, 4, 4])
        #expect(pm5.fold.splits.map(\.targets) == [Self.met, Self.missed, Self.met])
        #expect(pm5.fold.summaries.last?.targetTally?.strokes == 12)
        #expect(pm5.fold.summaries.last?.targetTally?.thousandths == 667)
    }

    @Test func liveHasTheBandsOfTheMoment() {
        // Goal: a dashboard shows what is asked for now, also while somebody pauses. Method: the second of
        // two intervals, rowed and then not.
        var pm5 = armed([Self.met, Self.missed], Self.fixedIntervals)
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(2)
        #expect(pm5.fold.live?.target?.bands == Self.missed)
        #expect(pm5.fold.live?.target?.watts == .below)
        pm5.stand(9000)
        #expect(pm5.fold.live?.state == .paused)
        #expect(pm5.fold.live?.target?.bands == Self.missed)
        #expect(pm5.fold.live?.target?.watts == nil)
    }

    @Test func anIntervalWithoutATargetHasNone() {
        // Goal: nothing is said where nothing was asked for. Method: a target in the second of two.
        var pm5 = armed([TargetBands(), Self.met], Self.fixedIntervals)
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(4)
        #expect(
            pm5.fold.strokes.map { $0.target != nil } == [
                false, false, false, false, true, true, true, true,
            ])
        #expect(pm5.fold.splits.map { $0.targetTally == nil } == [true])
    }

    @Test func itEndsWithThePiece() {
        // Goal: the monitor arms the same workout again, and nothing was asked for then. Method: the
        // same piece twice.
        var pm5 = armed([Self.met])
        pm5.row(8)
        pm5.end()
        pm5.arm()
        pm5.row(8)
        pm5.end()
        let sessions = Dictionary(grouping: pm5.fold.strokes, by: \.session.text)
        #expect(sessions["S1"]?.allSatisfy { $0.target != nil } == true)
        #expect(sessions["S2"]?.allSatisfy { $0.target == nil } == true)
        #expect(pm5.fold.summaries.map { $0.targetTally == nil } == [false, true])
    }

    @Test func itIsOfItsWorkoutAlone() {
        // Goal: whoever rows something else has no target, and none is left for later. Method: a just
        // row in between.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        aim([Self.met], Self.piece, on: &pm5)
        pm5.arm()
        pm5.row(3)
        pm5.end(.terminate)
        #expect(pm5.fold.strokes.count == 3)
        #expect(pm5.fold.strokes.allSatisfy { $0.target == nil })
        #expect(pm5.fold.machine.aim == nil)
    }

    @Test func anotherWorkoutTakesItsPlace() {
        // Goal: the last word counts. Method: another target, and then none, before anybody rows.
        var pm5 = armed([Self.met])
        aim([Self.missed], Self.piece, on: &pm5)
        pm5.row(2)
        #expect(pm5.fold.strokes.last?.target?.bands == Self.missed)
        var cleared = armed([Self.met])
        aim([], Self.piece, on: &cleared)
        cleared.row(2)
        #expect(cleared.fold.strokes.last.map { $0.target == nil } == true)
    }

    @Test func whoBeginsAtOnceHasItToo() {
        // Goal: a rower may pull before the workout was read back to its end. Method: two strokes, and
        // the target then.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        pm5.arm()
        pm5.row(2)
        aim([Self.met], Self.piece, on: &pm5)
        pm5.row(2)
        #expect(pm5.fold.strokes.map { $0.target != nil } == [false, false, true, true])
    }

    @Test(arguments: ScriptedMonitor.Loss.allCases)
    func itOutlastsALoss(loss: ScriptedMonitor.Loss) {
        // Goal: neither a lost link nor a killed gateway takes it, before the first stroke or within
        // the piece. Method: both, and the sums of the summary.
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
            pm5.fold.strokes.map(\.target?.bands) == Array(repeating: Self.missed, count: 4)
                + Array(repeating: Self.met, count: 4))
        #expect(pm5.fold.splits.map(\.targetTally?.thousandths) == [0, 1000])
        #expect(pm5.fold.summaries.last?.targetTally?.thousandths == 500)
    }

    @Test func checkpointsWithoutItAreAsTheyWere() throws {
        // Goal: an older gateway reads what has no target, and refuses what has. Method: the version.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 80)
        pm5.arm()
        pm5.row(2)
        #expect(pm5.fold.machine.checkpoint(at: pm5.fold.instant)?.encode().first == 2)
        var aimed = armed([Self.met, Self.missed])
        for strokes in [0, 2] {
            if strokes > 0 { aimed.row(strokes) }
            let kept = try #require(aimed.fold.machine.checkpoint(at: aimed.fold.instant))
            let bytes = kept.encode()
            #expect(bytes.first == 3)
            #expect(SessionCheckpoint(decoding: bytes) == kept)
            for count in 0..<bytes.count {
                #expect(SessionCheckpoint(decoding: Array(bytes.prefix(count))) == nil)
            }
        }
    }

    @Test func whatNobodyHasBegunIsNoSession() throws {
        // Goal: a target that waits is kept, and nothing else. Method: a checkpoint without a session.
        let pm5 = armed([Self.met])
        let kept = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant))
        #expect(kept.beginning == nil && !kept.isOpen)
        #expect(kept.ending(awayFor: .zero, at: pm5.fold.instant) == [])
    }

    @Test func whatIsOverIsNotBegun() throws {
        // Goal: nobody goes on with a session that was told to its end. Method: each stage.
        let kept = try CheckpointTests.stages().map {
            try #require($0.fold.machine.checkpoint(at: $0.fold.instant))
        }
        #expect(kept.map { $0.beginning != nil } == [true, true, true, true, true, false, false])
    }

    @Test func aShareBecomesWatts() {
        // Goal: percent of somebody's power, rounded; the other bands stay. Method: worked out by hand.
        var share = Self.met
        share.powerShare = TargetBand(low: 55, high: nil)
        let targets = WorkoutTargets([share, Self.missed])
        #expect(targets.isPersonal)
        let resolved = targets.resolved(power2k: 310)
        #expect(!resolved.isPersonal)
        // Of 310 W they are 170.5.
        #expect(resolved.intervals[0].watts == TargetBand(low: 171, high: nil))
        #expect(resolved.intervals[0].rate == Self.met.rate)
        #expect(resolved.intervals[1] == Self.missed)
    }

    @Test func equalIntervalsAreOne() {
        // Goal: what is the same in each is kept once. Method: equal ones, none, and some.
        #expect(WorkoutTargets([Self.met, Self.met]).intervals == [Self.met])
        #expect(WorkoutTargets([TargetBands(), TargetBands()]).isEmpty)
        #expect(WorkoutTargets([TargetBands(), Self.met]).intervals.count == 2)
        #expect(WorkoutTargets([Self.met, Self.missed]).bands(ofInterval: nil) == nil)
    }
}
