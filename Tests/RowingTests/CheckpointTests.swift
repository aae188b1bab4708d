import PM5Codec
import Rowing
import TestSupport
import Testing

@Suite struct CheckpointTests {
    /// Machines in every stage of a session, with the times they are in.
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

    @Test func everyStageSurvivesItsBytes() throws {
        // Goal: what is read is what was written. Method: encode and decode in every stage.
        for pm5 in Self.stages() {
            let checkpoint = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant))
            let bytes = checkpoint.encode()
            #expect(bytes.count < 200)
            #expect(SessionCheckpoint(decoding: bytes) == checkpoint)
        }
    }

    @Test func aUlidStillFits() throws {
        // Goal: under 200 bytes with a real session name. Method: the longest stage, 26 letters.
        var longest = 0
        for pm5 in Self.stages() {
            let count = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant)).encode()
                .count
            longest = max(longest, count)
        }
        #expect(longest - "S1".count + 26 < 200)
    }

    @Test func damagedAndForeignBytesDoNotDecode() throws {
        // Goal: lost, not misread. Method: every truncation, another version, endless numbers.
        for pm5 in Self.stages() {
            var bytes = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant)).encode()
            for count in 0..<bytes.count {
                #expect(SessionCheckpoint(decoding: Array(bytes.prefix(count))) == nil)
            }
            bytes[0] += 1
            #expect(SessionCheckpoint(decoding: bytes) == nil)
        }
        #expect(SessionCheckpoint(decoding: [2] + [UInt8](repeating: 0xFF, count: 150)) == nil)
    }

    @Test func theLargestNumbersNeverTrap() throws {
        // Goal: no number in damaged bytes overflows; the fuzzer found an age that did. Method: the
        // largest count that is read, and larger ones, in place of each byte of a checkpoint; then a
        // session taken up from it.
        let counts: [[UInt8]] = [5, 6, 8].map { [UInt8](repeating: 0xFF, count: $0) + [0x1F] }
        for pm5 in Self.stages() {
            let checkpoint = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant))
            let bytes = checkpoint.encode()
            for (index, count) in bytes.indices.flatMap({ index in counts.map { (index, $0) } }) {
                let damaged = Array(bytes[..<index]) + count + bytes[(index + 1)...]
                guard let read = SessionCheckpoint(decoding: damaged) else { continue }
                var fresh = pm5
                fresh.fold = Fold(at: pm5.fold.now, connects: false)
                fresh.fold.machine.resume(
                    from: read, awayFor: .seconds(5), at: fresh.fold.instant,
                    into: &fresh.fold.events)
                fresh.isHeard = true
                fresh.fold.linkOpens()
                fresh.row(2)
                fresh.end()
            }
        }
    }

    @Test func damagedBytesNeverTrap() throws {
        // Goal: a checkpoint is input. Method: seeded bit flips, decoded and taken up.
        var random = SeededGenerator(seed: 20_260_101)
        let stages = Self.stages()
        for round in 0..<2000 {
            let pm5 = stages[round % stages.count]
            var bytes = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant)).encode()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            guard let read = SessionCheckpoint(decoding: bytes) else { continue }
            var fresh = pm5
            fresh.fold = Fold(at: pm5.fold.now, connects: false)
            fresh.fold.machine.resume(
                from: read, awayFor: .seconds(5), at: fresh.fold.instant, into: &fresh.fold.events)
            fresh.isHeard = true
            fresh.fold.linkOpens()
            fresh.row(2)
            fresh.end()
        }
    }

    @Test func withoutASessionThereIsNothingToKeep() {
        // Goal: no checkpoint of nothing. Method: an armed monitor.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        #expect(pm5.fold.machine.checkpoint(at: pm5.fold.instant) == nil)
    }

    @Test func anotherBootsClockIsNoMatter() throws {
        // Goal: a power cut in the middle of a piece. Method: the new boot clock begins at 20 s.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
        pm5.arm()
        pm5.row(6)
        let bytes = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant)).encode()
        let started = try #require(pm5.fold.edges.first?.startedAt)
        let age = started.duration(to: pm5.fold.instant)
        pm5.isHeard = false
        pm5.row(2)
        let events = pm5.fold.events
        pm5.fold = Fold(at: 20_000, connects: false, sessions: "R")
        pm5.fold.events = events
        let read = try #require(SessionCheckpoint(decoding: bytes))
        pm5.fold.machine.resume(
            from: read, awayFor: .seconds(5), at: pm5.fold.instant, into: &pm5.fold.events)
        pm5.regainLink()
        pm5.row(4)
        pm5.end()
        let edge = try #require(pm5.fold.edges.last)
        #expect(edge.kind == .ended && edge.session.text == "S1")
        #expect(edge.startedAt.duration(to: edge.at) > age)
        #expect(edge.startedAt.signedMilliseconds < 20_000)
        #expect(pm5.fold.gaps.map(\.reason) == [.gatewayRestart])
        #expect(pm5.fold.gaps.map(\.strokes) == [7...8])
        #expect(pm5.fold.summaries.first?.isVerifiedAgainstMonitor == true)
    }

    @Test func anUnknownAbsenceIsMeasuredByTheMonitor() throws {
        // Goal: no wall clock to trust. Method: resume with nil; the piece's own clock tells.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 500)
        pm5.arm()
        pm5.row(6)
        let bytes = try #require(pm5.fold.machine.checkpoint(at: pm5.fold.instant)).encode()
        pm5.isHeard = false
        pm5.row(8)
        pm5.fold = Fold(at: 20_000, connects: false, sessions: "R")
        let read = try #require(SessionCheckpoint(decoding: bytes))
        pm5.fold.machine.resume(
            from: read, awayFor: nil, at: pm5.fold.instant, into: &pm5.fold.events)
        pm5.regainLink()
        pm5.row(1)
        let gap = try #require(pm5.fold.gaps.first)
        #expect(gap.session.text == "S1")
        #expect(gap.strokes == 7...14)
        #expect((Duration.seconds(19)...Duration.seconds(22)).contains(gap.duration))
    }

    @Test func killedTwiceTheSessionStillGoesOn() throws {
        // Goal: numbers never repeat. Method: two kills, a stroke between them.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(3)
        pm5.away(.gateway) { $0.pass(400) }
        pm5.row(3)
        pm5.away(.gateway) { $0.pass(4000) }
        pm5.row(3)
        #expect(Set(pm5.fold.strokes.map(\.session.text)) == ["S1"])
        let numbers = pm5.fold.strokes.map(\.number)
        #expect(Set(numbers).count == numbers.count && numbers == numbers.sorted())
        #expect(pm5.fold.gaps.count == 2)
    }

    @Test func killedBetweenTheEndAndTheSummary() throws {
        // Goal: the summary comes all the same, once. Method: kill right after state 10.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end(summary: false)
        pm5.away(.gateway) { $0.pass(500) }
        pm5.sendSummary()
        pm5.pass(6000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
        #expect(pm5.fold.summaries.first?.isVerifiedAgainstMonitor == true)
        #expect(pm5.fold.summaries.first?.strokes == 5)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.gaps.isEmpty)
    }

    @Test(arguments: Carrier.allCases)
    func killedBetweenTheMonitorsSummaryAndOurs(_ carrier: Carrier) throws {
        // Goal: a summary that had come and was not told yet is told, and the session ends. Method:
        // kill 0.1 s after 0x0039, whose companion is waited for; nothing more comes.
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
        #expect(pm5.fold.summaries.isEmpty)
        pm5.away(.gateway) { $0.pass(200) }
        pm5.pass(6000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
        #expect(pm5.fold.summaries.first?.isVerifiedAgainstMonitor == true)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
    }

    @Test(arguments: Carrier.allCases)
    func theSameSummaryAfterARestartIsNoRevision(_ carrier: Carrier) throws {
        // Goal: what was told stays told, whatever the carrier left out. Method: kill after the
        // summary; it is repeated as it was, then with the recovery heart rate.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.carrier = carrier
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.away(.gateway) { $0.pass(30_000) }
        pm5.sendSummary()
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1])
        pm5.sendSummary(recovery: 91)
        pm5.pass(4000)
        #expect(pm5.fold.summaries.map(\.revision) == [1, 2])
        let (first, second) = (pm5.fold.summaries[0], pm5.fold.summaries[1])
        #expect(second.recoveryHeartRate == 91)
        #expect(second.averagePace == first.averagePace)
        #expect(second.isVerifiedByMonitor == first.isVerifiedByMonitor)
        #expect(second.machine == first.machine)
    }

    @Test func aStrokeUnderWayIsNotLostInSilence() throws {
        // Goal: a stroke whose drive was heard before a kill, and no more of it, is in a gap: also
        // when the piece ends without another one. Method: kill after a drive; the piece is over.
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
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 4])
        #expect(pm5.fold.gaps.map(\.strokes) == [5...5])
        #expect(pm5.fold.edges.last?.monitorStrokes == 5)
    }

    @Test func theNextIntervalCountsOnFromAStrokeUnderWay() {
        // Goal: no number is given twice. Method: the same at the end of an interval.
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
        #expect(pm5.fold.strokes.map(\.number) == [1, 2, 3, 5, 6])
        #expect(pm5.fold.gaps.map(\.strokes) == [4...4])
    }

    @Test func theHeartRateOfASplitSurvivesARestart() throws {
        // Goal: an average over the whole split. Method: half a split at 120, a kill, half at 160.
        let averages = [false, true].map { isKilled in
            var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 120)
            pm5.heartRate = 120
            pm5.arm()
            pm5.row(6)
            if isKilled { pm5.away(.gateway) { _ in } }
            pm5.heartRate = 160
            pm5.row(6)
            pm5.end()
            return pm5.fold.splits.first?.averageHeartRate
        }
        let average = try #require(averages[0])
        #expect((130...150).contains(average))
        #expect(averages[1] == average)
    }

    @Test func aRevisionSurvivesARestart() throws {
        // Goal: recovery heart rate a minute later is revision 2. Method: kill after the summary.
        var pm5 = ScriptedMonitor(.fixedDistanceWithSplits, 50)
        pm5.arm()
        pm5.row(5)
        pm5.end()
        pm5.away(.gateway) { $0.pass(30_000) }
        pm5.pass(30_000)
        pm5.sendSummary(recovery: 91)
        pm5.pass(3000)
        #expect(pm5.fold.summaries.map(\.revision) == [1, 2])
        #expect(pm5.fold.summaries.map(\.recoveryHeartRate) == [nil, 91])
        #expect(pm5.fold.summaries.map(\.averagePowerWatts) == [178, 178])
    }
}
