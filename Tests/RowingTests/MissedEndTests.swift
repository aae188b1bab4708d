import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// The end of a piece or interval is not received. Unknown values are left out.
@Suite struct MissedEndTests {
    static let mixed = "250m/0:20r+0:40/0:20r+20cal/r"

    @Test(arguments: [UInt64(1), 3, 5, 8], ScriptedMonitor.Loss.allCases)
    func leavesOutUnknownValuesOfMissedEnd(
        _ seed: UInt64, _ loss: ScriptedMonitor.Loss
    ) throws {
        // Lost in the third of three intervals; back when the piece is over and its summary was sent.
        let whole = try SimulatedErgTests.Run(Self.mixed, seed: seed, generation: .new)
        let over = try #require(whole.records(.session).last?["at_s"])
        let end = Int(over * 1000)
        let run = try SimulatedErgTests.Run(
            Self.mixed, seed: seed, generation: .new, outage: end - 57_000..<end + 5_000, loss)
        let truth = try #require(run.records(.result).first)
        #expect(run.harness.missingSplits == [3])
        #expect(run.harness.gaps.map(\.isUncounted) == [true])
        #expect(run.harness.edges.last?.monitorStrokes == nil)
        for summary in run.harness.summaries { check(summary, truth, isExact: true, "seed \(seed)") }
        let first = try #require(run.harness.summaries.first)
        #expect(first.isVerifiedAgainstMonitor == nil)
        #expect(first.averageStrokeRate == nil)
        #expect(first.result.seconds == truth["result_time_s"])
    }

    @Test(arguments: SimulatedErgTests.workouts, ScriptedMonitor.Loss.allCases)
    func estimatesNothingAfterOutage(
        _ workout: String, _ loss: ScriptedMonitor.Loss
    ) throws {
        // Outages of 30 and 90 s at different moments of the piece. Every stroke is published, in a gap, or
        // under an uncounted gap.
        let whole = try SimulatedErgTests.Run(workout, seed: 5, generation: .new)
        let end = Int(1000 * (whole.records(.session).last?["at_s"] ?? 0))
        for length in [30_000, 90_000] {
            for start in stride(from: 6_000, through: end, by: 14_500) {
                let name = "\(workout), \(loss) lost from \(start) ms for \(length)"
                let run = try SimulatedErgTests.Run(
                    workout, seed: 5, generation: .new,
                    outage: start..<min(start + length, end + 40_000), loss)
                let truth = try #require(run.records(.result).first)
                let harness = run.harness
                #expect(harness.gaps.count == 1 || start + 1000 > end, "\(name)")
                let isExact = harness.gaps.allSatisfy(\.isRecovered)
                for summary in harness.summaries { check(summary, truth, isExact: isExact, name) }
                let splits = harness.splits.map(\.number) + harness.missingSplits
                #expect(Set(splits).count == splits.count, "\(name)")
                #expect(splits.allSatisfy { $0 <= run.records(.split).count }, "\(name) \(splits)")
                checkStrokes(of: run, name)
            }
        }
    }

    @Test(arguments: ["500m", "just-row/1:00", "1000m/250m", mixed])
    func declaresStrokesLostBeforeEnd(_ workout: String) throws {
        // No value arrives for 4.5 s on an open link, at different moments of the piece.
        let whole = try SimulatedErgTests.Run(workout, seed: 5, generation: .new)
        let end = Int(1000 * (whole.records(.session).last?["at_s"] ?? 0))
        for start in stride(from: 6_000, through: end + 1_000, by: 700) {
            let run = try SimulatedErgTests.Run(
                workout, seed: 5, generation: .new, silence: start..<start + 4_500)
            checkStrokes(of: run, "\(workout), nothing from \(start) ms")
        }
    }

    private func checkStrokes(of run: SimulatedErgTests.Run, _ name: String) {
        let harness = run.harness
        let actual = run.records(.stroke).count
        let lost = harness.gaps.flatMap { $0.strokes.map(Array.init) ?? [] }
        let numbers = harness.strokes.map(\.number) + lost
        #expect(numbers.sorted() == Array(1..<numbers.count + 1), "\(name)")
        let isCounted = !harness.gaps.contains(where: \.isUncounted)
        if isCounted { #expect(numbers.count == actual, "\(name)") }
        #expect(numbers.count <= actual, "\(name)")
        let published = harness.edges.last { $0.kind == .ended }?.monitorStrokes
        #expect(published == (isCounted ? actual : nil), "\(name)")
    }

    /// Checks a summary against the truth. Time and distance may be incomplete if a gap reports it; no other
    /// value may be wrong.
    private func check(_ published: Summary, _ truth: TruthRecord, isExact: Bool, _ name: String) {
        let distance = Double(published.distance.millimeters) / 1000
        let (meters, time) = (truth["distance_m"] ?? 0, truth["result_time_s"] ?? 0)
        #expect(distance <= meters + 0.05, "\(name)")
        #expect(published.result.seconds <= time + 0.05, "\(name)")
        if isExact {
            // Without its own result, the monitor's sum of intervals is in whole metres.
            #expect(distance > meters - 1, "\(name): \(distance) of \(meters)")
            #expect(abs(published.result.seconds - time) < 0.35, "\(name): \(published.result) of \(time)")
        }
        if isExact || published.isVerifiedAgainstMonitor != nil, let pace = published.averagePace {
            let expected = time * 500 / meters
            #expect(abs(Double(pace.millisecondsPer500m) / 1000 - expected) < 1, "\(name)")
        }
        if let rate = published.averageStrokeRate {
            #expect(abs(Double(rate) - (truth["avg_stroke_rate_spm"] ?? 0)) <= 1, "\(name) ")
        }
        if let calories = published.calories, let actual = truth["calories_kcal"] {
            // The monitor reports whole calories of each interval, as of its last stroke.
            #expect(Double(calories) <= actual, "\(name)")
            if isExact || published.isVerifiedAgainstMonitor != nil {
                #expect(Double(calories) >= actual - 4, "\(name)")
            }
        }
    }
}
