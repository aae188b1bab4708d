import Bests
import Bytes
import TestSupport
import Testing

@testable import Training

/// Features of force curves.
@Suite struct ForceFeatureTests {
    private static let triangle = (0...40).map { Double(min($0, 40 - $0)) * 30 }

    @Test func computesKnownShapes() throws {
        // A triangle, a constant force, and a triangle with a dent.
        for scale in [1.0, 3] {
            let triangle = try #require(ForceShape(Self.triangle.map { $0 * scale }))
            #expect(abs(triangle.averageToPeak - 0.5) < 0.02)
            #expect(triangle.peakPosition == 0.5 && abs(triangle.smoothness - 1) < 1e-9)
            let even = try #require(ForceShape([Double](repeating: 400 * scale, count: 30)))
            #expect(even.averageToPeak == 1 && even.smoothness == 1)
            let dented = (0...40).map { $0 == 20 ? 200.0 : Self.triangle[$0] }
            let shape = try #require(ForceShape(dented.map { $0 * scale }))
            // The peak is next to the dent, which takes 370 of 11 630.
            #expect(shape.peakPosition == 19.0 / 40)
            #expect(abs(shape.smoothness - (12_000.0 - 30 - 370) / (12_000 - 30)) < 0.01)
        }
        let early = try #require(ForceShape((0...40).map { Double(40 - $0) * 10 }))
        #expect(early.peakPosition == 0)
    }

    @Test func refusesInvalidCurves() throws {
        #expect(ForceShape([1, 2, 3]) == nil)
        #expect(ForceShape([Double](repeating: 0, count: 40)) == nil)
        #expect(ForceShape([Double](repeating: .nan, count: 40)) == nil)
        let list = Self.triangle.map { "\($0)" }.joined(separator: ",")
        func shape(_ complete: Bool) throws -> ForceShape? {
            let text = #"{"complete":\#(complete),"force_n":[\#(list)]}"#
            return ForceShape(try #require(try JSONObject(parsing: Array(text.utf8))))
        }
        #expect(try shape(true) == ForceShape(Self.triangle))
        #expect(try shape(false) == nil)
    }

    @Test func measuresSimilarity() throws {
        // The same triangle with twenty strengths; then early and late peaks mixed.
        let same = (1...20).compactMap { number in
            ForceShape(Self.triangle.map { $0 * Double(number) })
        }
        let found = try #require(ForceFeatures.of(same).value)
        #expect(abs(found.similarity - 1) < 1e-4 && found.curves == 20)
        let mixed = (1...20).compactMap { number in
            ForceShape((0...40).map { Double(number % 2 == 0 ? $0 : 40 - $0) * 10 })
        }
        let unlike = try #require(ForceFeatures.of(mixed).value)
        #expect(unlike.similarity < 0.8 && abs(unlike.peakPosition - 0.5) < 1e-4)
        #expect(
            ForceFeatures.of(Array(same.prefix(19))).fault
                == MissingReason(.tooFewCurves, has: 19, needs: 20))
    }

    @Test func averagesCurvesByWeek() throws {
        // Sessions with two shapes and different numbers of curves, in two weeks.
        func piece(_ number: Int, _ daysAgo: Int, _ curve: [Double], _ count: Int) -> PieceTraining {
            PieceTraining(
                SyntheticRower.piece(number, metres: 2000, seconds: 480, daysAgo: daysAgo),
                (0..<count).compactMap { _ in ForceShape(curve) })
        }
        let early = (0...40).map { Double(40 - $0) * 10 }
        let pieces = [
            piece(1, 0, Self.triangle, 60), piece(2, 1, early, 20), piece(3, 20, early, 30),
            piece(4, 21, early, 3),
        ]
        let season = SyntheticRower.training(pieces).force
        #expect(season.count == 1, "of the season")
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5 {
            let shuffled = AthleteTraining(pieces.shuffled(using: &generator), by: .week)
            let weeks = shuffled.machines[0].force
            #expect(weeks.map(\.features.curves) == [30, 80])
            #expect(abs(weeks[1].features.peakPosition - 0.5 * 60 / 80) < 1e-4)
            #expect(weeks[0].basis.inputs == [SyntheticRower.name(3)])
        }
    }
}
