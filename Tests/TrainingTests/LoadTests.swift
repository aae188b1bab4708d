import Bests
import Contract
import TestSupport
import Testing

@testable import Training

/// Load, hour power and work.
@Suite struct LoadTests {
    /// A ranked hour at a power, 100 days ago.
    private static func hour(at watts: Double) -> PieceTraining {
        var metres = 15_000.0
        for _ in 0..<60 { metres *= 3600 / SyntheticRower.seconds(over: metres, at: watts) }
        return PieceTraining(
            SyntheticRower.piece(
                900, .seconds(3600), metres: metres, seconds: 3600, daysAgo: 100,
                watts: { _ in Int(watts) }))
    }

    private static func bests(_ pieces: [PieceTraining]) -> AthleteBests {
        AthleteBests(pieces.map(\.metrics))
    }

    @Test func computesNormalizedPower() throws {
        // A constant piece, and one with alternating hard and easy minutes, also with doubled watts.
        let even = try #require(
            NormalizedPower(SyntheticRower.piece(1, metres: 8000, seconds: 1800).strokes))
        #expect(abs(even.watts - 200) < 1e-9 && even.centiseconds == 180_000)
        func turns(_ scale: Int) -> Double? {
            let piece = SyntheticRower.piece(
                2, metres: 8000, seconds: 1800,
                watts: { Int($0 * 30) % 2 == 0 ? 300 * scale : 100 * scale })
            return NormalizedPower(piece.strokes)?.watts
        }
        let (once, twice) = (try #require(turns(1)), try #require(turns(2)))
        #expect(once > 215 && once < 253, "\(once): between the mean and its fourth root")
        #expect(abs(twice - 2 * once) < 1e-6)
        #expect(NormalizedPower([]) == nil)
        // The 30 s average restarts after a rest.
        var parts = SyntheticRower.piece(3, metres: 200, seconds: 50, watts: { $0 < 0.5 ? 100 : 300 })
        for index in parts.strokes.indices { parts.strokes[index].interval = index < 10 ? 1 : 2 }
        let halves = (Double(100 * 100 * 100 * 100) + Double(300 * 300) * Double(300 * 300)) / 2
        let found = try #require(NormalizedPower(parts.strokes)?.watts)
        #expect(abs(found - halves.squareRoot().squareRoot()) < 1e-9)
    }

    @Test func definesAnHourAtHourPowerAs100() throws {
        let hour = Self.hour(at: 200)
        let power = HourPower.of(Self.bests([hour]), on: .rower)
        let found = try #require(power.value)
        #expect(abs(found.watts - 200) < 0.1 && found.basis.kind == .computed)
        let whole = try #require(SessionLoad.of(hour, by: power).value)
        #expect(abs(whole.tenths - 1000) <= 1, "\(whole.tenths)")
        let half = PieceTraining(
            SyntheticRower.piece(1, metres: 7000, seconds: 1800, watts: { _ in 160 }))
        let load = try #require(SessionLoad.of(half, by: power).value)
        #expect(abs(load.tenths - 320) <= 1)
        #expect(load.basis.inputs == [SyntheticRower.name(1), SyntheticRower.name(900)])
    }

    @Test func predictsHourPowerWithoutARankedHour() throws {
        // A single 2000 m; no ranked result; no athlete; missing power.
        let short = PieceTraining(SyntheticRower.piece(1, metres: 2000, seconds: 440))
        let hour = try #require(HourPower.of(Self.bests([short]), on: .rower).value)
        #expect(hour.basis.kind == .ruleOfThumb && hour.watts < 263 && hour.watts > 120)
        #expect(HourPower.of(Self.bests([short]), on: .ski).fault == MissingReason(.noHourPower))
        #expect(HourPower.of(nil, on: .rower).fault == MissingReason(.noAthlete))
        let power = HourPower.of(Self.bests([short]), on: .rower)
        #expect(SessionLoad.of(short, by: power).value?.basis.kind == .ruleOfThumb)
        var piece = SyntheticRower.piece(2, metres: 2000, seconds: 500)
        for index in piece.strokes.indices.prefix(40) { piece.strokes[index].watts = nil }
        let reason = SessionLoad.of(PieceTraining(piece), by: power).fault
        #expect(reason == MissingReason(.noPower, has: 80, needs: 90))
    }

    @Test func averagesLoadsByDay() throws {
        // An hour at hour power, then a session of load 100 on each of the last 10 days.
        let pieces =
            [Self.hour(at: 200)]
            + (0..<10).map { day in
                PieceTraining(
                    SyntheticRower.piece(
                        day, metres: 15_000, seconds: 3600, daysAgo: 9 - day, watts: { _ in 200 }))
            }
        let days = AthleteTraining(pieces, by: .day).loads
        #expect(days.count == 11)
        #expect(days[0].isLow && !days[10].isLow)
        let last = days[10]
        #expect(abs(last.tenths - 1000) <= 1)
        #expect(abs(last.shortAverage - 10_000) <= 10, "\(last.shortAverage)")
        #expect(abs(last.longAverage - 10_000 * 10 / 42) <= 10)
        #expect(abs(days[0].longAverage - 10_000 / 42) <= 10)
        let weeks = AthleteTraining(pieces, by: .week).loads
        #expect(weeks.map(\.tenths).reduce(0, +) == days.map(\.tenths).reduce(0, +))
        #expect(weeks.last?.longAverage == last.longAverage)
        // The previous season counts for averages and is not listed.
        let season = AthleteTraining(pieces, by: .day, in: Season(year: 2027)).loads
        #expect(season == days)
        #expect(AthleteTraining(pieces, by: .day, in: Season(year: 2020)).loads == [])
    }

    @Test func measuresLoadByTheOwnMachine() throws {
        // A SkiErg session of an athlete whose only hour is on a RowErg.
        var ski = SyntheticRower.piece(1, metres: 2000, seconds: 500)
        (ski.machine, ski.preset) = (.ski, nil)
        let loads = AthleteTraining([Self.hour(at: 200), PieceTraining(ski)], by: .season).loads
        #expect(loads.map(\.unknown) == [1])
        #expect(loads[0].basis.inputs.count == 2)
    }

    @Test func computesWorkFromPowerAndTime() {
        // One stroke of 2.5 s has no power.
        var piece = SyntheticRower.piece(1, metres: 2000, seconds: 500)
        let whole = PieceMetrics(piece, in: .utc)
        #expect(whole.work == 200 * 50_000 && whole.poweredCentiseconds == 50_000)
        piece.strokes[3].watts = nil
        let volume = TrainingVolume.all(of: [PieceMetrics(piece, in: .utc)], by: .day)
        #expect(volume.map(\.work) == [200 * 49_750] && volume.map(\.unknownPower) == [250])
    }
}
