import Testing

@testable import PM5Codec
@testable import Rowing

/// The monitor's message about its log (0x003F) does not name the piece. It belongs to the result that arrived just
/// before it, or to none.
@Suite struct LogEntryTests {
    /// From a real monitor (Open Rowing Monitor): hash 41 a0 9a 0c 97 a3 70 88.
    private static let log = LoggedWorkout(
        workoutHash: 0x8870_a397_0c9a_a041, logAddress: 0x0108_e1ca, logSizeBytes: 212)
    private static let other = LoggedWorkout(workoutHash: 1, logAddress: 2, logSizeBytes: 3)
    private static let entry = Summary.LogEntry(workoutHash: "41a09a0c97a37088", address: 17_359_306)

    /// A monitor whose rower has finished a piece, and which has not sent its result yet.
    private static func finished(_ carrier: Carrier = .dedicated) -> ScriptedMonitor {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.carrier = carrier
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        return pm5
    }

    @Test(arguments: Carrier.allCases)
    func publishesEntryWithFirstRevision(_ carrier: Carrier) {
        var pm5 = Self.finished(carrier)
        pm5.sendSummary()
        pm5.send(.loggedWorkout(Self.log))
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [Self.entry])
    }

    @Test(arguments: Carrier.allCases)
    func revisesSummaryForLateEntry(_ carrier: Carrier) {
        var pm5 = Self.finished(carrier)
        pm5.sendSummary()
        pm5.pass(2500)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        pm5.send(.loggedWorkout(Self.log))
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil, Self.entry])
        // The entry of a result does not change; only the first one is certain.
        pm5.send(.loggedWorkout(Self.other))
        pm5.sendSummary(recovery: 91)
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil, Self.entry, Self.entry])
    }

    @Test func acceptsEntryThatIsReadBeforeItsResult() {
        var pm5 = Self.finished()
        pm5.send(.loggedWorkout(Self.log))
        pm5.pass(400)
        pm5.sendSummary()
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [Self.entry])
    }

    @Test func ignoresEntryLongBeforeResult() {
        var pm5 = Self.finished()
        pm5.send(.loggedWorkout(Self.other))
        pm5.pass(2500)
        pm5.sendSummary()
        pm5.pass(6000)
        // The first revision did not wait for the monitor's result.
        #expect(pm5.harness.summaries.map(\.isVerifiedAgainstMonitor) == [nil, true])
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil, nil])
    }

    @Test func ignoresEntryLongAfterResult() {
        var pm5 = Self.finished()
        pm5.sendSummary()
        pm5.pass(11_000)
        pm5.send(.loggedWorkout(Self.other))
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil])
    }

    @Test func ignoresEntryOfSpoiledResult() {
        var pm5 = Self.finished()
        pm5.sendSummary()
        let spoiled = LogTimestamp(
            date: LogDate(year: 2025, month: 3, day: 16), time: LogTime(hour: 18, minute: 19))
        pm5.send(.workoutSummary(WorkoutSummary(logged: spoiled, distanceDecimeters: 0)))
        pm5.send(.loggedWorkout(Self.other))
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil])
    }

    @Test func ignoresEntryThatFollowsAnAbsence() {
        // During the absence the monitor may have logged another piece, whose result was not received.
        var pm5 = Self.finished()
        pm5.sendSummary()
        pm5.pass(6000)
        pm5.loseLink(30_000)
        pm5.regainLink()
        pm5.pass(2000)
        pm5.send(.loggedWorkout(Self.other))
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil])
    }

    @Test func keepsEntryOutOfNextPiece() {
        var pm5 = Self.finished()
        pm5.sendSummary()
        pm5.arm()
        pm5.row(3)
        pm5.send(.loggedWorkout(Self.other))
        pm5.row(2)
        pm5.end()
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.session.text) == ["S1", "S2"])
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [nil, nil])
    }

    @Test func acceptsEntryBeforeStatusOfTheEnd() {
        // A busy monitor sends result and log, and no status until much later.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.filter = { notification in
            switch notification {
            case .generalStatus, .additionalStatus1, .additionalStatus2: nil
            default: notification
            }
        }
        pm5.end(summary: false)
        pm5.pass(6000)
        pm5.sendSummary()
        pm5.send(.loggedWorkout(Self.log))
        pm5.pass(3000)
        pm5.filter = { $0 }
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.monitorLogEntry) == [Self.entry])
    }

    @Test func keepsEntryOverRestart() {
        var pm5 = Self.finished()
        pm5.sendSummary()
        pm5.send(.loggedWorkout(Self.log))
        pm5.pass(6000)
        pm5.away(.gateway) { $0.pass(20_000) }
        pm5.sendSummary(recovery: 91)
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        #expect(pm5.harness.summaries.last?.recoveryHeartRate == 91)
        #expect(pm5.harness.summaries.last?.monitorLogEntry == Self.entry)
    }
}
