import PM5Codec
import PM5Simulator
import Rowing
import TestSupport
import Testing

/// Properties of every workout, for any carrier, reading order and moment of a crash.
@Suite struct PropertyTests {
    static let workouts = SimulatedErgTests.workouts

    @Test(arguments: workouts)
    func yieldsSameSessionForAnyCarriers(_ workout: String) throws {
        // Seeded choices of carriers, and all multiplexed, against all dedicated.
        let air = try NotificationTrace(workout, seed: 11)
        let expected = SessionContent(air.replayed())
        var random = TestSupport.SeededGenerator(seed: 11)
        var choices = (0..<4).map { _ in
            NotificationTrace.characteristics.filter { _ in Bool.random(using: &random) }
        }
        choices.append(NotificationTrace.characteristics)
        for choice in choices {
            let multiplexed = Set(choice)
            var published = SessionContent(try air.carried(multiplexing: multiplexed).replayed())
            // The work of a stroke is in a dedicated 0x0035, or in a multiplexed 0x0036. The power of a
            // piece is in 0x0033 or 0x0032.
            let hasWork =
                !multiplexed.contains(.strokeData) || multiplexed.contains(.additionalStrokeData)
            let hasPower =
                !multiplexed.contains(.additionalStatus2)
                || multiplexed.contains(.additionalStatus1)
            for index in published.strokes.indices where !hasWork {
                #expect(published.strokes[index].work == nil)
                published.strokes[index].work = expected.strokes[index].work
            }
            for index in published.results.indices {
                // Only 0x003C verifies a piece.
                published.results[index].isVerifiedByMonitor = nil
                guard !hasPower else { continue }
                published.results[index].averagePowerWatts = expected.results[index].averagePowerWatts
            }
            #expect(published.differences(from: expected) == [], "inside 0x80: \(choice)")
        }
    }

    @Test(arguments: workouts)
    func yieldsSameSessionForLateReader(_ workout: String) throws {
        // Each characteristic is up to 400 ms late, seeded, in its own order.
        let air = try NotificationTrace(workout, seed: 12)
        let expected = SessionContent(air.replayed())
        for seed in UInt64(1)...4 {
            var random = TestSupport.SeededGenerator(seed: seed)
            var delays: [CharacteristicID: ClosedRange<Int>] = [:]
            for id in NotificationTrace.characteristics {
                let least = Int.random(in: 0...300, using: &random)
                delays[id] = least...(least + Int.random(in: 0...100, using: &random))
            }
            let published = SessionContent(air.late(by: delays, seed: seed).replayed())
            #expect(published.differences(from: expected) == [], "seed \(seed)")
        }
    }

    @Test(arguments: workouts)
    func losesNothingAfterStalledReader(_ workout: String) throws {
        // The reader stalls for nine seconds at different moments. Then the backlog of each characteristic
        // arrives as a whole, in seeded order.
        let air = try NotificationTrace(workout, seed: 14)
        let expected = SessionContent(air.replayed())
        for (seed, start) in stride(from: 5_000, through: 75_000, by: 7_000).enumerated() {
            let stalled = air.stalled(start..<start + 9_000, seed: UInt64(seed))
            let published = SessionContent(stalled.replayed())
            let numbers = published.strokes.map(\.number)
            let lost = published.gaps.flatMap { $0.map(Array.init) ?? [] }
            #expect((numbers + lost).sorted() == expected.strokes.map(\.number), "\(start) ms")
            #expect(numbers == numbers.sorted(), "\(start) ms")
            #expect(published.results.map(\.distance) == expected.results.map(\.distance), "\(start)")
            #expect(published.results.map(\.result) == expected.results.map(\.result), "\(start) ms")
        }
    }

    @Test(arguments: workouts)
    func losesNothingSilentlyAfterKillAtAnyEvent(_ workout: String) throws {
        // Decodes the checkpoint at every event, and at some of them continues with a new machine. At the
        // end every stroke and split was published or declared missing once, with the same result.
        let air = try NotificationTrace(workout, seed: 13)
        let whole = air.replayed()
        var harness = MachineHarness(at: 60_000)
        var kills = 0
        for (index, value) in air.values.enumerated() {
            let before = harness.events.count
            air.deliver(value, &harness)
            guard harness.events.count > before,
                let checkpoint = harness.machine.checkpoint(at: harness.instant)
            else { continue }
            #expect(SessionCheckpoint(decoding: checkpoint.encode()) == checkpoint)
            kills += 1
            guard kills.isMultiple(of: 11) else { continue }
            var other = harness.killed(with: checkpoint.encode())
            for value in air.values[(index + 1)...] { air.deliver(value, &other) }
            other.wait(20_000)
            check(other, against: whole, "killed at \(value.at) ms")
        }
        #expect(kills > 20)
    }

    private func check(_ harness: MachineHarness, against whole: MachineHarness, _ name: String) {
        let published = harness.strokes.map(\.number)
        let lost = harness.gaps.flatMap { $0.strokes.map(Array.init) ?? [] }
        #expect((published + lost).sorted() == whole.strokes.map(\.number), "\(name)")
        #expect(published == published.sorted(), "\(name)")
        #expect(harness.splits.map(\.number) == whole.splits.map(\.number), "\(name)")
        #expect(harness.splitGaps.isEmpty, "\(name)")
        #expect(
            harness.splits.map(\.averageHeartRate) == whole.splits.map(\.averageHeartRate), "\(name)")
        for stroke in harness.strokes {
            guard let expected = whole.strokes.first(where: { $0.number == stroke.number }) else {
                continue
            }
            #expect(stroke.elapsed == expected.elapsed, "\(name), stroke \(stroke.number)")
            #expect(stroke.distance == expected.distance, "\(name), stroke \(stroke.number)")
            #expect(stroke.interval == expected.interval, "\(name), stroke \(stroke.number)")
        }
        #expect(harness.edges.map(\.kind) == whole.edges.map(\.kind), "\(name)")
        #expect(harness.summaries.map(\.revision) == whole.summaries.map(\.revision), "\(name)")
        for (summary, expected) in zip(harness.summaries, whole.summaries) {
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

extension MachineHarness {
    /// The same station with a new machine that resumes from the checkpoint; its link opens at once.
    fileprivate func killed(with checkpoint: [UInt8]) -> MachineHarness {
        var other = MachineHarness(at: now, connects: false, sessions: "R")
        other.events = events
        if let read = SessionCheckpoint(decoding: checkpoint) {
            other.machine.resume(
                from: read, awayFor: .zero, at: other.instant, into: &other.events)
        }
        other.linkOpens()
        return other
    }
}
