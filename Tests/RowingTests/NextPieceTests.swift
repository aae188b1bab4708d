import PM5Codec
import PM5Simulator
import Rowing
import Testing

/// A piece that begins while the summary of the one before it is still waited for.
@Suite struct NextPieceTests {
    @Test func itsFirstStrokeIsItsOwn() throws {
        // Goal: what is read before the status that tells of a piece is no part of the one before.
        // Method: intervals, terminated, without a summary; rowed again 4.2 s later.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(4)
        pm5.rest(seconds: 3)
        pm5.nextInterval(after: 3)
        pm5.row(4)
        pm5.end(.terminate, summary: false)
        pm5.arm()
        pm5.row(4)
        let first = pm5.fold.strokes.filter { $0.session.text == "S1" }
        #expect(first.map(\.number) == Array(1...8))
        #expect(first.last?.elapsed == .seconds(20))
        let second = pm5.fold.strokes.filter { $0.session.text == "S2" }
        #expect(second.map(\.number) == Array(1...4))
        #expect(second.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(second.first?.elapsed == .milliseconds(2500))
        #expect(pm5.fold.curves.map { "\($0.session) \($0.stroke)" }.suffix(4).first == "S2 1")
        #expect(pm5.fold.gaps.isEmpty && pm5.fold.splitGaps.isEmpty)
        #expect(pm5.fold.summaries.map(\.strokes) == [8])
        #expect(pm5.fold.summaries.map(\.distance) == [Meters(80)])
    }

    @Test(arguments: [WorkoutType.justRowWithoutSplits, .fixedDistanceInterval])
    func itsFirstStrokeIsNotThatOfAGivenUpInterval(_ type: WorkoutType) {
        // Goal: two first strokes are two. Method: given up behind one drive, whose recovery is waited
        // for; begun anew within those seconds.
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
        let first = pm5.fold.strokes.filter { $0.session.text == "S1" }
        #expect(first.map(\.number) == Array(1...(type.isInterval ? 5 : 1)))
        #expect(first.last?.recoveryTime == nil)
        let second = pm5.fold.strokes.filter { $0.session.text == "S2" }
        #expect(second.map(\.number) == Array(1...4))
        #expect(second.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(pm5.fold.gaps.isEmpty)
    }

    @Test(arguments: [WorkoutType.justRowWithoutSplits, .fixedDistanceWithSplits], [false, true])
    func itsFirstStrokeBehindAHoleIsItsOwn(_ type: WorkoutType, isLost: Bool) {
        // Goal: an end that nobody heard takes no packet of the next piece away. Method: in less
        // than two seconds of which nothing arrives the rower begins anew; the first drive is heard
        // before any status, and the link may be lost behind it.
        var pm5 = ScriptedMonitor(type, 400)
        pm5.arm()
        pm5.row(4)
        var isDeaf = true
        pm5.filter = { notification in
            if case .strokeData = notification { isDeaf = false }
            return isDeaf ? nil : notification
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
        let first = pm5.fold.strokes.filter { $0.session.text == "S1" }
        #expect(first.map(\.number) == Array(1...4))
        let second = pm5.fold.strokes.filter { $0.session.text == "S2" }
        #expect(second.map(\.number) == Array(1...3))
        #expect(second.allSatisfy { $0.powerWatts == 180 && $0.recoveryTime != nil })
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started])
        // The hole is the first piece's.
        let said = pm5.fold.gaps.filter { $0.session.text == "S1" }
        #expect(said.map(\.isUncounted) == [true])
    }

    @Test(arguments: UInt64(1)...6)
    func everyPieceHasItsOwnStrokesAndSplits(_ seed: UInt64) throws {
        // Goal: the same with a simulated erg, whose rower goes on at once. Method: its summaries are
        // lost; the strokes and splits of each session beside those of its piece.
        let air = try Airwaves("2x50m/0:10r", seed: seed, repeatingFor: 200_000).without([
            .workoutSummary, .additionalWorkoutSummary, .loggedWorkout,
        ])
        let fold = air.folded()
        let sessions = fold.edges.filter { $0.kind == .ended }.map(\.session)
        #expect(sessions.count >= 3)
        for (index, session) in sessions.enumerated() {
            func rowed(_ kind: TruthRecord.Kind, _ field: String) -> [Double] {
                air.truth.filter { $0.kind == kind && $0["session"] == Double(index + 1) }
                    .compactMap { $0[field] }
            }
            let strokes = fold.strokes.filter { $0.session == session }
            #expect(strokes.map { Double($0.number) } == rowed(.stroke, "session_stroke"))
            let splits = fold.splits.filter { $0.session == session }
            #expect(splits.map { Double($0.number) } == rowed(.split, "split"))
            #expect(splits.map(\.duration.seconds) == rowed(.split, "duration_s"))
        }
        #expect(fold.gaps.isEmpty && fold.splitGaps.isEmpty)
    }
}
