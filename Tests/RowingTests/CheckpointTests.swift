import PM5Codec
import Rowing
import TestSupport
import Testing

@Suite struct CheckpointTests {
    /// Machines in every stage of a session.
    static func stages() -> [ScriptedMonitor] {
        var rowing = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        rowing.arm()
        rowing.row(7)
        var resting = ScriptedMonitor(.variableInterval, 40)
        resting.arm()
        resting.row(4)
        resting.rest(seconds: 4)
        var paused = ScriptedMonitor(.justRowWithoutSplits)
        paused.arm()
        paused.row(3)
        paused.stand(9000)
        var lost = ScriptedMonitor(.fixedTimeInterval, 1000, .time)
        lost.arm()
        lost.row(3)
        lost.loseLink(5000)
        var ending = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        ending.arm()
        ending.row(5)
        ending.end(summary: false)
        var closed = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        closed.arm()
        closed.row(5)
        closed.end()
        var multiplexed = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        multiplexed.carrier = .multiplexed
        multiplexed.arm()
        multiplexed.row(5)
        multiplexed.end()
        return [rowing, resting, paused, lost, ending, closed, multiplexed]
    }

    @Test func decodesEncodedCheckpointOfEveryStage() throws {
        for pm5 in Self.stages() {
            let checkpoint = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant))
            let bytes = checkpoint.encode()
            #expect(bytes.count < 200)
            #expect(SessionCheckpoint(decoding: bytes) == checkpoint)
        }
    }

    @Test func keepsThatAPhoneSetTheWorkout() throws {
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.harness.machine.notePhoneWorkout(at: pm5.harness.instant)
        pm5.arm()
        let armed = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
        pm5.row(5)
        let rowing = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
        pm5.end()
        #expect(pm5.harness.edges.map(\.workout.isSetByPhone) == [true, true])
        for bytes in [armed, rowing] {
            #expect(SessionCheckpoint(decoding: bytes)?.encode() == bytes)
            pm5.harness = MachineHarness(at: 20_000, connects: false, sessions: "R")
            pm5.harness.machine.resume(
                from: try #require(SessionCheckpoint(decoding: bytes)), awayFor: .seconds(5),
                at: pm5.harness.instant, into: &pm5.harness.events)
            pm5.harness.linkOpens()
            pm5.arm()
            pm5.row(5)
            pm5.end()
            #expect(pm5.harness.edges.last?.workout.isSetByPhone == true)
        }
    }

    @Test func encodesLongestStageBelow200Bytes() throws {
        // The longest stage, with a session ID of 26 characters.
        var longest = 0
        for pm5 in Self.stages() {
            let count = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
                .count
            longest = max(longest, count)
        }
        #expect(longest - "S1".count + 26 < 200)
    }

    @Test func rejectsDamagedAndForeignBytes() throws {
        // Every truncation, another version, and endless numbers.
        for pm5 in Self.stages() {
            var bytes = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
            for count in 0..<bytes.count {
                #expect(SessionCheckpoint(decoding: Array(bytes.prefix(count))) == nil)
            }
            bytes[0] += 1
            #expect(SessionCheckpoint(decoding: bytes) == nil)
        }
        #expect(SessionCheckpoint(decoding: [2] + [UInt8](repeating: 0xFF, count: 150)) == nil)
    }

    @Test func neverTrapsOnLargestNumbers() throws {
        // The largest accepted count, and larger ones, in place of each byte of a checkpoint; then a
        // resumed session. The fuzzer found an age that overflowed.
        let counts: [[UInt8]] = [5, 6, 8].map { [UInt8](repeating: 0xFF, count: $0) + [0x1F] }
        for pm5 in Self.stages() {
            let checkpoint = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant))
            let bytes = checkpoint.encode()
            for (index, count) in bytes.indices.flatMap({ index in counts.map { (index, $0) } }) {
                let damaged = Array(bytes[..<index]) + count + bytes[(index + 1)...]
                guard let read = SessionCheckpoint(decoding: damaged) else { continue }
                var fresh = pm5
                fresh.harness = MachineHarness(at: pm5.harness.now, connects: false)
                fresh.harness.machine.resume(
                    from: read, awayFor: .seconds(5), at: fresh.harness.instant,
                    into: &fresh.harness.events)
                fresh.isReceiving = true
                fresh.harness.linkOpens()
                fresh.row(2)
                fresh.end()
            }
        }
    }

    @Test func neverTrapsOnDamagedBytes() throws {
        // Seeded bit flips, decoded and resumed.
        var random = SeededGenerator(seed: 20_260_101)
        let stages = Self.stages()
        for round in 0..<2000 {
            let pm5 = stages[round % stages.count]
            var bytes = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            guard let read = SessionCheckpoint(decoding: bytes) else { continue }
            var fresh = pm5
            fresh.harness = MachineHarness(at: pm5.harness.now, connects: false)
            fresh.harness.machine.resume(
                from: read, awayFor: .seconds(5), at: fresh.harness.instant, into: &fresh.harness.events)
            fresh.isReceiving = true
            fresh.harness.linkOpens()
            fresh.row(2)
            fresh.end()
        }
    }

    @Test func hasNoCheckpointWithoutSession() {
        // An armed monitor.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        #expect(pm5.harness.machine.checkpoint(at: pm5.harness.instant) == nil)
    }

    @Test func resumesOnClockOfAnotherBoot() throws {
        // A power cut during a piece; the new boot clock begins at 20 s.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(6)
        let bytes = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
        let started = try #require(pm5.harness.edges.first?.startedAt)
        let age = started.duration(to: pm5.harness.instant)
        pm5.isReceiving = false
        pm5.row(2)
        let events = pm5.harness.events
        pm5.harness = MachineHarness(at: 20_000, connects: false, sessions: "R")
        pm5.harness.events = events
        let read = try #require(SessionCheckpoint(decoding: bytes))
        pm5.harness.machine.resume(
            from: read, awayFor: .seconds(5), at: pm5.harness.instant, into: &pm5.harness.events)
        pm5.regainLink()
        pm5.row(4)
        pm5.end()
        let edge = try #require(pm5.harness.edges.last)
        #expect(edge.kind == .ended && edge.session.text == "S1")
        #expect(edge.startedAt.duration(to: edge.at) > age)
        #expect(edge.startedAt.signedMilliseconds < 20_000)
        #expect(pm5.harness.gaps.map(\.reason) == [.gatewayRestart])
        #expect(pm5.harness.gaps.map(\.strokes) == [7...8])
        #expect(pm5.harness.summaries.first?.isVerifiedAgainstMonitor == true)
    }

    @Test func measuresUnknownAbsenceByMonitorClock() throws {
        // Resumes without a reliable wall clock; the time of the piece gives the length.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        let bytes = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
        pm5.isReceiving = false
        pm5.row(8)
        pm5.harness = MachineHarness(at: 20_000, connects: false, sessions: "R")
        let read = try #require(SessionCheckpoint(decoding: bytes))
        pm5.harness.machine.resume(
            from: read, awayFor: nil, at: pm5.harness.instant, into: &pm5.harness.events)
        pm5.regainLink()
        pm5.row(1)
        let gap = try #require(pm5.harness.gaps.first)
        #expect(gap.session.text == "S1")
        #expect(gap.strokes == 7...14)
        #expect((Duration.seconds(19)...Duration.seconds(22)).contains(gap.duration))
    }

    @Test func continuesSessionAfterTwoKills() throws {
        // Two kills with a stroke between them.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(3)
        pm5.away(.gateway) { $0.pass(400) }
        pm5.row(3)
        pm5.away(.gateway) { $0.pass(4000) }
        pm5.row(3)
        #expect(Set(pm5.harness.strokes.map(\.session.text)) == ["S1"])
        let numbers = pm5.harness.strokes.map(\.number)
        #expect(Set(numbers).count == numbers.count && numbers == numbers.sorted())
        #expect(pm5.harness.gaps.count == 2)
    }

    /// The process in between ran during the outage and saw nothing of the monitor.
    @Test(arguments: [WorkoutType.justRowWithoutSplits, .fixedDistanceWithSplits])
    func continuesSessionAfterAnotherRestartInTheOutage(_ type: WorkoutType) throws {
        var pm5 = type.isJustRow ? ScriptedMonitor(type) : ScriptedMonitor(type, 500)
        pm5.arm()
        pm5.row(6)
        var bytes = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
        pm5.isReceiving = false
        for _ in 0..<3 {
            let lost = pm5.harness.now
            pm5.row(6)
            let events = pm5.harness.events
            pm5.harness = MachineHarness(at: pm5.harness.now, connects: false, sessions: "R")
            pm5.harness.events = events
            pm5.harness.machine.resume(
                from: try #require(SessionCheckpoint(decoding: bytes)),
                awayFor: .milliseconds(pm5.harness.now - lost), at: pm5.harness.instant,
                into: &pm5.harness.events)
            bytes = try #require(pm5.harness.machine.checkpoint(at: pm5.harness.instant)).encode()
        }
        pm5.regainLink()
        pm5.row(3)
        #expect(pm5.harness.edges.map(\.kind) == [.started])
        #expect(Set(pm5.harness.strokes.map(\.session.text)) == ["S1"])
        #expect(pm5.harness.gaps.map(\.strokes) == [7...24])
    }

    @Test func publishesSummaryOnceAfterKillAtEnd() throws {
        // Killed directly after state 10.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.away(.gateway) { $0.pass(500) }
        pm5.sendSummary()
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        #expect(pm5.harness.summaries.first?.isVerifiedAgainstMonitor == true)
        #expect(pm5.harness.summaries.first?.strokes == 5)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.harness.gaps.isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func publishesReceivedSummaryAfterKill(_ carrier: Carrier) throws {
        // Killed 0.1 s after 0x0039, while its companion packet is missing; nothing more arrives.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.carrier = carrier
        pm5.filter = { notification in
            if case .additionalWorkoutSummary = notification { return nil }
            return notification
        }
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.sendSummary()
        pm5.pass(100)
        #expect(pm5.harness.summaries.isEmpty)
        pm5.away(.gateway) { $0.pass(200) }
        pm5.pass(6000)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        #expect(pm5.harness.summaries.first?.isVerifiedAgainstMonitor == true)
        #expect(pm5.harness.edges.map(\.kind) == [.started, .ended])
    }

    @Test(arguments: Carrier.allCases)
    func ignoresRepeatedSummaryAfterRestart(_ carrier: Carrier) throws {
        // Killed after the summary. It is repeated unchanged, then with the recovery heart rate.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.carrier = carrier
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.away(.gateway) { $0.pass(30_000) }
        pm5.sendSummary()
        pm5.pass(4000)
        #expect(pm5.harness.summaries.map(\.revision) == [1])
        pm5.sendSummary(recovery: 91)
        pm5.pass(4000)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        let (first, second) = (pm5.harness.summaries[0], pm5.harness.summaries[1])
        #expect(second.recoveryHeartRate == 91)
        #expect(second.averagePace == first.averagePace)
        #expect(second.isVerifiedByMonitor == first.isVerifiedByMonitor)
        #expect(second.machine == first.machine)
    }

    @Test func declaresStrokeInProgressAtKill() throws {
        // Killed after a drive; then the piece ends without another stroke.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        pm5.strokeState = .driving
        pm5.pass(700)
        pm5.count += 1
        pm5.sendStroke(recoveryMilliseconds: 1800)
        pm5.away(.gateway) { $0.pass(500) }
        pm5.end(.terminate, summary: false, lap: false)
        pm5.pass(6000)
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 4])
        #expect(pm5.harness.gaps.map(\.strokes) == [5...5])
        #expect(pm5.harness.edges.last?.monitorStrokes == 5)
    }

    @Test func numbersNextIntervalAfterStrokeInProgress() {
        // Killed after a drive at the end of an interval.
        var pm5 = ScriptedMonitor(.fixedDistanceInterval, 40)
        pm5.arm()
        pm5.row(3)
        pm5.strokeState = .driving
        pm5.pass(700)
        pm5.count += 1
        pm5.sendStroke(recoveryMilliseconds: 1800)
        pm5.away(.gateway) { pm5 in
            pm5.pass(1800)
            pm5.rest(seconds: 3)
        }
        pm5.nextInterval(after: 3)
        pm5.row(2)
        #expect(pm5.harness.strokes.map(\.number) == [1, 2, 3, 5, 6])
        #expect(pm5.harness.gaps.map(\.strokes) == [4...4])
    }

    @Test func averagesSplitHeartRateOverRestart() throws {
        // Half of a split at 120, a kill, half at 160.
        let averages = [false, true].map { isKilled in
            var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
            pm5.heartRate = 120
            pm5.arm()
            pm5.row(6)
            if isKilled { pm5.away(.gateway) { _ in } }
            pm5.heartRate = 160
            pm5.row(6)
            pm5.end()
            return pm5.harness.splits.first?.averageHeartRate
        }
        let average = try #require(averages[0])
        #expect((130...150).contains(average))
        #expect(averages[1] == average)
    }

    @Test func revisesSummaryAfterRestart() throws {
        // Killed after the summary; the recovery heart rate arrives a minute later.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.away(.gateway) { $0.pass(30_000) }
        pm5.pass(30_000)
        pm5.sendSummary(recovery: 91)
        pm5.pass(3000)
        #expect(pm5.harness.summaries.map(\.revision) == [1, 2])
        #expect(pm5.harness.summaries.map(\.recoveryHeartRate) == [nil, 91])
        #expect(pm5.harness.summaries.map(\.averagePowerWatts) == [178, 178])
    }
}
