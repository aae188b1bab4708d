import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// A monitor too busy to send its timed values still sends its strokes.
@Suite struct BusyMonitorTests {
    static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]

    @Test(arguments: PropertyTests.workouts, [false, true])
    func publishesEveryStrokeWithoutStatus(_ workout: String, _ isMultiplexed: Bool) throws {
        // 20 s and two minutes without timed values, at different moments, on either carrier. Strokes,
        // splits and result must equal those with timed values; there is no gap and no pause.
        var air = try NotificationTrace(workout, seed: 21)
        let expected = air.replayed()
        if isMultiplexed {
            air = try air.carried(multiplexing: Set(NotificationTrace.characteristics))
        }
        let over = air.truth.last { $0.kind == .session }?["at_s"] ?? 0
        for length in [20_000, 120_000] {
            for start in stride(from: 3_000, through: Int(over * 1000), by: 18_250) {
                let name = "\(workout), starved from \(start) ms for \(length)"
                let end = min(start + length, Int(over * 1000) + 20_000)
                let published = air.withoutTimedValues(start..<end).replayed()
                check(published, against: expected, name)
            }
        }
    }

    private func check(_ published: MachineHarness, against expected: MachineHarness, _ name: String) {
        #expect(published.strokes.map(\.number) == expected.strokes.map(\.number), "\(name)")
        for (stroke, actual) in zip(published.strokes, expected.strokes) {
            let place = "\(name), stroke \(stroke.number)"
            #expect(stroke.powerWatts == actual.powerWatts, "\(place)")
            // If the last status of an interval is missing, 0x0037 gives whole metres and 0.1 s.
            let before = stroke.isWithinIntervals(name) ? (actual.interval ?? 1) - 1 : 0
            let meters = abs(stroke.distance.millimeters - actual.distance.millimeters)
            #expect(meters <= 1000 * Int64(before), "\(place)")
            let time = abs(stroke.elapsed.seconds - actual.elapsed.seconds)
            #expect(time <= 0.101 * Double(before), "\(place)")
        }
        #expect(published.splits.map(\.duration) == expected.splits.map(\.duration), "\(name)")
        #expect(published.gaps.isEmpty && published.splitGaps.isEmpty, "\(name)")
        #expect(published.edges.map(\.kind) == [.started, .ended], "\(name)")
        for (summary, result) in zip(published.summaries, expected.summaries) {
            #expect(summary.result == result.result, "\(name)")
            #expect(summary.distance == result.distance, "\(name)")
            #expect(summary.calories == result.calories, "\(name)")
            #expect(summary.averageStrokeRate == result.averageStrokeRate, "\(name)")
        }
        #expect(published.summaries.count == expected.summaries.count, "\(name)")
        #expect(published.machine.counters.implausible == 0, "\(name)")
    }

    @Test func publishesStrokesWithoutDelay() {
        // Fifty strokes in two minutes without a status; then the piece continues.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        let last = pm5.harness.strokes.count
        pm5.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        for number in 1...50 {
            pm5.row(1)
            pm5.pass(100)
            #expect(pm5.harness.strokes.count == last + number)
        }
        #expect(pm5.harness.live?.isStale == true)
        #expect(pm5.harness.strokes.last?.heartRate == nil && pm5.harness.strokes.last?.pace == nil)
        #expect(pm5.harness.states.last?.activity == .rowing)
        pm5.filter = { $0 }
        pm5.row(4)
        pm5.end(.terminate, lap: false)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.strokes.map(\.number) == Array(1...58))
        #expect(pm5.harness.gaps.isEmpty)
        #expect(pm5.harness.summaries.map(\.isVerifiedAgainstMonitor) == [true])
    }

    @Test func holdsStrokesOfNextPieceUntilStatus() {
        // No timed values from the last strokes of one piece to the sixth of the next.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(10)
        pm5.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        pm5.row(4)
        pm5.end(.terminate, lap: false)
        pm5.arm()
        pm5.row(6)
        pm5.filter = { $0 }
        pm5.row(4)
        pm5.end(.terminate, lap: false)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started, .ended])
        #expect(pm5.harness.strokes.map(\.number) == Array(1...14) + Array(1...10))
        #expect(pm5.harness.strokes.allSatisfy { $0.powerWatts != nil && $0.recoveryTime != nil })
        #expect(pm5.harness.gaps.isEmpty)
    }

    @Test(arguments: ["100m", "0:40"])
    func recoversPiecesWithoutStatus(_ workout: String) throws {
        // Several pieces in sequence, without timed values for one or two minutes at different moments. The
        // strokes and results of each piece must equal those with all statuses, without a gap.
        let air = try NotificationTrace(workout, seed: 5, repeatingFor: 240_000)
        let expected = Self.pieces(air.replayed())
        #expect(expected.count >= 3)
        for length in [60_000, 115_000] {
            for start in stride(from: 1000, through: 110_000, by: 7300) {
                let name = "\(workout), starved from \(start) ms for \(length)"
                let published = air.withoutTimedValues(start..<start + length).replayed()
                #expect(Self.pieces(published) == expected, "\(name)")
                #expect(published.gaps.isEmpty && published.splitGaps.isEmpty, "\(name)")
            }
        }
    }

    /// Describes each session, in order.
    private static func pieces(_ harness: MachineHarness) -> [String] {
        harness.edges.filter { $0.kind == .started }.map { edge in
            let strokes = harness.strokes.filter { $0.session == edge.session }.map(\.number)
            let splits = harness.splits.filter { $0.session == edge.session }.map(\.number)
            let summary = harness.summaries.last { $0.session == edge.session }
            let result = summary.map { "\($0.result) \($0.distance) \($0.workout)" } ?? "none"
            return "\(strokes) \(splits) \(result)"
        }
    }

    /// How the end of a piece is hidden.
    enum Hiding: CaseIterable {
        case finished, armedAgain, withoutSummary, linkLost, another
    }

    @Test(arguments: Hiding.allCases, [false, true])
    func recoversPieceWithHiddenEnd(_ hiding: Hiding, isFirst: Bool) {
        // A piece without timed values, as the first of a link or after another one. Statuses return while
        // its end shows, or later, or the link is lost.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        if !isFirst {
            pm5.row(10)
            pm5.end()
            pm5.arm()
        }
        pm5.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        pm5.row(10)
        pm5.end(summary: hiding != .withoutSummary)
        if hiding == .another {
            pm5.arm()
            pm5.row(10)
            pm5.end()
        }
        if hiding != .finished { pm5.arm() }
        if hiding == .linkLost {
            pm5.loseLink(20_000)
            pm5.regainLink()
        }
        pm5.filter = { $0 }
        pm5.pass(8000)
        let pieces = (isFirst ? 1 : 2) + (hiding == .another ? 1 : 0)
        let kinds = Array(repeating: [SessionTransition.Kind.started, .ended], count: pieces)
        #expect(pm5.harness.edges.map(\.kind) == Array(kinds.joined()))
        let numbers = Array(repeating: Array(1...10), count: pieces)
        #expect(pm5.harness.strokes.map(\.number) == Array(numbers.joined()))
        #expect(Set(pm5.harness.strokes.map(\.session)).count == pieces)
        #expect(pm5.harness.summaries.allSatisfy { $0.distance == Meters(100) })
        #expect(pm5.harness.summaries.last?.workout.target == .distance(Meters(100)))
        #expect(hiding == .linkLost || pm5.harness.gaps.isEmpty)
    }

    @Test func recoversStrokesAndEndOfPieceWithLateStatus() {
        // No timed values from before the first stroke, and from the middle until long after the end. The
        // session must have all strokes and the right end.
        var early = ScriptedMonitor(.fixedDistanceWithSplits, 400)
        early.arm()
        early.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        early.row(30)
        early.filter = { $0 }
        early.row(10)
        early.end()
        #expect(early.harness.strokes.map(\.number) == Array(1...40))
        #expect(early.harness.gaps.isEmpty)
        #expect(early.harness.summaries.map(\.isVerifiedAgainstMonitor) == [true])
        var late = ScriptedMonitor(.fixedDistanceWithSplits, 400)
        late.arm()
        late.row(10)
        late.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        late.row(30)
        let end = late.harness.instant
        late.end()
        late.pass(60_000)
        late.filter = { $0 }
        late.pass(3000)
        #expect(late.harness.strokes.map(\.number) == Array(1...40))
        #expect(late.harness.edges.map(\.kind) == [.started, .ended])
        #expect(late.harness.summaries.map(\.isVerifiedAgainstMonitor) == [true])
        #expect(late.harness.summaries.first?.endedAt.duration(to: end) ?? .seconds(9) < .seconds(3))
    }
}
