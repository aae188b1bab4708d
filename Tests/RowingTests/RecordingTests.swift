import Rowing
import Testing

@Suite struct RecordingTests {
    @Test(.enabled(if: Recording.ergometerJS != nil))
    func aReal100MetrePieceComesOutAsItWasRowed() throws {
        // Goal: the figures of a real monitor. Method: the ErgometerJS recording of 2016, replayed.
        let fold = try #require(Recording.ergometerJS).folded()
        #expect(fold.strokes.map(\.number) == Array(1...10))
        #expect(fold.gaps.isEmpty)
        #expect(fold.edges.map(\.kind) == [.started, .ended])
        let summary = try #require(fold.summaries.first)
        #expect(fold.summaries.count == 1)
        #expect(summary.distance == Meters(100))
        #expect(summary.result == .seconds(25))
        #expect(summary.averageStrokeRate == 24)
        #expect(summary.averagePowerWatts == 179)
        #expect(summary.averagePace == Pace(decisecondsPer500m: 1250))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.isComplete)
        #expect(summary.strokes == 10)
        #expect(summary.splits == 1)
        #expect(summary.monitorLogDate == "2016-03-06T11:36")
        #expect(summary.workout.target == .distance(Meters(100)))
    }

    @Test(.enabled(if: Recording.ergometerJS != nil))
    func strokesOfARealMonitorAreMerged() throws {
        // Goal: one stroke from its packets. Method: the first, the second and the last stroke.
        let fold = try #require(Recording.ergometerJS).folded()
        let first = fold.strokes[0]
        #expect(first.work == nil)
        #expect(first.recoveryTime == .milliseconds(1800))
        #expect(first.powerWatts == 109)
        #expect(first.elapsed == .milliseconds(2740))
        let second = fold.strokes[1]
        #expect(second.work == Joules(decijoules: 3815))
        #expect(second.driveLength == Meters(centimeters: 124))
        #expect(second.driveTime == .milliseconds(700))
        #expect(second.recoveryTime == .milliseconds(1870))
        #expect(second.strokeRate == 22)
        #expect(second.heartRate == nil)
        #expect(second.powerWatts == 142)
        #expect(second.projectedTime == .seconds(27))
        let last = fold.strokes[9]
        #expect(last.recoveryTime == nil)
        #expect(last.powerWatts == 191)
        #expect(last.elapsed == .milliseconds(24_980))
        #expect(fold.strokes.allSatisfy { $0.interval == 1 })
    }

    @Test(.enabled(if: Recording.ergometerJS != nil))
    func theSplitOfARealMonitorIsMerged() throws {
        // Goal: 0x0037 and 0x0038 as one. Method: the only split of the recording.
        let fold = try #require(Recording.ergometerJS).folded()
        let split = try #require(fold.splits.first)
        #expect(fold.splits.count == 1)
        #expect(split.number == 1)
        #expect(split.duration == .seconds(25))
        #expect(split.distance == Meters(100))
        #expect(split.averagePowerWatts == 179)
        #expect(split.averageStrokeRate == 24)
        #expect(split.averageDragFactor == 98)
        #expect(split.rest == nil)
    }

    @Test(.enabled(if: Recording.ergometerJS != nil))
    func theStatesOfARealPieceAreToldOnChange() throws {
        // Goal: the retained state follows the monitor. Method: the states of the recording.
        let fold = try #require(Recording.ergometerJS).folded()
        #expect(
            fold.states.map(\.activity) == [
                .idle, .ready, .ready, .idle, .ready, .rowing, .finished,
            ])
    }

    @Test(.enabled(if: Recording.emulator != nil))
    func anEmulatorThatCountsAtTheCatchGivesEachStrokeOnce() throws {
        // Goal: openrowingmonitor's other order is understood. Method: its recorded just row.
        let fold = try #require(Recording.emulator).folded()
        #expect(fold.strokes.map(\.number) == Array(1...fold.strokes.count))
        #expect(fold.strokes.count == 49)
        #expect(fold.gaps.isEmpty)
        #expect(fold.splits.map(\.number) == Array(1...5))
        let second = fold.strokes[1]
        #expect(second.driveTime == .milliseconds(920))
        #expect(second.powerWatts == 119)
        #expect(fold.edges.first?.kind == .started)
        // 0x0035 of the split's last stroke comes 100 ms behind the boundary.
        #expect(fold.strokes[8...10].map(\.interval) == [1, 1, 2])
        #expect(fold.strokes[39].interval == 5 && fold.strokes[38].interval == 4)
    }

    @Test(.enabled(if: Recording.emulator != nil))
    func anEmulatorThatCountsAtTheCatchGivesEachCurveItsStroke() throws {
        // Goal: curves join strokes by the end of the drive. Method: the recorded just row; the
        // highest sample is, to a pound, the peak that the stroke's own packet tells.
        let fold = try #require(Recording.emulator).folded()
        #expect(fold.curves.map(\.stroke) == Array(1...49))
        for (curve, stroke) in zip(fold.curves, fold.strokes) {
            let highest = Int64(curve.poundsForce.max() ?? 0) * 10
            let near =
                Newtons(deciPoundsForce: highest - 10)...Newtons(deciPoundsForce: highest + 10)
            #expect(curve.isComplete)
            #expect(stroke.peakForce.map(near.contains) == true, "\(stroke.number)")
        }
    }
}
