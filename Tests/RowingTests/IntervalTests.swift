import PM5Codec
import Rowing
import Testing

@Suite struct IntervalTests {
    struct Kind: CustomTestStringConvertible {
        let type: WorkoutType
        let duration: UInt32
        let durationType: DurationType
        let rest: Int
        var undefined = false
        var testDescription: String { "\(type), rest \(rest)" }
    }

    /// Four strokes are 10 s and 40 m.
    static let kinds: [Kind] = [
        Kind(type: .fixedTimeInterval, duration: 1000, durationType: .time, rest: 5),
        Kind(type: .fixedDistanceInterval, duration: 40, durationType: .distance, rest: 5),
        Kind(type: .fixedCalorieInterval, duration: 4, durationType: .calories, rest: 5),
        Kind(type: .variableInterval, duration: 40, durationType: .distance, rest: 5),
        Kind(type: .variableInterval, duration: 1000, durationType: .time, rest: 5),
        Kind(type: .variableInterval, duration: 12, durationType: .wattMinutes, rest: 5),
        Kind(type: .fixedTimeInterval, duration: 1000, durationType: .time, rest: 0),
        Kind(type: .fixedDistanceInterval, duration: 40, durationType: .distance, rest: 0),
        Kind(type: .variableInterval, duration: 40, durationType: .distance, rest: 0),
        Kind(
            type: .variableIntervalUndefinedRest, duration: 40, durationType: .distance, rest: 20,
            undefined: true),
    ]

    static func row(_ kind: Kind, intervals: Int = 3) -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(kind.type, kind.duration, kind.durationType)
        pm5.arm()
        for interval in 1...intervals {
            pm5.row(4)
            if interval == intervals { break }
            if kind.rest > 0 { pm5.rest(seconds: kind.rest, undefined: kind.undefined) }
            pm5.nextInterval(after: kind.rest)
        }
        pm5.end(kind.type.hasEnd ? .workoutEnd : .terminate)
        pm5.pass(4000)
        return pm5
    }

    @Test(arguments: kinds)
    func numbersStrokesOverAllIntervals(_ kind: Kind) {
        // Three intervals of four strokes.
        let harness = Self.row(kind).harness
        #expect(harness.strokes.map(\.number) == Array(1...12))
        #expect(harness.strokes.map(\.interval) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
        #expect(harness.curves.map(\.stroke) == Array(1...12))
        #expect(harness.gaps.isEmpty)
        #expect(harness.edges.map(\.kind) == [.started, .ended])
    }

    @Test(arguments: kinds)
    func addsTimeAndDistanceOverIntervals(_ kind: Kind) throws {
        let harness = Self.row(kind).harness
        let pairs = zip(harness.strokes, harness.strokes.dropFirst())
        #expect(pairs.allSatisfy { $0.elapsed <= $1.elapsed && $0.distance <= $1.distance })
        #expect(harness.strokes.last?.elapsed == .seconds(30))
        #expect(harness.strokes.last?.distance == Meters(120))
        let summary = try #require(harness.summaries.first)
        #expect(summary.result == .seconds(30))
        #expect(summary.distance == Meters(120))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.isComplete == kind.type.hasEnd)
        #expect(summary.strokes == 12)
    }

    @Test(arguments: kinds)
    func publishesIntervalsAndRestsAsSplits(_ kind: Kind) {
        let harness = Self.row(kind).harness
        #expect(harness.splits.map(\.number) == [1, 2, 3])
        #expect(harness.splits.map(\.duration) == [.seconds(10), .seconds(10), .seconds(10)])
        #expect(harness.splits.map(\.distance) == [Meters(40), Meters(40), Meters(40)])
        let rest: Duration? = kind.rest > 0 ? .seconds(kind.rest) : nil
        #expect(harness.splits.map(\.rest) == [rest, rest, nil])
        #expect(harness.splits.allSatisfy { $0.averageHeartRate == 140 && $0.workHeartRate == 140 })
    }

    @Test(arguments: kinds)
    func publishesRestingOncePerRest(_ kind: Kind) {
        let states = Self.row(kind).harness.states.map(\.activity)
        let between: [ActivityState] = kind.rest > 0 ? [.resting, .rowing, .resting, .rowing] : []
        #expect(states == [.idle, .ready, .rowing] + between + [.finished])
    }

    @Test func endsSessionDuringRest() throws {
        // Two intervals; state 11 during the last rest.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.end(.terminate)
        let summary = try #require(pm5.harness.summaries.first)
        #expect(summary.result == .seconds(20))
        #expect(summary.distance == Meters(80))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(pm5.harness.splits.count == 2)
    }

    @Test func numbersStrokesInRestWithoutAddingWork() {
        // Two strokes in the rest, then the next interval.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 2)
        for _ in 0..<2 {
            pm5.count += 1
            pm5.decimeters += 50
            pm5.milliseconds += 2000
            pm5.sendStroke(recoveryMilliseconds: 1800)
            pm5.sendPower()
            pm5.pass(1500)
            pm5.milliseconds += 1500
            pm5.sendStroke(recoveryMilliseconds: 1800)
            pm5.pass(1000)
        }
        pm5.finishedStrokes += 2
        pm5.nextInterval(after: 7)
        pm5.row(4)
        #expect(pm5.harness.strokes.map(\.number) == Array(1...10))
        #expect(pm5.harness.strokes[4...5].allSatisfy { $0.distance == Meters(40) })
        #expect(pm5.harness.strokes.last?.distance == Meters(80))
        #expect(pm5.harness.strokes.last?.elapsed == .seconds(20))
    }

    @Test func reportsRestInLiveSample() throws {
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        let live = try #require(pm5.harness.live)
        #expect(live.state == .resting)
        #expect(live.rest == .seconds(1))
        #expect(live.restDistance == Meters(4))
        #expect(live.elapsed == .seconds(10))
        #expect(live.distance == Meters(40))
        #expect(live.pace == nil)
    }

    @Test func correctsIntervalWithMonitorValues() {
        // A goal in calories has no exact end. 0x0037 has 0.4 s and 2 m more than the last status.
        var pm5 = ScriptedMonitor(.fixedCalorieInterval, 4, .calories)
        pm5.filter = { notification in
            guard case .splitData(var packet) = notification else { return notification }
            packet.splitDeciseconds += 4
            packet.splitDistanceMeters += 2
            return .splitData(packet)
        }
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(1)
        pm5.pass(1000)
        #expect(pm5.harness.strokes.last?.elapsed == .milliseconds(12_900))
        #expect(pm5.harness.strokes.last?.distance == Meters(52))
    }

    @Test func timesLastStrokeOfInterval() {
        // A goal in calories. The last drive ends 0.2 s after a status, and the rest begins there.
        var pm5 = ScriptedMonitor(.fixedCalorieInterval, 4, .calories)
        pm5.arm()
        pm5.row(4)
        pm5.strokeState = .driving
        pm5.pass(700)
        pm5.count += 1
        pm5.sendStroke(recoveryMilliseconds: 0)
        pm5.sendPower()
        pm5.rest(seconds: 20)
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 4, 5])
        #expect(pm5.harness.strokes.last?.elapsed == .milliseconds(10_700))
        #expect(pm5.harness.strokes.last?.distance == Meters(decimeters: 428))
    }

    @Test func reportsMachineOfEachMultiErgInterval() {
        // Row, ski, bike: the type changes with each interval.
        var pm5 = ScriptedMonitor(.variableInterval, 40)
        pm5.arm()
        for machine in [ErgMachineType.multiErgRow, .multiErgSki, .multiErgBike] {
            pm5.machine = machine
            pm5.row(4)
            if machine == .multiErgBike { break }
            pm5.rest(seconds: 5)
            pm5.nextInterval(after: 5)
        }
        pm5.end()
        #expect(pm5.harness.splits.map(\.machine) == [.multiErgRow, .multiErgSki, .multiErgBike])
    }
}
