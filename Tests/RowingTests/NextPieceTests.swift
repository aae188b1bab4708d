import PM5Codec
import PM5Simulator
import Rowing
import Testing

/// A piece begins before the summary of the previous one has arrived.
@Suite struct NextPieceTests {
    @Test func addsFirstStrokeToNextPiece() throws {
        // Intervals, terminated, without a summary; restarted 4.2 s later.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.nextInterval(after: 3)
        pm5.row(4)
        pm5.end(.terminate, summary: false)
        pm5.arm()
        pm5.row(4)
        let first = pm5.harness.strokes.filter { $0.session.text == "S1" }
        #expect(first.map(\.number) == Array(1...8))
        #expect(first.last?.elapsed == .seconds(20))
        let second = pm5.harness.strokes.filter { $0.session.text == "S2" }
        #expect(second.map(\.number) == Array(1...4))
        #expect(second.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(second.first?.elapsed == .milliseconds(2500))
        #expect(pm5.harness.curves.map { "\($0.session) \($0.stroke)" }.suffix(4).first == "S2 1")
        #expect(pm5.harness.gaps.isEmpty && pm5.harness.splitGaps.isEmpty)
        #expect(pm5.harness.summaries.map(\.strokes) == [8])
        #expect(pm5.harness.summaries.map(\.distance) == [Meters(80)])
    }

    @Test(arguments: [WorkoutType.justRowWithoutSplits, .fixedDistanceInterval])
    func separatesFirstStrokesOfStoppedAndNextPiece(_ type: WorkoutType) {
        // Stopped after one drive, before its recovery packet arrives; restarted meanwhile.
        var pm5 = ScriptedMonitor(type, 40)
        pm5.arm()
        if type.isInterval {
            pm5.row(4)
            pm5.rest(seconds: 3)
            pm5.nextInterval(after: 3)
        }
        pm5.drive()
        pm5.pass(1000)
        pm5.end(.terminate, summary: false)
        pm5.arm()
        pm5.row(4)
        let first = pm5.harness.strokes.filter { $0.session.text == "S1" }
        #expect(first.map(\.number) == Array(1...(type.isInterval ? 5 : 1)))
        #expect(first.last?.recoveryTime == nil)
        let second = pm5.harness.strokes.filter { $0.session.text == "S2" }
        #expect(second.map(\.number) == Array(1...4))
        #expect(second.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(pm5.harness.gaps.isEmpty)
    }

    @Test(arguments: [WorkoutType.justRowWithoutSplits, .fixedDistanceWithSplits], [false, true])
    func addsFirstStrokeAfterGapToNextPiece(_ type: WorkoutType, isLost: Bool) {
        // The rower restarts while no value arrives for less than two seconds. The first drive arrives
        // before any status, and then the link may be lost.
        var pm5 = ScriptedMonitor(type, 400)
        pm5.arm()
        pm5.row(4)
        var isDisconnected = true
        pm5.filter = { notification in
            if case .strokeData = notification { isDisconnected = false }
            return isDisconnected ? nil : notification
        }
        pm5.arm()
        if isLost {
            pm5.filter = { notification in
                switch notification {
                case .strokeData, .additionalStrokeData: notification
                default: nil
                }
            }
        }
        pm5.row(1)
        if isLost {
            pm5.away(.link) { _ in }
            pm5.filter = { $0 }
        }
        pm5.row(2)
        let first = pm5.harness.strokes.filter { $0.session.text == "S1" }
        #expect(first.map(\.number) == Array(1...4))
        let second = pm5.harness.strokes.filter { $0.session.text == "S2" }
        #expect(second.map(\.number) == Array(1...3))
        #expect(second.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended, .started])
        // The gap belongs to the first piece.
        let gaps = pm5.harness.gaps.filter { $0.session.text == "S1" }
        #expect(gaps.map(\.isUncounted) == [true])
    }

    @Test(arguments: UInt64(1)...6)
    func assignsStrokesAndSplitsToTheirPiece(_ seed: UInt64) throws {
        // A simulated erg whose rower restarts at once; its summaries are lost.
        let air = try NotificationTrace("2x50m/0:10r", seed: seed, repeatingFor: 200_000).without([
            .workoutSummary, .additionalWorkoutSummary, .loggedWorkout,
        ])
        let harness = air.replayed()
        let sessions = harness.edges.filter { $0.kind == .ended }.map(\.session)
        #expect(sessions.count >= 3)
        for (index, session) in sessions.enumerated() {
            func actual(_ kind: TruthRecord.Kind, _ field: String) -> [Double] {
                air.truth.filter { $0.kind == kind && $0["session"] == Double(index + 1) }
                    .compactMap { $0[field] }
            }
            let strokes = harness.strokes.filter { $0.session == session }
            #expect(strokes.map { Double($0.number) } == actual(.stroke, "session_stroke"))
            let splits = harness.splits.filter { $0.session == session }
            #expect(splits.map { Double($0.number) } == actual(.split, "split"))
            #expect(splits.map(\.duration.seconds) == actual(.split, "duration_s"))
        }
        #expect(harness.gaps.isEmpty && harness.splitGaps.isEmpty)
    }
}
