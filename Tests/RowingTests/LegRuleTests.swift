import PM5Codec
import Rowing
import Testing

/// Single rules of adding up intervals, each with what would go wrong without it.
@Suite struct LegRuleTests {
    @Test(
        arguments: [
            (.fixedTimeInterval, 1000, .time), (.fixedDistanceInterval, 40, .distance),
        ] as [(WorkoutType, UInt32, DurationType)])
    func anIntervalIsAsLongAsItWasSet(
        type: WorkoutType, duration: UInt32, unit: DurationType
    ) throws {
        // Goal: the last status of an interval is up to a second old, its goal is exact. Method: the
        // statuses of the last second and 0x0037 are lost; the sums are right all the same.
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
        let last = try #require(pm5.fold.strokes.last)
        if unit == .time { #expect(last.elapsed == .milliseconds(12_500)) }
        if unit == .distance { #expect(last.distance == Meters(50)) }
    }

    @Test(arguments: [false, true])
    func aTimeThatStandsStillInTheRestIsThatOfTheWork(runsOn: Bool) throws {
        // Goal: without 0x0037 the first statuses of the rest tell how long the work was. Some
        // monitors let the time run on for a while there; then only the last status of the work
        // counts.
        // Method: an interval ends 1.3 s behind its last stroke; its last statuses and 0x0037 are
        // lost.
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
        let last = try #require(pm5.fold.strokes.last)
        #expect(last.interval == 2)
        #expect(last.elapsed == .milliseconds(runsOn ? 12_500 : 13_800))
        #expect(last.distance == Meters(55))
    }

    @Test func aStrokeBeforeTheRestIsWhereItWasRowed() throws {
        // Goal: whoever is back just before the rest of the same interval knows where that began, so
        // that its last stroke is not put at its end. Method: of the second interval's four strokes
        // two are missed, and of the last one the drive is heard; statuses come from the rest on.
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
        let last = try #require(pm5.fold.strokes.last)
        #expect(last.interval == 2)
        #expect(last.elapsed == .milliseconds(18_200))
        #expect(last.distance == Meters(decimeters: 728))
        #expect(pm5.fold.gaps.allSatisfy { $0.isRecovered })
    }

    @Test func aStrokeKeepsTheTimeThatTheEndTellsCutToTenths() throws {
        // Goal: a stroke that is told behind the end has the time it had, not the end's 10.0 s.
        // Method: it ended at 10.05 s; its 0x0036 is lost, so that it waits beyond the end.
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
        #expect(pm5.fold.strokes.last?.number == 4)
        #expect(pm5.fold.strokes.last?.elapsed == .milliseconds(10_050))
    }

    @Test func figuresThatComeBehindTheNextIntervalCountToo() throws {
        // Goal: 0x0037 may be read after the first status of the next interval. Method: no rest; the
        // packet, 0.4 s and 2 m above our own figures, comes a stroke late.
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
        let last = try #require(pm5.fold.strokes.last)
        #expect(last.elapsed == .milliseconds(15_400))
        #expect(last.distance == Meters(62))
        #expect(last.interval == 2)
    }

    @Test func aStrokeReadAfterItsLongIntervalIsToldInIt() throws {
        // Goal: late packets of an interval are no noise, however far the time went back. Method: an
        // interval of 40 s; the 0x0036 of its last stroke comes behind the next one's status.
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
        #expect(pm5.fold.machine.counters.implausible == 0)
        #expect(pm5.fold.strokes.map(\.number) == Array(1...18))
        #expect(pm5.fold.strokes[15].powerWatts == 180)
        #expect(pm5.fold.strokes[15].interval == 1)
        #expect(pm5.fold.strokes[15].elapsed == .seconds(40))
    }

    @Test func intervalsBegunAnewUnseenAreAnotherSession() {
        // Goal: the finished distance never shrinks within a piece. Method: after a rest the same
        // workout is begun anew, and nothing of it is heard on a link that stands.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.isHeard = false
        pm5.end(.terminate)
        pm5.arm()
        pm5.isHeard = true
        pm5.row(3)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(40)])
    }

    @Test(arguments: ScriptedMonitor.Loss.allCases)
    func anAbsenceFromARestIntoTheNextInterval(_ loss: ScriptedMonitor.Loss) {
        // Goal: the interval behind the rest is a new one, although no distance was added meanwhile.
        // Method: away in the middle of a rest, back after the first stroke of the next interval.
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
        #expect(pm5.fold.strokes.last?.interval == 2)
        #expect(pm5.fold.strokes.last?.distance == Meters(80))
        #expect(pm5.fold.summaries.first?.distance == Meters(80))
        #expect(Set(pm5.fold.edges.map(\.session)).count == 1)
    }

    @Test func aSumThatWasTakenOverIsNotAddedAgain() {
        // Goal: after an absence over the end of an interval the monitor's sum tells where the next one
        // began; the figures of the missed one, which may come behind, tell the same metres. Method:
        // half of an interval and its rest are missed, then 0x0037 of it follows the first status.
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
        pm5.sendLap(restSeconds: 3)
        pm5.row(1)
        #expect(pm5.fold.strokes.last?.interval == 2)
        #expect(pm5.fold.strokes.last?.distance == Meters(50))
    }

    @Test func aMetreLostByRoundingIsNoInterval() {
        // Goal: the monitor adds whole metres, we tenths. Method: away from the end of an interval to
        // its rest; the sum is a metre above ours.
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
        #expect(pm5.fold.gaps.map(\.isRecovered) == [true])
        #expect(pm5.fold.strokes.last?.interval == 2)
    }

    @Test func variableIntervalsOfOtherLengthsAreOneSession() {
        // Goal: each interval may have a goal of its own; a just row has none. Method: another length
        // in the second interval; a just row whose duration byte changes.
        var pm5 = ScriptedMonitor(.variableInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        (pm5.duration, pm5.durationType) = (2000, .time)
        pm5.nextInterval(after: 3)
        pm5.row(4)
        #expect(pm5.fold.edges.map(\.kind) == [.started])
        #expect(pm5.fold.strokes.map(\.number) == Array(1...8))
        var justRow = ScriptedMonitor(.justRowWithSplits, 0)
        justRow.arm()
        justRow.row(3)
        justRow.duration = 500
        justRow.row(3)
        #expect(justRow.fold.edges.map(\.kind) == [.started])
    }
}
