import PM5Simulator
import Rowing
import Testing

/// Compares sessions of a simulated erg with its own record.
@Suite struct SimulatedErgTests {
    /// A session machine that receives an erg's values, and the erg's record.
    struct Run {
        var harness = MachineHarness(at: 60_000)
        var truth: [TruthRecord] = []

        /// Rows `workout` to its end and ten more seconds. In `outage` milliseconds the link or the gateway
        /// is lost. In `silence` no value arrives on an open link.
        init(
            _ workout: String, seed: UInt64, generation: MonitorGeneration,
            multiplexed: Bool = false, outage: Range<Int> = 0..<0,
            _ loss: ScriptedMonitor.Loss = .link, silence: Range<Int> = 0..<0
        ) throws {
            var erg = SimulatedErg(
                SimulatedIdentity(serial: "430000001", generation: generation),
                script: try WorkoutScript(parsing: workout),
                calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
            let start = harness.now
            erg.setConnected(true)
            let ids = generation.notifying.filter { ($0 == .multiplexed) == multiplexed }
            for id in ids where id != .csafeOut { erg.setSubscribed(true, to: id) }
            let limit = 3 * 3600 * 1000
            var end = limit
            var absence: Absence?
            while erg.now < end {
                if erg.isDone, end == limit { end = erg.now + 10_000 }
                for output in erg.step(to: min(erg.nextMilliseconds, end)) {
                    if absence == nil, outage.contains(erg.now) { absence = leave(loss) }
                    if let left = absence, !outage.contains(erg.now) {
                        handleReturn(left, loss, at: start + erg.now)
                        absence = nil
                    }
                    if absence == nil || loss == .link { harness.wait(start + erg.now - harness.now) }
                    switch output {
                    case .notification(let id, let bytes):
                        if absence == nil, !silence.contains(erg.now) { harness.send(id, bytes) }
                    case .truth(let record): truth.append(record)
                    }
                }
            }
        }

        private struct Absence {
            let checkpoint: [UInt8]?
            let since: Int
        }

        private mutating func leave(_ loss: ScriptedMonitor.Loss) -> Absence {
            if loss == .link { harness.linkCloses() }
            let bytes = harness.machine.checkpoint(at: harness.instant)?.encode()
            return Absence(checkpoint: bytes, since: harness.now)
        }

        private mutating func handleReturn(
            _ absence: Absence, _ loss: ScriptedMonitor.Loss, at now: Int
        ) {
            if loss == .gateway {
                let events = harness.events
                harness = MachineHarness(at: now, connects: false, sessions: "R")
                harness.events = events
                if let read = absence.checkpoint.flatMap(SessionCheckpoint.init(decoding:)) {
                    harness.machine.resume(
                        from: read, awayFor: .milliseconds(now - absence.since),
                        at: harness.instant, into: &harness.events)
                }
            }
            harness.linkOpens()
        }

        func records(_ kind: TruthRecord.Kind) -> [TruthRecord] { truth.filter { $0.kind == kind } }

        /// When each split or interval of a single piece ended, in seconds of its time.
        var splitEnds: [Double] {
            records(.split).reduce(into: []) { ends, split in
                ends.append((ends.last ?? 0) + (split["duration_s"] ?? 0))
            }
        }
    }

    static let workouts = [
        "just-row/2:00", "just-row/0/2:00", "500m", "500m/0", "2:00", "2:00/0", "40cal", "300wm",
        "4x100m/0:20r", "4x0:30/0:15r",
        "3x10cal/0:20r", "100m+0:30+100m", "200m/0:20r+0:45/0:15r+8cal/0:10r+100m",
        "150m/r+0:40/r+100m",
    ]

    static let cases: [(String, MonitorGeneration)] = workouts.flatMap { workout in
        MonitorGeneration.allCases.map { (workout, $0) }
    }

    @Test(arguments: cases)
    func matchesTruthOfEveryWorkout(
        _ workout: String, _ generation: MonitorGeneration
    ) throws {
        // Three seeds of each workout.
        for seed in UInt64(1)...3 {
            let run = try Run(workout, seed: seed, generation: generation)
            check(run, "\(workout) seed \(seed)")
        }
    }

    @Test(arguments: workouts)
    func matchesTruthWithMultiplexedCarrier(_ workout: String) throws {
        // All characteristics inside 0x0080.
        let run = try Run(workout, seed: 7, generation: .new, multiplexed: true)
        check(run, workout)
    }

    @Test(arguments: workouts, ScriptedMonitor.Loss.allCases)
    func declaresOneGapPerAbsence(
        _ workout: String, _ loss: ScriptedMonitor.Loss
    ) throws {
        // Outages of twelve seconds at six moments.
        for start in stride(from: 8_000, through: 58_000, by: 10_000) {
            let run = try Run(
                workout, seed: 5, generation: .new, outage: start..<(start + 12_000), loss)
            let name = "\(workout), \(loss) lost at \(start) ms"
            #expect(Set(run.harness.edges.map(\.session)) == [SessionID("S1")], "\(name)")
            #expect(run.harness.gaps.count == 1, "\(name)")
            let splits = run.harness.splits.map(\.number) + run.harness.missingSplits
            #expect(splits.sorted() == Array(1...run.records(.split).count), "\(name)")
            let published = Set(run.harness.strokes.map(\.number))
            let lost = Set(run.harness.gaps.first?.strokes.map(Array.init) ?? [])
            #expect(published.count == run.harness.strokes.count, "\(name)")
            #expect(published.isDisjoint(with: lost), "\(name)")
            #expect(published.union(lost) == Set(1...(published.union(lost).max() ?? 1)), "\(name)")
            let truth = try #require(run.records(.result).first)
            let summary = try #require(run.harness.summaries.first)
            #expect(summary.result.seconds == truth["result_time_s"], "\(name)")
            #expect(Double(summary.distance.millimeters) / 1000 == truth["distance_m"], "\(name)")
            #expect(run.harness.summaries.allSatisfy { $0.isVerifiedAgainstMonitor != nil }, "\(name)")
            if run.harness.gaps.first?.isRecovered == true {
                #expect(summary.isVerifiedAgainstMonitor == true, "\(name)")
            }
        }
    }

    private func check(_ run: Run, _ name: String) {
        let harness = run.harness
        #expect(harness.gaps.isEmpty && harness.splitGaps.isEmpty, "\(name)")
        #expect(harness.edges.first?.kind == .started && harness.edges.last?.kind == .ended, "\(name)")
        #expect(Set(harness.edges.map(\.session)).count == 1, "\(name)")
        let strokes = run.records(.stroke)
        #expect(harness.strokes.map(\.number) == Array(1...max(1, strokes.count)), "\(name)")
        for (published, truth) in zip(harness.strokes, strokes) {
            check(published, truth, name)
            // The protocol truncates the time of a split to 0.1 s.
            let ends = run.splitEnds
            let time = published.elapsed.seconds
            guard !published.isWithinIntervals(name), !ends.contains(where: { abs($0 - time) < 0.2 })
            else { continue }
            #expect(
                published.interval == ends.count { $0 < time } + 1,
                "\(name) stroke \(published.number) \(time) \(ends)")
        }
        let splits = run.records(.split)
        #expect(harness.splits.count == splits.count, "\(name)")
        for (published, truth) in zip(harness.splits, splits) { check(published, truth, name) }
        let results = run.records(.result)
        #expect(harness.summaries.count == max(1, results.count), "\(name)")
        for (published, truth) in zip(harness.summaries, results) { check(published, truth, name) }
    }

    private func check(_ published: Stroke, _ truth: TruthRecord, _ name: String) {
        let place = "\(name), stroke \(published.number)"
        #expect(published.powerWatts.map(Double.init) == truth["power_w"], "\(place)")
        #expect(published.driveTime?.seconds == truth["drive_time_s"], "\(place)")
        #expect(published.recoveryTime?.seconds == truth["recovery_time_s"], "\(place)")
        #expect(published.work.map { Double($0.decijoules) / 10 } == truth["work_j"], "\(place)")
        if published.isWithinIntervals(name) {
            #expect(published.interval.map(Double.init) == truth["interval"], "\(place)")
        } else {
            #expect(published.elapsed.seconds == truth["elapsed_s"], "\(place)")
            #expect(Double(published.distance.millimeters) / 1000 == truth["distance_m"], "\(place)")
        }
    }

    private func check(_ published: Split, _ truth: TruthRecord, _ name: String) {
        #expect(Double(published.number) == truth["split"], "\(name)")
        #expect(published.duration.seconds == truth["duration_s"], "\(name)")
        #expect(Double(published.distance.millimeters) / 1000 == truth["distance_m"], "\(name)")
        #expect(published.averagePowerWatts.map(Double.init) == truth["avg_power_w"], "\(name)")
        #expect(published.rest?.seconds ?? 0 == truth["rest_s"], "\(name)")
    }

    private func check(_ published: Summary, _ truth: TruthRecord, _ name: String) {
        #expect(Double(published.revision) == truth["revision"], "\(name)")
        #expect(published.result.seconds == truth["result_time_s"], "\(name)")
        #expect(Double(published.distance.millimeters) / 1000 == truth["distance_m"], "\(name)")
        #expect(published.averagePowerWatts.map(Double.init) == truth["avg_power_w"], "\(name)")
        #expect(Double(published.strokes) == truth["strokes"], "\(name)")
        #expect(Double(published.splits) == truth["splits"], "\(name)")
        #expect(
            published.recoveryHeartRate.map(Double.init) == truth["recovery_heart_rate_bpm"], "\(name)")
        #expect(published.isVerifiedAgainstMonitor == true, "\(name)")
    }
}

extension TruthRecord {
    /// A number in the record; nil if it is absent.
    subscript(name: String) -> Double? {
        guard
            case .number(let count, let decimals)? = fields.first(where: { $0.name == name })?.value
        else { return nil }
        var unit = 1.0
        for _ in 0..<decimals { unit *= 10 }
        return Double(count) / unit
    }
}

extension Duration {
    var seconds: Double { Double(wholeMilliseconds) / 1000 }
}

extension Stroke {
    /// Whether the record counts time and distance within the interval.
    func isWithinIntervals(_ workout: String) -> Bool {
        workout.contains("x") || workout.contains("+")
    }
}
