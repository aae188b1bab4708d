import Bests
import Testing

@testable import Training

/// What is fitted to somebody's results.
@Suite struct PowerModelTests {
    private static func isNear(_ value: Double?, _ known: Double, percent: Double = 2) -> Bool {
        value.map { abs($0 - known) <= known * percent / 100 } ?? false
    }

    @Test func logarithms() {
        // Goal: no library's, and as good. Method: values known to 16 digits, and there and back.
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
    func ownK(_ k: Double) throws {
        // Goal: somebody's own k within 2 %. Method: results that follow it, told to hundredths; each
        // number of them.
        let distances: [Double] = [500, 1000, 2000, 5000, 10_000]
        for count in 2...5 {
            let pieces = distances.prefix(count).enumerated().map { number, metres in
                let pace = 105 + k * Logarithm.binary(metres / 2000)
                return PieceTraining(
                    MadeRower.piece(number, metres: metres, seconds: metres / 500 * pace))
            }
            let law = try #require(MadeRower.training(pieces).law.value)
            #expect(Self.isNear(law.k, k), "\(law.k)")
            #expect(law.basis.kind == .estimated && law.lack == nil)
            #expect(law.basis.inputs == (0..<count).map(MadeRower.name))
        }
    }

    @Test func theRuleOfThumbSaysWhy() throws {
        // Goal: no k of one result, nor of results that contradict the law. Method: one result; a long
        // one faster than a short one; two that are 20 s apart; a 100 m, which is too short.
        func law(_ paces: [(Double, Double)]) -> PaulsLaw? {
            MadeRower.training(
                paces.enumerated().map { number, made in
                    PieceTraining(
                        MadeRower.piece(
                            number, metres: made.0, seconds: made.0 / 500 * made.1))
                }
            ).law.value
        }
        for (paces, reason) in [
            ([(2000, 105)], .tooFewResults), ([(100, 85), (2000, 105)], .tooFewResults),
            ([(1000, 107), (2000, 105)], .poorFit), ([(1000, 85), (2000, 105)], .poorFit),
        ] as [([(Double, Double)], Lack.Reason)] {
            let law = try #require(law(paces))
            #expect(law.k == 5 && law.basis.kind == .ruleOfThumb && law.basis.inputs.isEmpty)
            #expect(law.lack?.reason == reason, "\(paces)")
        }
    }

    @Test func predictions() throws {
        // Goal: events not rowed, from the nearest result, and none too far away. Method: a 2000 m at
        // 1:45 and a 5000 m on the rule's 5 s.
        let k = 5.0
        let long = 105 + k * Logarithm.binary(2.5)
        let pieces = [(2000.0, 105.0), (5000, long)].enumerated().map { number, made in
            PieceTraining(
                MadeRower.piece(number, metres: made.0, seconds: made.0 / 500 * made.1))
        }
        let found = MadeRower.training(pieces).predictions
        func pace(_ word: String) -> Double? {
            found.first { $0.event.word == word }?.figure.pace
        }
        #expect(
            found.map(\.event.word)
                == ["500m", "1000m", "6000m", "10000m", "21097m", "4min", "30min", "60min"])
        #expect(Self.isNear(pace("500m"), 95, percent: 0.1))
        #expect(Self.isNear(pace("1000m"), 100, percent: 0.1))
        #expect(Self.isNear(pace("10000m"), long + 5, percent: 0.1))
        // Of half an hour somebody knows neither pace nor metres; both have to fit the law.
        let half = try #require(found.first { $0.event.word == "30min" }).figure
        #expect(half.centiseconds == 180_000 && half.kind == .estimated)
        let metres = Double(half.decimetres) / 10
        #expect(Self.isNear(half.pace, 105 + k * Logarithm.binary(metres / 2000), percent: 0.1))
        #expect(half.inputs == [MadeRower.name(0), MadeRower.name(1)])
        // One result reaches three doublings, with the rule's k, and claims no more than it.
        let one = MadeRower.training([pieces[0]]).predictions
        #expect(one.map(\.event.word).contains("10000m"))
        #expect(!one.map(\.event.word).contains("21097m"))
        #expect(one.allSatisfy { $0.figure.kind == .ruleOfThumb })
    }

    @Test(arguments: [(205.0, 8000.0), (230, 15_000), (330, 25_000)])
    func criticalPower(_ watts: Double, _ joules: Double) throws {
        // Goal: CP and W' within 2 %. Method: results of somebody who has just these, of all lengths;
        // those under 2 and over 20 min are left out.
        let pieces = MadeRower.results(over: [500, 1000, 2000, 5000, 10_000]) { time in
            watts + joules / time
        }
        let found = try #require(MadeRower.training(pieces).critical.value)
        #expect(Self.isNear(found.watts, watts), "\(found.watts)")
        #expect(Self.isNear(found.joules, joules), "\(found.joules)")
        #expect(found.basis.kind == .estimated && (3...4).contains(found.basis.inputs.count))
    }

    @Test func thinResultsGiveNoCriticalPower() throws {
        // Goal: no figure of too little. Method: two results; three that are alike; one that was not all
        // out, which a longer one surpasses.
        func lack(_ distances: [Double]) -> Lack? {
            MadeRower.training(
                MadeRower.results(over: distances) { 230 + 15_000 / $0 }
            ).critical.fault
        }
        #expect(lack([1000, 2000]) == Lack(.tooFewResults, has: 2, needs: 3))
        let alike = MadeRower.results(over: [1000, 2000]) { 230 + 15_000 / $0 }
        let four = PieceTraining(
            MadeRower.piece(7, .seconds(240), metres: 1129, seconds: 240))
        #expect(MadeRower.training(alike + [four]).critical.fault?.reason == .tooNarrow)
        var pieces = MadeRower.results(over: [1000, 2000, 5000]) { 230 + 15_000 / $0 }
        #expect(MadeRower.training(pieces).critical.value != nil)
        pieces[1] = PieceTraining(MadeRower.piece(1, metres: 2000, seconds: 600))
        #expect(
            MadeRower.training(pieces).critical.fault
                == Lack(.tooFewResults, has: 2, needs: 3))
    }

    @Test func powerCurve() throws {
        // Goal: somebody's curve within 2 % wherever it was rowed. Method: results of a curve that is
        // known; the curve between them too.
        let known = [
            PowerCurve.Term(watts: 500, seconds: 40), PowerCurve.Term(watts: 300, seconds: 12_000),
        ]
        let pieces = MadeRower.results(
            over: [100, 500, 1000, 2000, 5000, 10_000, 21_097], power: known.watts(for:))
        let curve = try #require(MadeRower.training(pieces).curve.value)
        for seconds in [20.0, 45, 90, 240, 600, 1800, 3600] {
            #expect(
                Self.isNear(curve.watts(for: seconds), known.watts(for: seconds)), "\(seconds)")
        }
        #expect(curve.explained > 0.99 && curve.basis.inputs.count == 7)
        #expect(curve.durations.upperBound > 4000)
    }

    @Test func thinResultsGiveNoCurve() {
        // Goal: each gate holds by itself. Method: four results; five within a factor of 10; five that
        // fall off a cliff, which no such curve does.
        let power: (Double) -> Double = { 230 + 15_000 / $0 }
        let four = MadeRower.results(over: [100, 500, 2000, 5000], power: power)
        #expect(MadeRower.training(four).curve.fault == Lack(.tooFewResults, has: 4, needs: 5))
        let narrow = [2000.0, 5000, 6000, 10_000].enumerated().map { number, metres in
            PieceTraining(
                MadeRower.piece(
                    number, metres: metres, seconds: metres / 500 * (100 + metres / 1e3)))
        }
        let fifth = PieceTraining(
            MadeRower.piece(9, .seconds(1800), metres: 8300, seconds: 1800))
        #expect(MadeRower.training(narrow + [fifth]).curve.fault?.reason == .tooNarrow)
        let cliff = [(500.0, 100.0), (1000, 100.1), (2000, 100.2), (5000, 100.3), (10_000, 240)]
        let pieces = cliff.enumerated().map { number, made in
            PieceTraining(
                MadeRower.piece(number, metres: made.0, seconds: made.0 / 500 * made.1))
        }
        #expect(MadeRower.training(pieces).curve.fault?.reason == .poorFit)
    }

    @Test func bikesAreMeasuredByTheirOwnMetres() {
        // Goal: 1000 m of a BikeErg are 500 m of a RowErg. Method: the same piece on each.
        let figure = RowedFigure(
            kind: .measured, formula: "", centiseconds: 10_500, decimetres: 10_000, inputs: [],
            date: 0)
        #expect(Self.isNear(figure.watts(on: .bike), 302.3, percent: 0.1))
        #expect(Self.isNear(figure.watts(on: .rower), 8 * 302.3, percent: 0.1))
    }
}
