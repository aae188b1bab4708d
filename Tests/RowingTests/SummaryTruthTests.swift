import PM5Codec
import PM5Simulator
import TestSupport
import Testing

@testable import Rowing

/// Every field of every summary must equal the simulator's record or be absent.
@Suite struct SummaryTruthTests {
    /// How values are lost.
    enum Outage: CaseIterable {
        case link, gateway
        /// No value arrives on an open link.
        case silence
    }

    /// Its length in ms: from less than a stroke to more than an interval with its rest.
    static let lengths = [1_000, 2_500, 7_000, 20_000, 60_000, 130_000]
    /// Seeds of each workout and outage.
    static let rounds = 12

    @Test(arguments: SimulatedErgTests.workouts, Outage.allCases)
    func publishesNoWrongFieldAfterOutage(_ workout: String, _ outage: Outage) throws {
        let seed = workout.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        var random = TestSupport.SeededGenerator(seed: seed)
        var published = 0
        for round in 0..<Self.rounds {
            let start = Int.random(in: 0..<170_000, using: &random)
            let length = Self.lengths[round % Self.lengths.count]
            let range = start..<start + length
            let run = try SimulatedErgTests.Run(
                workout, seed: UInt64(round % 5) + 1,
                generation: round % 4 == 3 ? .old : .new, multiplexed: round % 4 == 2,
                outage: outage == .silence ? 0..<0 : range, outage == .gateway ? .gateway : .link,
                silence: outage == .silence ? range : 0..<0)
            let truth = SummaryTruth(run.truth)
            published += run.harness.summaries.count
            for summary in run.harness.summaries {
                let wrong = truth.complaints(about: summary, in: run.harness)
                #expect(wrong == [], "\(workout), \(outage) in \(range) ms, round \(round)")
            }
        }
        #expect(published >= Self.rounds / 2)
    }

    @Test(arguments: SimulatedErgTests.workouts)
    func publishesEveryFieldWithoutOutage(_ workout: String) throws {
        // Without the monitor's result, or its second packet, everything that can be computed is published.
        for seed in UInt64(1)...3 {
            let air = try NotificationTrace(workout, seed: seed)
            let truth = SummaryTruth(air.truth)
            let losses: [Set<CharacteristicID>] = [
                [], [.workoutSummary], [.additionalWorkoutSummary],
            ]
            for lost in losses {
                let harness = air.without(lost).replayed()
                let name = "\(workout) seed \(seed) without \(lost)"
                let summary = try #require(harness.summaries.last, "\(name)")
                #expect((summary.monitorLogEntry == nil) == lost.contains(.workoutSummary), "\(name)")
                #expect(truth.complaints(about: summary, in: harness) == [], "\(name)")
                #expect(summary.receivedThousandths == nil, "\(name)")
                #expect(summary.calories != nil && summary.maximumPowerWatts != nil, "\(name)")
                #expect(summary.averageStrokeRate != nil, "\(name)")
                #expect(
                    (summary.averageHeartRate != nil) == truth.hasBelt
                        && (summary.endingHeartRate != nil) == truth.hasBelt, "\(name)")
                #expect(summary.averageDragFactor != nil, "\(name)")
                if !lost.contains(.workoutSummary) {
                    #expect(!summary.isPartial && summary.averagePace != nil, "\(name)")
                    #expect(summary.averagePowerWatts != nil, "\(name)")
                }
            }
        }
    }
}

/// The simulator's record of one piece.
struct SummaryTruth {
    private let results: [TruthRecord]
    private let strokes: [TruthRecord]
    private let isFinished: Bool

    init(_ truth: [TruthRecord]) {
        results = truth.filter { $0.kind == .result }
        strokes = truth.filter { $0.kind == .stroke || $0.kind == .unsentStroke }
        isFinished = truth.contains { record in
            record.fields.contains { $0.name == "reason" && $0.value == .text("finished") }
        }
    }

    var hasBelt: Bool { results.first?["ending_heart_rate_bpm"] != nil }

    /// Lists the published values that differ from the record.
    func complaints(about summary: Summary, in harness: MachineHarness) -> [String] {
        guard let result = results.first else { return ["nothing was rowed"] }
        var judge = Judge(result: result, revision: summary.revision)
        let (time, meters) = (summary.result.seconds, Double(summary.distance.millimeters) / 1000)
        if summary.isPartial {
            // Received values only; the monitor truncates each interval to 0.1 s.
            judge.expectAtMost("result_time_s", time - 0.1 * Double(max(1, harness.splits.count)))
            judge.expectAtMost("distance_m", meters)
        } else {
            judge.expect("result_time_s", time)
            judge.expect("distance_m", meters)
            let isComplete = isFinished && summary.workout.type.hasEnd
            judge.require(summary.isComplete == isComplete, "complete \(summary.isComplete)")
        }
        // The monitor's value is in whole metres.
        let pace = summary.averagePace.map { Double($0.millisecondsPer500m) / 1000 }
        judge.expect("avg_pace_s_per_500m", pace, within: 0.1 + (pace ?? 0) / max(1, meters))
        judge.expect("avg_stroke_rate_spm", summary.averageStrokeRate)
        judge.expect("calories_kcal", summary.calories)
        judge.expect("ending_heart_rate_bpm", summary.endingHeartRate, within: 2)
        let recovery = results.last?["recovery_heart_rate_bpm"]
        judge.expect("recovery_heart_rate_bpm", summary.recoveryHeartRate, actual: recovery)
        let strongest = strokes.compactMap { $0["power_w"] }.max()
        judge.expect("max_power_w", summary.maximumPowerWatts, actual: strongest)
        judge.expect("pm5_log_address", summary.monitorLogEntry.map { Int($0.address) })
        let hash = result.fields.first { $0.name == "pm5_workout_hash" }?.value
        let isHashRight = summary.monitorLogEntry.map { .text($0.workoutHash) == hash } ?? true
        judge.require(isHashRight, "hash \(String(describing: summary.monitorLogEntry))")
        judge.require(
            summary.isVerifiedAgainstMonitor == nil || !summary.isPartial, "partial by the monitor")
        judge.require(summary.strokes == harness.strokes.count, "strokes \(summary.strokes)")
        judge.require(summary.splits == harness.splits.count, "splits \(summary.splits)")
        expectAverages(of: summary, in: harness, &judge)
        return judge.found
    }

    /// Averages of all strokes are near the monitor's. Averages of a part must report how large it is.
    private func expectAverages(of summary: Summary, in harness: MachineHarness, _ judge: inout Judge) {
        let rates = strokes.compactMap { $0["heart_rate_bpm"] }
        let mean = rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
        if let share = summary.receivedThousandths {
            let actual = Double(harness.strokes.count) / Double(max(1, strokes.count)) * 1000
            judge.expect("strokes_received_ratio", share, actual: actual, within: 1)
            judge.require(share < 1000, "all strokes are a part")
            if let heart = summary.averageHeartRate, let low = rates.min(), let high = rates.max() {
                judge.require((low - 3...high + 3).contains(Double(heart)), "heart \(heart)")
            }
            let powers = harness.strokes.compactMap(\.powerWatts)
            if let power = summary.averagePowerWatts, let low = powers.min(), let high = powers.max() {
                judge.require((low - 1...high + 1).contains(power), "power \(power), rowed \(low) to \(high)")
            }
        } else {
            judge.expectHeart("avg_heart_rate_bpm", summary.averageHeartRate, mean, within: 3)
            judge.expect("avg_power_w", summary.averagePowerWatts, within: 1)
        }
        // Between two strokes it may have been slightly lower or higher.
        judge.expectHeart("min_heart_rate_bpm", summary.minimumHeartRate, rates.min(), within: 12)
        judge.expectHeart("max_heart_rate_bpm", summary.maximumHeartRate, rates.max(), within: 3)
        // An old monitor has none in its result.
        if judge.result["drag_factor_avg"] != nil {
            judge.expect("drag_factor_avg", summary.averageDragFactor, within: 1)
        }
    }

    private struct Judge {
        let result: TruthRecord
        let revision: Int
        private(set) var found: [String] = []

        init(result: TruthRecord, revision: Int) {
            (self.result, self.revision) = (result, revision)
        }

        mutating func require(_ isRight: Bool, _ words: String) {
            if !isRight { found.append("revision \(revision): \(words)") }
        }

        mutating func expect(
            _ name: String, _ value: Double?, actual: Double?, within tolerance: Double = 0
        ) {
            guard let value else { return }
            let isRight = actual.map { abs(value - $0) <= tolerance + 1e-6 } ?? false
            require(isRight, "\(name) \(value), rowed \(actual.map { "\($0)" } ?? "none")")
        }

        mutating func expect(
            _ name: String, _ value: Int?, actual: Double?, within tolerance: Double = 0
        ) {
            expect(name, value.map(Double.init), actual: actual, within: tolerance)
        }

        mutating func expect(_ name: String, _ value: Double?, within tolerance: Double = 0) {
            expect(name, value, actual: result[name], within: tolerance)
        }

        mutating func expect(_ name: String, _ value: Int?, within tolerance: Double = 0) {
            expect(name, value, actual: result[name], within: tolerance)
        }

        mutating func expectAtMost(_ name: String, _ value: Double) {
            require(value <= (result[name] ?? 0) + 1e-6, "partial \(name) \(value)")
        }

        /// The monitor includes rests; the gateway counts only work.
        mutating func expectHeart(
            _ name: String, _ value: Int?, _ ofWork: Double?, within tolerance: Double
        ) {
            guard let value, Double(value) != result[name] else { return }
            expect(name, value, actual: ofWork, within: tolerance)
        }
    }
}
