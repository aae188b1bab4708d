import PM5Codec
import Rowing
import Testing

/// Single rules for adding up intervals.
@Suite struct LegRuleTests {
    @Test(
        arguments: [
            (.fixedTimeInterval, 1000, .time), (.fixedDistanceInterval, 40, .distance),
        ] as [(WorkoutType, UInt32, DurationType)])
    func usesGoalAsLengthOfInterval(
        type: WorkoutType, duration: UInt32, unit: DurationType
    ) throws {
        // The statuses of the last second and 0x0037 are lost. The goal gives the exact length.
        var pm5 = ScriptedMonitor(type, duration, unit)
        pm5.filter = { notification in
            switch notification {
            case .splitData: nil
            case .generalStatus(let packet):
                packet.elapsedCentiseconds > 900 && packet.workoutState != .intervalRest
                    ? nil : notification
            default: notification
            }
        }
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.nextInterval(after: 3)
        pm5.row(1)
        let last = try #require(pm5.harness.strokes.last)
        if unit == .time { #expect(last.elapsed == .milliseconds(12_500)) }
        if unit == .distance { #expect(last.distance == Meters(50)) }
    }

    @Test(arguments: [false, true])
    func usesFrozenTimeOfRestAsLengthOfWork(runsOn: Bool) throws {
        // The interval ends 1.3 s after its last stroke. Its last statuses and 0x0037 are lost, so the
        // first statuses of the rest give the length. If their time still runs, the last status of the work
        // counts.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 45, .distance)
        nonisolated(unsafe) var behind: UInt32 = 0
        // nonisolated(unsafe): set by the closure below on this thread.
        pm5.filter = { notification in
            switch notification {
            case .splitData: return nil
            case .generalStatus(var packet):
                guard packet.workoutState != .intervalWorkDistance else {
                    return packet.elapsedCentiseconds > 1000 ? nil : notification
                }
                if runsOn { behind = min(behind + 7, 430) }
                packet.elapsedCentiseconds += behind
                return .generalStatus(packet)
            default: return notification
            }
        }
        pm5.arm()
        pm5.row(4)
        pm5.pass(1300)
        pm5.rest(seconds: 3)
        pm5.filter = { if case .splitData = $0 { nil } else { $0 } }
        pm5.nextInterval(after: 3)
        pm5.row(1)
        let last = try #require(pm5.harness.strokes.last)
        #expect(last.interval == 2)
        #expect(last.elapsed == .milliseconds(runsOn ? 12_500 : 13_800))
        #expect(last.distance == Meters(55))
    }

    @Test func placesStrokeBeforeRestCorrectly() throws {
        // Two of four strokes in the second interval are missed. Of the last stroke only the drive arrives;
        // statuses arrive from the rest on.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.nextInterval(after: 3)
        pm5.row(1)
        pm5.away(.link) { $0.row(2) }
        pm5.filter = { notification in
            switch notification {
            case .generalStatus(let packet) where packet.workoutState == .intervalWorkTime: nil
            case .strokeData(let packet) where packet.elapsedCentiseconds >= 1000: nil
            default: notification
            }
        }
        pm5.row(1)
        pm5.rest(seconds: 8)
        let last = try #require(pm5.harness.strokes.last)
        #expect(last.interval == 2)
        #expect(last.elapsed == .milliseconds(18_200))
        #expect(last.distance == Meters(decimeters: 728))
        #expect(pm5.harness.gaps.allSatisfy { $0.isRecovered })
    }

    @Test func keepsExactTimeOfStrokeAfterTruncatedEnd() throws {
        // The stroke ended at 10.05 s, and the end shows 10.0 s. Its 0x0036 is lost, so it waits until
        // after the end.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 40, .distance)
        pm5.filter = { notification in
            switch notification {
            case .strokeData(var packet) where packet.strokeCount == 4:
                packet.elapsedCentiseconds = 1005
                return .strokeData(packet)
            case .additionalStrokeData(let packet) where packet.strokeCount == 4: return nil
            default: return notification
            }
        }
        pm5.arm()
        pm5.row(4)
        pm5.end()
        pm5.pass(10_000)
        #expect(pm5.harness.strokes.last?.number == 4)
        #expect(pm5.harness.strokes.last?.elapsed == .milliseconds(10_050))
    }

    @Test func appliesLateSplitToPreviousInterval() throws {
        // Without a rest, 0x0037 arrives a stroke late, with 0.4 s and 2 m more than our own values.
        var pm5 = ScriptedMonitor(.variableInterval, 0, .calories)
        nonisolated(unsafe) var held: PM5Codec.Notification?
        // nonisolated(unsafe): set by the closure below on this thread.
        pm5.filter = { notification in
            guard case .splitData(var packet) = notification else { return notification }
            packet.splitDeciseconds += 4
            packet.splitDistanceMeters += 2
            held = .splitData(packet)
            return nil
        }
        pm5.arm()
        pm5.row(4)
        pm5.nextInterval()
        pm5.row(1)
        pm5.filter = { $0 }
        pm5.send(try #require(held))
        pm5.row(1)
        let last = try #require(pm5.harness.strokes.last)
        #expect(last.elapsed == .milliseconds(15_400))
        #expect(last.distance == Meters(62))
        #expect(last.interval == 2)
    }

    @Test func assignsLateStrokeToItsInterval() throws {
        // An interval of 40 s. The 0x0036 of its last stroke arrives after the next interval's status.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 4000, .time)
        nonisolated(unsafe) var held: PM5Codec.Notification?
        // nonisolated(unsafe): set by the closure below on this thread.
        pm5.filter = { notification in
            guard case .additionalStrokeData(let packet) = notification, packet.strokeCount == 16
            else { return notification }
            held = notification
            return nil
        }
        pm5.arm()
        pm5.row(16)
        pm5.nextInterval()
        pm5.pass(500)
        pm5.filter = { $0 }
        pm5.send(try #require(held))
        pm5.row(2)
        #expect(pm5.harness.machine.counters.implausible == 0)
        #expect(pm5.harness.strokes.map(\.number) == Array(1...18))
        #expect(pm5.harness.strokes[15].powerWatts == 180)
        #expect(pm5.harness.strokes[15].interval == 1)
        #expect(pm5.harness.strokes[15].elapsed == .seconds(40))
    }

    @Test func beginsNewSessionWhenFinishedDistanceShrinks() {
        // After a rest the same workout is restarted, and all its values are lost on an open link.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.isReceiving = false
        pm5.end(.terminate)
        pm5.arm()
        pm5.isReceiving = true
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(40)])
    }

    @Test(arguments: ScriptedMonitor.Loss.allCases)
    func opensIntervalAfterAbsenceFromRest(_ loss: ScriptedMonitor.Loss) {
        // Lost in the middle of a rest, back after the first stroke of the next interval. No distance was
        // added meanwhile.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.away(loss) { pm5 in
            pm5.pass(2000)
            pm5.nextInterval(after: 5)
            pm5.row(1)
        }
        pm5.row(3)
        pm5.end(.terminate)
        #expect(pm5.harness.strokes.last?.interval == 2)
        #expect(pm5.harness.strokes.last?.distance == Meters(80))
        #expect(pm5.harness.summaries.first?.distance == Meters(80))
        #expect(Set(pm5.harness.edges.map(\.session)).count == 1)
    }

    @Test func addsMissedIntervalOnlyOnce() {
        // Half of an interval and its rest are missed. Then its 0x0037 follows the first status, which has
        // already added the same metres.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(2)
        pm5.away(.link) { pm5 in
            pm5.row(2)
            pm5.rest(seconds: 3)
            pm5.nextInterval(after: 3)
        }
        pm5.pass(1000)
        pm5.laps -= 1
        pm5.sendSplit(restSeconds: 3)
        pm5.row(1)
        #expect(pm5.harness.strokes.last?.interval == 2)
        #expect(pm5.harness.strokes.last?.distance == Meters(50))
    }

    @Test func ignoresRoundedMetreOfMonitorSum() {
        // Lost from the end of an interval to its rest. The monitor's sum, in whole metres, is one metre
        // above ours.
        var pm5 = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        pm5.arm()
        pm5.row(4)
        pm5.away(.link) { pm5 in
            pm5.rest(seconds: 2)
            pm5.finishedMeters += 1
        }
        pm5.pass(1000)
        pm5.nextInterval(after: 3)
        pm5.row(1)
        #expect(pm5.harness.gaps.map(\.isRecovered) == [true])
        #expect(pm5.harness.strokes.last?.interval == 2)
    }

    @Test func continuesSessionWithVariableGoals() {
        // Another length in the second interval, and a just row with a changing duration byte.
        var pm5 = ScriptedMonitor(.variableInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        (pm5.duration, pm5.durationType) = (2000, .time)
        pm5.nextInterval(after: 3)
        pm5.row(4)
        #expect(pm5.harness.edges.map(\.kind) == [.started])
        #expect(pm5.harness.strokes.map(\.number) == Array(1...8))
        var justRow = ScriptedMonitor(.justRowWithSplits, 0)
        justRow.arm()
        justRow.row(3)
        justRow.duration = 500
        justRow.row(3)
        #expect(justRow.harness.edges.map(\.kind) == [.started])
    }
}
