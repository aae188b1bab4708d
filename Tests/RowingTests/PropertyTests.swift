import PM5Codec
import PM5Simulator
import Rowing
import TestSupport
import Testing

/// What must hold for every workout, however its values travel and whenever we die.
@Suite struct PropertyTests {
    static let workouts = SimulatedErgTests.workouts

    @Test(arguments: workouts)
    func anyChoiceOfCarriersGivesTheSameSession(_ workout: String) throws {
        // Goal: each characteristic may come by itself or inside 0x0080, whatever the others do.
        // Method: seeded choices, and all of them inside, against all of them by themselves.
        let air = try Airwaves(workout, seed: 11)
        let expected = Essence(air.folded())
        var random = TestSupport.SeededGenerator(seed: 11)
        var choices = (0..<4).map { _ in
            Airwaves.characteristics.filter { _ in Bool.random(using: &random) }
        }
        choices.append(Airwaves.characteristics)
        for choice in choices {
            let multiplexed = Set(choice)
            var told = Essence(try air.carried(multiplexing: multiplexed).folded())
            // The work of a stroke is in 0x0035 where that is dedicated, in 0x0036 where that is not;
            // the power of a piece in 0x0033 and 0x0032.
            let hasWork =
                !multiplexed.contains(.strokeData) || multiplexed.contains(.additionalStrokeData)
            let hasPower =
                !multiplexed.contains(.additionalStatus2)
                || multiplexed.contains(.additionalStatus1)
            for index in told.strokes.indices where !hasWork {
                #expect(told.strokes[index].work == nil)
                told.strokes[index].work = expected.strokes[index].work
            }
            for index in told.results.indices {
                // Only 0x003C vouches for a piece.
                told.results[index].isVerifiedByMonitor = nil
                guard !hasPower else { continue }
                told.results[index].averagePowerWatts = expected.results[index].averagePowerWatts
            }
            #expect(told.differences(from: expected) == [], "inside 0x80: \(choice)")
        }
    }

    @Test(arguments: workouts)
    func aLateReaderTellsTheSameSession(_ workout: String) throws {
        // Goal: sockets that are read one after the other make no difference. Method: each
        // characteristic up to 400 ms behind, seeded, in its own order.
        let air = try Airwaves(workout, seed: 12)
        let expected = Essence(air.folded())
        for seed in UInt64(1)...4 {
            var random = TestSupport.SeededGenerator(seed: seed)
            var delays: [CharacteristicID: ClosedRange<Int>] = [:]
            for id in Airwaves.characteristics {
                let least = Int.random(in: 0...300, using: &random)
                delays[id] = least...(least + Int.random(in: 0...100, using: &random))
            }
            let told = Essence(air.late(by: delays, seed: seed).folded())
            #expect(told.differences(from: expected) == [], "seed \(seed)")
        }
    }

    @Test(arguments: workouts)
    func aStalledReaderLosesNothing(_ workout: String) throws {
        // Goal: no stroke is counted twice, none is lost in silence, and the result is the same when
        // a socket is read long before another.
        // Method: nine seconds stand still at moments all over the piece; then each characteristic's
        // backlog comes as a whole, in seeded order.
        let air = try Airwaves(workout, seed: 14)
        let expected = Essence(air.folded())
        for (seed, start) in stride(from: 5_000, through: 75_000, by: 7_000).enumerated() {
            let stalled = air.stalled(start..<start + 9_000, seed: UInt64(seed))
            let told = Essence(stalled.folded())
            let numbers = told.strokes.map(\.number)
            let lost = told.gaps.flatMap { $0.map(Array.init) ?? [] }
            #expect((numbers + lost).sorted() == expected.strokes.map(\.number), "\(start) ms")
            #expect(numbers == numbers.sorted(), "\(start) ms")
            #expect(told.results.map(\.distance) == expected.results.map(\.distance), "\(start)")
            #expect(told.results.map(\.result) == expected.results.map(\.result), "\(start) ms")
        }
    }

    @Test(arguments: workouts)
    func aKillAtAnyEventLosesNothingInSilence(_ workout: String) throws {
        // Goal: what a checkpoint keeps is what goes on. Method: at every event the checkpoint is
        // read back as it was; at some of them another machine takes it up, and at the end every
        // stroke and split was told or declared missing once, and the result is the same.
        let air = try Airwaves(workout, seed: 13)
        let whole = air.folded()
        var fold = Fold(at: 60_000)
        var kills = 0
        for (index, value) in air.values.enumerated() {
            let before = fold.events.count
            air.hear(value, &fold)
            guard fold.events.count > before,
                let checkpoint = fold.machine.checkpoint(at: fold.instant)
            else { continue }
            #expect(SessionCheckpoint(decoding: checkpoint.encode()) == checkpoint)
            kills += 1
            guard kills.isMultiple(of: 11) else { continue }
            var other = fold.killed(with: checkpoint.encode())
            for value in air.values[(index + 1)...] { air.hear(value, &other) }
            other.wait(20_000)
            check(other, against: whole, "killed at \(value.at) ms")
        }
        #expect(kills > 20)
    }

    private func check(_ fold: Fold, against whole: Fold, _ name: String) {
        let told = fold.strokes.map(\.number)
        let lost = fold.gaps.flatMap { $0.strokes.map(Array.init) ?? [] }
        #expect((told + lost).sorted() == whole.strokes.map(\.number), "\(name)")
        #expect(told == told.sorted(), "\(name)")
        #expect(fold.splits.map(\.number) == whole.splits.map(\.number), "\(name)")
        #expect(fold.splitGaps.isEmpty, "\(name)")
        #expect(
            fold.splits.map(\.averageHeartRate) == whole.splits.map(\.averageHeartRate), "\(name)")
        for stroke in fold.strokes {
            guard let expected = whole.strokes.first(where: { $0.number == stroke.number }) else {
                continue
            }
            #expect(stroke.elapsed == expected.elapsed, "\(name), stroke \(stroke.number)")
            #expect(stroke.distance == expected.distance, "\(name), stroke \(stroke.number)")
            #expect(stroke.interval == expected.interval, "\(name), stroke \(stroke.number)")
        }
        #expect(fold.edges.map(\.kind) == whole.edges.map(\.kind), "\(name)")
        #expect(fold.summaries.map(\.revision) == whole.summaries.map(\.revision), "\(name)")
        for (summary, expected) in zip(fold.summaries, whole.summaries) {
            #expect(summary.result == expected.result, "\(name)")
            #expect(summary.distance == expected.distance, "\(name)")
            #expect(summary.calories == expected.calories, "\(name)")
            #expect(summary.averagePowerWatts == expected.averagePowerWatts, "\(name)")
            #expect(summary.splits == expected.splits, "\(name)")
            #expect(summary.averageHeartRate == expected.averageHeartRate, "\(name)")
            #expect(summary.recoveryHeartRate == expected.recoveryHeartRate, "\(name)")
            #expect(summary.rest == expected.rest, "\(name)")
            #expect(
                summary.isVerifiedAgainstMonitor == expected.isVerifiedAgainstMonitor, "\(name)")
            #expect(summary.isComplete == expected.isComplete, "\(name)")
        }
    }
}

extension Fold {
    /// The same station with a machine that knows the checkpoint alone; its link is up at once.
    fileprivate func killed(with checkpoint: [UInt8]) -> Fold {
        var other = Fold(at: now, connects: false, sessions: "R")
        other.events = events
        if let read = SessionCheckpoint(decoding: checkpoint) {
            other.machine.resume(
                from: read, awayFor: .zero, at: other.instant, into: &other.events)
        }
        other.linkOpens()
        return other
    }
}
