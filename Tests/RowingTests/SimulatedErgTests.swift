import PM5Simulator
import Rowing
import Testing

/// Sessions of a simulated erg, held against what it says was rowed.
@Suite struct SimulatedErgTests {
    /// A fold that listens to an erg, and the erg's truth.
    struct Run {
        var fold = Fold(at: 60_000)
        var truth: [TruthRecord] = []

        /// Rows `workout` to its end, and ten seconds more; `deaf` are milliseconds in which nobody
        /// listens, because the link or the gateway is lost; in `hole` nothing arrives though it stands.
        init(
            _ workout: String, seed: UInt64, generation: MonitorGeneration,
            multiplexed: Bool = false, deaf: Range<Int> = 0..<0,
            _ loss: ScriptedMonitor.Loss = .link, hole: Range<Int> = 0..<0
        ) throws {
            var erg = SimulatedErg(
                SimulatedIdentity(serial: "430000001", generation: generation),
                script: try WorkoutScript(parsing: workout),
                calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed)
            let start = fold.now
            erg.setConnected(true)
            let ids = generation.notifying.filter { ($0 == .multiplexed) == multiplexed }
            for id in ids where id != .csafeOut { erg.setSubscribed(true, to: id) }
            let limit = 3 * 3600 * 1000
            var end = limit
            var absence: Absence?
            while erg.now < end {
                if erg.isDone, end == limit { end = erg.now + 10_000 }
                for output in erg.step(to: min(erg.nextMilliseconds, end)) {
                    if absence == nil, deaf.contains(erg.now) { absence = leave(loss) }
                    if let left = absence, !deaf.contains(erg.now) {
                        comeBack(left, loss, at: start + erg.now)
                        absence = nil
                    }
                    if absence == nil || loss == .link { fold.wait(start + erg.now - fold.now) }
                    switch output {
                    case .notification(let id, let bytes):
                        if absence == nil, !hole.contains(erg.now) { fold.send(id, bytes) }
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
            if loss == .link { fold.linkCloses() }
            let bytes = fold.machine.checkpoint(at: fold.instant)?.encode()
            return Absence(checkpoint: bytes, since: fold.now)
        }

        private mutating func comeBack(
            _ absence: Absence, _ loss: ScriptedMonitor.Loss, at now: Int
        ) {
            if loss == .gateway {
                let events = fold.events
                fold = Fold(at: now, connects: false, sessions: "R")
                fold.events = events
                if let read = absence.checkpoint.flatMap(SessionCheckpoint.init(decoding:)) {
                    fold.machine.resume(
                        from: read, awayFor: .milliseconds(now - absence.since),
                        at: fold.instant, into: &fold.events)
                }
            }
            fold.linkOpens()
        }

        func records(_ kind: TruthRecord.Kind) -> [TruthRecord] { truth.filter { $0.kind == kind } }

        /// When each split or interval of a single piece ended, seconds of its time.
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
    func everyWorkoutComesOutAsItWasRowed(
        _ workout: String, _ generation: MonitorGeneration
    ) throws {
        // Goal: strokes, splits and result are the truth. Method: three seeds of each workout.
        for seed in UInt64(1)...3 {
            let run = try Run(workout, seed: seed, generation: generation)
            check(run, "\(workout) seed \(seed)")
        }
    }

    @Test(arguments: workouts)
    func theMultiplexedCarrierIsAsGood(_ workout: String) throws {
        // Goal: one subscription gives the same. Method: everything inside 0x0080.
        let run = try Run(workout, seed: 7, generation: .new, multiplexed: true)
        check(run, workout)
    }

    @Test(arguments: workouts, ScriptedMonitor.Loss.allCases)
    func anAbsenceIsOneGapInOneSession(
        _ workout: String, _ loss: ScriptedMonitor.Loss
    ) throws {
        // Goal: nothing is lost in silence. Method: twelve seconds of deafness at six moments.
        for start in stride(from: 8_000, through: 58_000, by: 10_000) {
            let run = try Run(
                workout, seed: 5, generation: .new, deaf: start..<(start + 12_000), loss)
            let name = "\(workout), \(loss) lost at \(start) ms"
            #expect(Set(run.fold.edges.map(\.session)) == [SessionID("S1")], "\(name)")
            #expect(run.fold.gaps.count == 1, "\(name)")
            let splits = run.fold.splits.map(\.number) + run.fold.missingSplits
            #expect(splits.sorted() == Array(1...run.records(.split).count), "\(name)")
            let told = Set(run.fold.strokes.map(\.number))
            let lost = Set(run.fold.gaps.first?.strokes.map(Array.init) ?? [])
            #expect(told.count == run.fold.strokes.count && told.isDisjoint(with: lost), "\(name)")
            #expect(told.union(lost) == Set(1...(told.union(lost).max() ?? 1)), "\(name)")
            let truth = try #require(run.records(.result).first)
            let summary = try #require(run.fold.summaries.first)
            #expect(summary.result.seconds == truth["result_time_s"], "\(name)")
            #expect(Double(summary.distance.millimeters) / 1000 == truth["distance_m"], "\(name)")
            #expect(run.fold.summaries.allSatisfy { $0.isVerifiedAgainstMonitor != nil }, "\(name)")
            if run.fold.gaps.first?.isRecovered == true {
                #expect(summary.isVerifiedAgainstMonitor == true, "\(name)")
            }
        }
    }

    private func check(_ run: Run, _ name: String) {
        let fold = run.fold
        #expect(fold.gaps.isEmpty && fold.splitGaps.isEmpty, "\(name)")
        #expect(fold.edges.first?.kind == .started && fold.edges.last?.kind == .ended, "\(name)")
        #expect(Set(fold.edges.map(\.session)).count == 1, "\(name)")
        let strokes = run.records(.stroke)
        #expect(fold.strokes.map(\.number) == Array(1...max(1, strokes.count)), "\(name)")
        for (told, truth) in zip(fold.strokes, strokes) {
            check(told, truth, name)
            // The wire cuts the time of a split to 0.1 s.
            let ends = run.splitEnds
            let time = told.elapsed.seconds
            guard !told.isWithinIntervals(name), !ends.contains(where: { abs($0 - time) < 0.2 })
            else { continue }
            #expect(
                told.interval == ends.count { $0 < time } + 1,
                "\(name) stroke \(told.number) \(time) \(ends)")
        }
        let splits = run.records(.split)
        #expect(fold.splits.count == splits.count, "\(name)")
        for (told, truth) in zip(fold.splits, splits) { check(told, truth, name) }
        let results = run.records(.result)
        #expect(fold.summaries.count == max(1, results.count), "\(name)")
        for (told, truth) in zip(fold.summaries, results) { check(told, truth, name) }
    }

    private func check(_ told: Stroke, _ truth: TruthRecord, _ name: String) {
        let place = "\(name), stroke \(told.number)"
        #expect(told.powerWatts.map(Double.init) == truth["power_w"], "\(place)")
        #expect(told.driveTime?.seconds == truth["drive_time_s"], "\(place)")
        #expect(told.recoveryTime?.seconds == truth["recovery_time_s"], "\(place)")
        #expect(told.work.map { Double($0.decijoules) / 10 } == truth["work_j"], "\(place)")
        if told.isWithinIntervals(name) {
            #expect(told.interval.map(Double.init) == truth["interval"], "\(place)")
        } else {
            #expect(told.elapsed.seconds == truth["elapsed_s"], "\(place)")
            #expect(Double(told.distance.millimeters) / 1000 == truth["distance_m"], "\(place)")
        }
    }

    private func check(_ told: Split, _ truth: TruthRecord, _ name: String) {
        #expect(Double(told.number) == truth["split"], "\(name)")
        #expect(told.duration.seconds == truth["duration_s"], "\(name)")
        #expect(Double(told.distance.millimeters) / 1000 == truth["distance_m"], "\(name)")
        #expect(told.averagePowerWatts.map(Double.init) == truth["avg_power_w"], "\(name)")
        #expect(told.rest?.seconds ?? 0 == truth["rest_s"], "\(name)")
    }

    private func check(_ told: Summary, _ truth: TruthRecord, _ name: String) {
        #expect(Double(told.revision) == truth["revision"], "\(name)")
        #expect(told.result.seconds == truth["result_time_s"], "\(name)")
        #expect(Double(told.distance.millimeters) / 1000 == truth["distance_m"], "\(name)")
        #expect(told.averagePowerWatts.map(Double.init) == truth["avg_power_w"], "\(name)")
        #expect(Double(told.strokes) == truth["strokes"], "\(name)")
        #expect(Double(told.splits) == truth["splits"], "\(name)")
        #expect(
            told.recoveryHeartRate.map(Double.init) == truth["recovery_heart_rate_bpm"], "\(name)")
        #expect(told.isVerifiedAgainstMonitor == true, "\(name)")
    }
}

extension TruthRecord {
    /// A number of the record; nil when it is absent.
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
    /// The truth counts time and distance within the interval.
    func isWithinIntervals(_ workout: String) -> Bool {
        workout.contains("x") || workout.contains("+")
    }
}
