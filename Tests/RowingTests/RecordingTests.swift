import Rowing
import Testing

/// Replays `Tests/Recordings`, which describes the recordings.
@Suite struct RecordingTests {
    @Test func summarizesTheOldMonitors100Meters() throws {
        let harness = try Recording.oldMonitor().replayed()
        #expect(harness.strokes.map(\.number) == Array(1...10))
        #expect(harness.gaps.isEmpty)
        #expect(harness.edges.map(\.kind) == [.started, .ended])
        let summary = try #require(harness.summaries.first)
        #expect(harness.summaries.count == 1)
        #expect(summary.distance == Meters(100))
        #expect(summary.result == .milliseconds(22_720))
        #expect(summary.averageStrokeRate == 26)
        #expect(summary.averagePowerWatts == 239)
        #expect(summary.averagePace == Pace(decisecondsPer500m: 1136))
        #expect(summary.isVerifiedAgainstMonitor == true)
        #expect(summary.isComplete)
        #expect(summary.strokes == 10)
        #expect(summary.splits == 1)
        #expect(summary.monitorLogDate == "2016-05-17T06:12")
        #expect(summary.workout.target == .distance(Meters(100)))
    }

    @Test func summarizesTheRingsRawValues() throws {
        // The gateway that kept these values published the same summary.
        let harness = try Recording.ringExport().replayed()
        #expect(harness.strokes.map(\.number) == Array(1...7))
        #expect(harness.splits.map(\.number) == [1, 2])
        #expect(harness.gaps.isEmpty)
        let summary = try #require(harness.summaries.first)
        #expect(harness.summaries.count == 1)
        #expect(summary.distance == Meters(60) && summary.result == .milliseconds(15_600))
        #expect(summary.averagePowerWatts == 159 && summary.averageHeartRate == 90)
        #expect(summary.isComplete && summary.isVerifiedAgainstMonitor == true)
        #expect(summary.monitorLogDate == "2026-11-30T06:30")
        #expect(summary.monitorLogEntry == .init(workoutHash: "d6c4a4c953e74961", address: 17_301_760))
    }

    @Test func mergesTheTwoPacketsOfEachStroke() throws {
        let harness = try Recording.oldMonitor().replayed()
        let first = harness.strokes[0]
        #expect(first.work == nil)
        #expect(first.recoveryTime == .milliseconds(1900))
        #expect(first.powerWatts == 99)
        #expect(first.elapsed == .milliseconds(2800))
        let second = harness.strokes[1]
        #expect(second.work == Joules(decijoules: 6292))
        #expect(second.driveLength == Meters(centimeters: 122))
        #expect(second.driveTime == .milliseconds(820))
        #expect(second.recoveryTime == .milliseconds(1780))
        #expect(second.strokeRate == 22)
        #expect(second.heartRate == nil)
        #expect(second.powerWatts == 242)
        #expect(second.projectedTime == .seconds(28))
        let last = harness.strokes[9]
        #expect(last.recoveryTime == nil)
        #expect(last.powerWatts == 277)
        #expect(last.elapsed == .milliseconds(21_590))
        #expect(harness.strokes.allSatisfy { $0.interval == 1 })
    }

    @Test func mergesTheTwoPacketsOfTheSplit() throws {
        let harness = try Recording.oldMonitor().replayed()
        let split = try #require(harness.splits.first)
        #expect(harness.splits.count == 1)
        #expect(split.number == 1)
        #expect(split.duration == .milliseconds(22_700))
        #expect(split.distance == Meters(100))
        #expect(split.averagePowerWatts == 239)
        #expect(split.averageStrokeRate == 26)
        #expect(split.averageDragFactor == 97)
        #expect(split.rest == nil)
    }

    @Test func publishesStatesOnlyWhenTheyChange() throws {
        let harness = try Recording.oldMonitor().replayed()
        #expect(
            harness.states.map(\.activity) == [
                .idle, .ready, .ready, .idle, .ready, .rowing, .finished,
            ])
    }

    @Test func countsEachStrokeOnceWhenNumberedAtTheCatch() throws {
        let harness = try Recording.countsAtTheCatch().replayed()
        #expect(harness.strokes.map(\.number) == Array(1...24))
        #expect(harness.gaps.isEmpty)
        #expect(harness.splits.map(\.number) == Array(1...3))
        let second = harness.strokes[1]
        #expect(second.driveTime == .milliseconds(860))
        #expect(second.driveLength == Meters(centimeters: 138))
        #expect(harness.edges.first?.kind == .started)
        // The split ends with stroke 7: its 0x0037 follows 100 ms after the end of the drive.
        #expect(harness.strokes[5...7].map(\.interval) == [1, 1, 2])
    }

    @Test func joinsEachCurveToItsStrokeWhenNumberedAtTheCatch() throws {
        let harness = try Recording.countsAtTheCatch().replayed()
        #expect(harness.curves.map(\.stroke) == Array(1...24))
        for (curve, stroke) in zip(harness.curves, harness.strokes) {
            // The curve's highest sample is the stroke's peak force, to a pound.
            let highest = Int64(curve.poundsForce.max() ?? 0) * 10
            let near =
                Newtons(deciPoundsForce: highest - 10)...Newtons(deciPoundsForce: highest + 10)
            #expect(curve.isComplete)
            #expect(stroke.peakForce.map(near.contains) == true, "\(stroke.number)")
        }
    }
}
