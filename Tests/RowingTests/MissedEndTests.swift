import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// The end of a piece or an interval that nobody heard: what is not known is left out.
@Suite struct MissedEndTests {
    static let mixed = "250m/0:20r+0:40/0:20r+20cal/r"

    @Test(arguments: [UInt64(1), 3, 5, 8], ScriptedMonitor.Loss.allCases)
    func aPieceThatEndedUnheardIsToldAsFarAsItIsKnown(
        _ seed: UInt64, _ loss: ScriptedMonitor.Loss
    ) throws {
        // Goal: no figure is estimated. Method: gone in the third of three intervals, back when the
        // piece is over and its summary was sent.
        let whole = try SimulatedErgTests.Run(Self.mixed, seed: seed, generation: .new)
        let over = try #require(whole.records(.session).last?["at_s"])
        let end = Int(over * 1000)
        let run = try SimulatedErgTests.Run(
            Self.mixed, seed: seed, generation: .new, deaf: end - 57_000..<end + 5_000, loss)
        let truth = try #require(run.records(.result).first)
        #expect(run.fold.missingSplits == [3])
        #expect(run.fold.gaps.map(\.isUncounted) == [true])
        #expect(run.fold.edges.last?.monitorStrokes == nil)
        for summary in run.fold.summaries { check(summary, truth, isExact: true, "seed \(seed)") }
        let first = try #require(run.fold.summaries.first)
        #expect(first.isVerifiedAgainstMonitor == nil)
        #expect(first.averageStrokeRate == nil)
        #expect(first.result.seconds == truth["result_time_s"])
    }

    @Test(arguments: SimulatedErgTests.workouts, ScriptedMonitor.Loss.allCases)
    func nothingIsEstimatedWhateverWasMissed(
        _ workout: String, _ loss: ScriptedMonitor.Loss
    ) throws {
        // Goal: the same at any moment of any workout. Method: half a minute of deafness, and one
        // and a half, at moments all over the piece; every stroke is told, in a gap, or under one
        // that says that their number is not known.
        let whole = try SimulatedErgTests.Run(workout, seed: 5, generation: .new)
        let end = Int(1000 * (whole.records(.session).last?["at_s"] ?? 0))
        for length in [30_000, 90_000] {
            for start in stride(from: 6_000, through: end, by: 14_500) {
                let name = "\(workout), \(loss) lost from \(start) ms for \(length)"
                let run = try SimulatedErgTests.Run(
                    workout, seed: 5, generation: .new,
                    deaf: start..<min(start + length, end + 40_000), loss)
                let truth = try #require(run.records(.result).first)
                let fold = run.fold
                #expect(fold.gaps.count == 1 || start + 1000 > end, "\(name)")
                let isExact = fold.gaps.allSatisfy(\.isRecovered)
                for summary in fold.summaries { check(summary, truth, isExact: isExact, name) }
                let splits = fold.splits.map(\.number) + fold.missingSplits
                #expect(Set(splits).count == splits.count, "\(name)")
                #expect(splits.allSatisfy { $0 <= run.records(.split).count }, "\(name) \(splits)")
                checkStrokes(of: run, name)
            }
        }
    }

    @Test(arguments: ["500m", "just-row/1:00", "1000m/250m", mixed])
    func whatTheRadioLostBeforeAnEndIsSaid(_ workout: String) throws {
        // Goal: a stroke that no later one numbers is not lost in silence. Method: four and a half
        // seconds of which nothing arrives though the link stands, at moments all over the piece.
        let whole = try SimulatedErgTests.Run(workout, seed: 5, generation: .new)
        let end = Int(1000 * (whole.records(.session).last?["at_s"] ?? 0))
        for start in stride(from: 6_000, through: end + 1_000, by: 700) {
            let run = try SimulatedErgTests.Run(
                workout, seed: 5, generation: .new, hole: start..<start + 4_500)
            checkStrokes(of: run, "\(workout), nothing from \(start) ms")
        }
    }

    private func checkStrokes(of run: SimulatedErgTests.Run, _ name: String) {
        let fold = run.fold
        let rowed = run.records(.stroke).count
        let lost = fold.gaps.flatMap { $0.strokes.map(Array.init) ?? [] }
        let numbers = fold.strokes.map(\.number) + lost
        #expect(numbers.sorted() == Array(1..<numbers.count + 1), "\(name)")
        let isCounted = !fold.gaps.contains(where: \.isUncounted)
        if isCounted { #expect(numbers.count == rowed, "\(name)") }
        #expect(numbers.count <= rowed, "\(name)")
        let told = fold.edges.last { $0.kind == .ended }?.monitorStrokes
        #expect(told == (isCounted ? rowed : nil), "\(name)")
    }

    /// What a summary says is what was rowed; what was not heard may be missing in time and distance,
    /// where the gap says so, and in nothing else.
    private func check(_ told: Summary, _ truth: TruthRecord, isExact: Bool, _ name: String) {
        let distance = Double(told.distance.millimeters) / 1000
        let (way, time) = (truth["distance_m"] ?? 0, truth["result_time_s"] ?? 0)
        #expect(distance <= way + 0.05, "\(name)")
        #expect(told.result.seconds <= time + 0.05, "\(name)")
        if isExact {
            // Unless its own result came, the monitor's sum of intervals is of whole metres.
            #expect(distance > way - 1, "\(name): \(distance) of \(way)")
            #expect(abs(told.result.seconds - time) < 0.35, "\(name): \(told.result) of \(time)")
        }
        if isExact || told.isVerifiedAgainstMonitor != nil, let pace = told.averagePace {
            let expected = time * 500 / way
            #expect(abs(Double(pace.millisecondsPer500m) / 1000 - expected) < 1, "\(name)")
        }
        if let rate = told.averageStrokeRate {
            #expect(abs(Double(rate) - (truth["avg_stroke_rate_spm"] ?? 0)) <= 1, "\(name) ")
        }
        if let calories = told.calories, let rowed = truth["calories_kcal"] {
            // Whole ones of each interval, as of its last stroke.
            #expect(Double(calories) <= rowed, "\(name)")
            if isExact || told.isVerifiedAgainstMonitor != nil {
                #expect(Double(calories) >= rowed - 4, "\(name)")
            }
        }
    }
}
