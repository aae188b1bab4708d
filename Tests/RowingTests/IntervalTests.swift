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
    func strokesAreNumberedOverTheSession(_ kind: Kind) {
        // Goal: one numbering over all intervals. Method: three intervals of four strokes.
        let fold = Self.row(kind).fold
        #expect(fold.strokes.map(\.number) == Array(1...12))
        #expect(fold.strokes.map(\.interval) == [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
        #expect(fold.curves.map(\.stroke) == Array(1...12))
        #expect(fold.gaps.isEmpty)
        #expect(fold.edges.map(\.kind) == [.started, .ended])
    }

    @Test(arguments: kinds)
    func timeAndDistanceAddUpOverIntervals(_ kind: Kind) throws {
        // Goal: the reset is no error. Method: the last stroke and the summary of three intervals.
        let fold = Self.row(kind).fold
        let pairs = zip(fold.strokes, fold.strokes.dropFirst())
        #expect(pairs.allSatisfy { $0.elapsed <= $1.elapsed && $0.distance <= $1.distance })
        #expect(fold.strokes.last?.elapsed == .seconds(30))
        #expect(fold.strokes.last?.distance == Meters(120))
        let summary = try #require(fold.summaries.first)
        #expect(summary.result == .seconds(30))
        #expect(summary.distance == Meters(120))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.isComplete == kind.type.hasEnd)
        #expect(summary.strokes == 12)
    }

    @Test(arguments: kinds)
    func intervalsAndTheirRestsAreSplits(_ kind: Kind) {
        // Goal: each interval is told with its rest. Method: the splits of three intervals.
        let fold = Self.row(kind).fold
        #expect(fold.splits.map(\.number) == [1, 2, 3])
        #expect(fold.splits.map(\.duration) == [.seconds(10), .seconds(10), .seconds(10)])
        #expect(fold.splits.map(\.distance) == [Meters(40), Meters(40), Meters(40)])
        let rest: Duration? = kind.rest > 0 ? .seconds(kind.rest) : nil
        #expect(fold.splits.map(\.rest) == [rest, rest, nil])
        #expect(fold.splits.allSatisfy { $0.averageHeartRate == 140 && $0.workHeartRate == 140 })
    }

    @Test(arguments: kinds)
    func statesFollowWorkAndRest(_ kind: Kind) {
        // Goal: resting is told, once per rest. Method: the states of three intervals.
        let states = Self.row(kind).fold.states.map(\.activity)
        let between: [ActivityState] = kind.rest > 0 ? [.resting, .rowing, .resting, .rowing] : []
        #expect(states == [.idle, .ready, .rowing] + between + [.finished])
    }

    @Test func aSessionThatEndsInARestIsWhole() throws {
        // Goal: menu pressed in the last rest. Method: two intervals, state 11 during the rest.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.nextInterval(after: 5)
        pm5.row(4)
        pm5.rest(seconds: 5)
        pm5.end(.terminate)
        let summary = try #require(pm5.fold.summaries.first)
        #expect(summary.result == .seconds(20))
        #expect(summary.distance == Meters(80))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(pm5.fold.splits.count == 2)
    }

    @Test func strokesInARestAreNumberedAndAddNoWork() {
        // Goal: paddling in a rest. Method: two strokes in the rest, then the next interval.
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
        #expect(pm5.fold.strokes.map(\.number) == Array(1...10))
        #expect(pm5.fold.strokes[4...5].allSatisfy { $0.distance == Meters(40) })
        #expect(pm5.fold.strokes.last?.distance == Meters(80))
        #expect(pm5.fold.strokes.last?.elapsed == .seconds(20))
    }

    @Test func theRestIsLive() throws {
        // Goal: the dashboard counts the rest. Method: the sample in the middle of a rest.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 5)
        let live = try #require(pm5.fold.live)
        #expect(live.state == .resting)
        #expect(live.rest == .seconds(1))
        #expect(live.restDistance == Meters(4))
        #expect(live.elapsed == .seconds(10))
        #expect(live.distance == Meters(40))
        #expect(live.pace == nil)
    }

    @Test func theMonitorsOwnFiguresCorrectOurs() {
        // Goal: an interval ends between two statuses. Method: calories have no exact end; 0x0037
        // says 0.4 s and 2 m more than the last status did.
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
        #expect(pm5.fold.strokes.last?.elapsed == .milliseconds(12_900))
        #expect(pm5.fold.strokes.last?.distance == Meters(52))
    }

    @Test func theLastStrokeOfAnIntervalIsWhenItWas() {
        // Goal: a stroke behind the last status of its interval keeps its time. Method: calories, so
        // that no goal tells the end; a drive ends 0.2 s behind a status, and the rest begins there.
        var pm5 = ScriptedMonitor(.fixedCalorieInterval, 4, .calories)
        pm5.arm()
        pm5.row(4)
        pm5.strokeState = .driving
        pm5.pass(700)
        pm5.count += 1
        pm5.sendStroke(recoveryMilliseconds: 0)
        pm5.sendPower()
        pm5.rest(seconds: 20)
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 4, 5])
        #expect(pm5.fold.strokes.last?.elapsed == .milliseconds(10_700))
        #expect(pm5.fold.strokes.last?.distance == Meters(decimeters: 428))
    }

    @Test func aMultiErgTellsTheMachineOfEachInterval() {
        // Goal: row, ski, bike in one session. Method: the type changes with each interval.
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
        #expect(pm5.fold.splits.map(\.machine) == [.multiErgRow, .multiErgSki, .multiErgBike])
    }
}
