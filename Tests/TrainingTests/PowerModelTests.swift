import Bests
import Testing

@testable import Training

/// Models fitted to an athlete's results.
@Suite struct PowerModelTests {
    private static func isNear(_ value: Double?, _ known: Double, percent: Double = 2) -> Bool {
        value.map { abs($0 - known) <= known * percent / 100 } ?? false
    }

    @Test func logarithms() {
        for (value, known) in [
            (1, 0), (2, 0.693_147_180_559_945_3), (10, 2.302_585_092_994_045_7),
            (1e-3, -6.907_755_278_982_137), (42_195, 10.650057009592066),
        ] {
            #expect(abs(Logarithm.natural(value) - known) < 1e-14 * max(1, abs(known)) * 4)
        }
        #expect(Logarithm.binary(8) == 3)
        for power in stride(from: -30.0, through: 30, by: 0.37) {
            #expect(abs(Logarithm.natural(Logarithm.exponential(power)) - power) < 1e-13)
        }
    }

    @Test(arguments: [1.0, 3.4, 5, 9, 14])
    func fitsK(_ k: Double) throws {
        // Results that follow the law exactly, rounded to hundredths.
        let distances: [Double] = [500, 1000, 2000, 5000, 10_000]
        for count in 2...5 {
            let pieces = distances.prefix(count).enumerated().map { number, metres in
                let pace = 105 + k * Logarithm.binary(metres / 2000)
                return PieceTraining(
                    SyntheticRower.piece(number, metres: metres, seconds: metres / 500 * pace))
            }
            let law = try #require(SyntheticRower.training(pieces).law.value)
            #expect(Self.isNear(law.k, k), "\(law.k)")
            #expect(law.basis.kind == .estimated && law.missingFit == nil)
            #expect(law.basis.inputs == (0..<count).map(SyntheticRower.name))
        }
    }

    @Test func usesTheRuleOfThumbWithAReason() throws {
        // One result; one plus a 100 m, which is too short; a longer one that is faster; two that are 20 s
        // apart.
        func law(_ paces: [(Double, Double)]) -> PaulsLaw? {
            SyntheticRower.training(
                paces.enumerated().map { number, made in
                    PieceTraining(
                        SyntheticRower.piece(
                            number, metres: made.0, seconds: made.0 / 500 * made.1))
                }
            ).law.value
        }
        for (paces, reason) in [
            ([(2000, 105)], .tooFewResults), ([(100, 85), (2000, 105)], .tooFewResults),
            ([(1000, 107), (2000, 105)], .poorFit), ([(1000, 85), (2000, 105)], .poorFit),
        ] as [([(Double, Double)], MissingReason.Kind)] {
            let law = try #require(law(paces))
            #expect(law.k == 5 && law.basis.kind == .ruleOfThumb && law.basis.inputs.isEmpty)
            #expect(law.missingFit?.kind == reason, "\(paces)")
        }
    }

    @Test func predictions() throws {
        // A 2000 m at 1:45 and a 5000 m with k = 5 s.
        let k = 5.0
        let long = 105 + k * Logarithm.binary(2.5)
        let pieces = [(2000.0, 105.0), (5000, long)].enumerated().map { number, made in
            PieceTraining(
                SyntheticRower.piece(number, metres: made.0, seconds: made.0 / 500 * made.1))
        }
        let found = SyntheticRower.training(pieces).predictions
        func pace(_ word: String) -> Double? {
            found.first { $0.event.wireName == word }?.figure.pace
        }
        #expect(
            found.map(\.event.wireName)
                == ["500m", "1000m", "6000m", "10000m", "21097m", "4min", "30min", "60min"])
        #expect(Self.isNear(pace("500m"), 95, percent: 0.1))
        #expect(Self.isNear(pace("1000m"), 100, percent: 0.1))
        #expect(Self.isNear(pace("10000m"), long + 5, percent: 0.1))
        // For a timed event both pace and distance are predicted and must fit the law.
        let half = try #require(found.first { $0.event.wireName == "30min" }).figure
        #expect(half.centiseconds == 180_000 && half.kind == .estimated)
        let metres = Double(half.decimetres) / 10
        #expect(Self.isNear(half.pace, 105 + k * Logarithm.binary(metres / 2000), percent: 0.1))
        #expect(half.inputs == [SyntheticRower.name(0), SyntheticRower.name(1)])
        // One result reaches three doublings with the rule-of-thumb k.
        let one = SyntheticRower.training([pieces[0]]).predictions
        #expect(one.map(\.event.wireName).contains("10000m"))
        #expect(!one.map(\.event.wireName).contains("21097m"))
        #expect(one.allSatisfy { $0.figure.kind == .ruleOfThumb })
    }

    @Test(arguments: [(205.0, 8000.0), (230, 15_000), (330, 25_000)])
    func criticalPower(_ watts: Double, _ joules: Double) throws {
        // Results that follow the model; those under 2 and over 20 min are ignored.
        let pieces = SyntheticRower.results(over: [500, 1000, 2000, 5000, 10_000]) { time in
            watts + joules / time
        }
        let found = try #require(SyntheticRower.training(pieces).critical.value)
        #expect(Self.isNear(found.watts, watts), "\(found.watts)")
        #expect(Self.isNear(found.joules, joules), "\(found.joules)")
        #expect(found.basis.kind == .estimated && (3...4).contains(found.basis.inputs.count))
    }

    @Test func hasNoCriticalPowerWithFewResults() throws {
        // Two results; three with similar durations; one that is not maximal, because a longer one has more
        // power.
        func missingReason(_ distances: [Double]) -> MissingReason? {
            SyntheticRower.training(
                SyntheticRower.results(over: distances) { 230 + 15_000 / $0 }
            ).critical.fault
        }
        #expect(missingReason([1000, 2000]) == MissingReason(.tooFewResults, has: 2, needs: 3))
        let alike = SyntheticRower.results(over: [1000, 2000]) { 230 + 15_000 / $0 }
        let four = PieceTraining(
            SyntheticRower.piece(7, .seconds(240), metres: 1129, seconds: 240))
        #expect(SyntheticRower.training(alike + [four]).critical.fault?.kind == .tooNarrow)
        var pieces = SyntheticRower.results(over: [1000, 2000, 5000]) { 230 + 15_000 / $0 }
        #expect(SyntheticRower.training(pieces).critical.value != nil)
        pieces[1] = PieceTraining(SyntheticRower.piece(1, metres: 2000, seconds: 600))
        #expect(
            SyntheticRower.training(pieces).critical.fault
                == MissingReason(.tooFewResults, has: 2, needs: 3))
    }

    @Test func powerCurve() throws {
        // Results from a known curve.
        let known = [
            PowerCurve.Term(watts: 500, seconds: 40), PowerCurve.Term(watts: 300, seconds: 12_000),
        ]
        let pieces = SyntheticRower.results(
            over: [100, 500, 1000, 2000, 5000, 10_000, 21_097], power: known.watts(for:))
        let curve = try #require(SyntheticRower.training(pieces).curve.value)
        for seconds in [20.0, 45, 90, 240, 600, 1800, 3600] {
            #expect(
                Self.isNear(curve.watts(for: seconds), known.watts(for: seconds)), "\(seconds)")
        }
        #expect(curve.explained > 0.99 && curve.basis.inputs.count == 7)
        #expect(curve.durations.upperBound > 4000)
    }

    @Test func hasNoPowerCurveWithFewResults() {
        // Four results; five within a factor of 10; five that no such curve can fit.
        let power: (Double) -> Double = { 230 + 15_000 / $0 }
        let four = SyntheticRower.results(over: [100, 500, 2000, 5000], power: power)
        #expect(SyntheticRower.training(four).curve.fault == MissingReason(.tooFewResults, has: 4, needs: 5))
        let narrow = [2000.0, 5000, 6000, 10_000].enumerated().map { number, metres in
            PieceTraining(
                SyntheticRower.piece(
                    number, metres: metres, seconds: metres / 500 * (100 + metres / 1e3)))
        }
        let fifth = PieceTraining(
            SyntheticRower.piece(9, .seconds(1800), metres: 8300, seconds: 1800))
        #expect(SyntheticRower.training(narrow + [fifth]).curve.fault?.kind == .tooNarrow)
        let cliff = [(500.0, 100.0), (1000, 100.1), (2000, 100.2), (5000, 100.3), (10_000, 240)]
        let pieces = cliff.enumerated().map { number, made in
            PieceTraining(
                SyntheticRower.piece(number, metres: made.0, seconds: made.0 / 500 * made.1))
        }
        #expect(SyntheticRower.training(pieces).curve.fault?.kind == .poorFit)
    }

    @Test func halvesTheMetresOfABikeErg() {
        // 1000 m on a BikeErg equal 500 m on a RowErg.
        let figure = EventResult(
            kind: .measured, formula: "", centiseconds: 10_500, decimetres: 10_000, inputs: [],
            date: 0)
        #expect(Self.isNear(figure.watts(on: .bike), 302.3, percent: 0.1))
        #expect(Self.isNear(figure.watts(on: .rower), 8 * 302.3, percent: 0.1))
    }
}
