import Bests
import Contract
import TestSupport
import Testing

@testable import Training

/// Load, with what it is measured by, and work.
@Suite struct LoadTests {
    /// A ranked hour at a power, 100 days ago.
    private static func hour(at watts: Double) -> PieceTraining {
        var metres = 15_000.0
        for _ in 0..<60 { metres *= 3600 / MadeRower.seconds(over: metres, at: watts) }
        return PieceTraining(
            MadeRower.piece(
                900, .seconds(3600), metres: metres, seconds: 3600, daysAgo: 100,
                watts: { _ in Int(watts) }))
    }

    private static func bests(_ pieces: [PieceTraining]) -> AthleteBests {
        AthleteBests(pieces.map(\.figures))
    }

    @Test func anEvenPieceIsAsHardAsItsPower() throws {
        // Goal: known answers. Method: an even piece; one of a minute hard and a minute easy in turns,
        // which was harder than its mean; the same twice as strong.
        let even = try #require(
            NormalizedPower(MadeRower.piece(1, metres: 8000, seconds: 1800).rowed))
        #expect(abs(even.watts - 200) < 1e-9 && even.centiseconds == 180_000)
        func turns(_ scale: Int) -> Double? {
            let piece = MadeRower.piece(
                2, metres: 8000, seconds: 1800,
                watts: { Int($0 * 30) % 2 == 0 ? 300 * scale : 100 * scale })
            return NormalizedPower(piece.rowed)?.watts
        }
        let (once, twice) = (try #require(turns(1)), try #require(turns(2)))
        #expect(once > 215 && once < 253, "\(once): between the mean and its fourth root")
        #expect(abs(twice - 2 * once) < 1e-6)
        #expect(NormalizedPower([]) == nil)
        // An average does not reach over a rest.
        var parts = MadeRower.piece(3, metres: 200, seconds: 50, watts: { $0 < 0.5 ? 100 : 300 })
        for index in parts.rowed.indices { parts.rowed[index].interval = index < 10 ? 1 : 2 }
        let halves = (Double(100 * 100 * 100 * 100) + Double(300 * 300) * Double(300 * 300)) / 2
        let found = try #require(NormalizedPower(parts.rowed)?.watts)
        #expect(abs(found - halves.squareRoot().squareRoot()) < 1e-9)
    }

    @Test func anHourAsHardAsCanBeIsAHundred() throws {
        // Goal: the unit. Method: the ranked hour itself; half an hour at 80 % of it.
        let hour = Self.hour(at: 200)
        let power = HourPower.of(Self.bests([hour]), on: .rower)
        let found = try #require(power.value)
        #expect(abs(found.watts - 200) < 0.1 && found.basis.kind == .computed)
        let whole = try #require(SessionLoad.of(hour, by: power).value)
        #expect(abs(whole.tenths - 1000) <= 1, "\(whole.tenths)")
        let half = PieceTraining(
            MadeRower.piece(1, metres: 7000, seconds: 1800, watts: { _ in 160 }))
        let load = try #require(SessionLoad.of(half, by: power).value)
        #expect(abs(load.tenths - 320) <= 1)
        #expect(load.basis.inputs == [MadeRower.name(1), MadeRower.name(900)])
    }

    @Test func withoutAnHourPaulsLawIsAsked() throws {
        // Goal: what a load claims is what its measure claims; no measure, no load. Method: a 2000 m
        // alone; nothing ranked; nobody; power that was not heard.
        let short = PieceTraining(MadeRower.piece(1, metres: 2000, seconds: 440))
        let hour = try #require(HourPower.of(Self.bests([short]), on: .rower).value)
        #expect(hour.basis.kind == .ruleOfThumb && hour.watts < 263 && hour.watts > 120)
        #expect(HourPower.of(Self.bests([short]), on: .ski).fault == Lack(.noHourPower))
        #expect(HourPower.of(nil, on: .rower).fault == Lack(.noAthlete))
        let power = HourPower.of(Self.bests([short]), on: .rower)
        #expect(SessionLoad.of(short, by: power).value?.basis.kind == .ruleOfThumb)
        var piece = MadeRower.piece(2, metres: 2000, seconds: 500)
        for index in piece.rowed.indices.prefix(40) { piece.rowed[index].watts = nil }
        let lack = SessionLoad.of(PieceTraining(piece), by: power).fault
        #expect(lack == Lack(.noPower, has: 80, needs: 90))
    }

    @Test func averagesAreOfDays() throws {
        // Goal: known averages, low ones marked. Method: an hour as hard as can be, then a session of
        // 100 on each of the last 10 days; by day and by week.
        let pieces =
            [Self.hour(at: 200)]
            + (0..<10).map { day in
                PieceTraining(
                    MadeRower.piece(
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
        // The season before counts for averages and is not told.
        let season = AthleteTraining(pieces, by: .day, in: Season(year: 2027)).loads
        #expect(season == days)
        #expect(AthleteTraining(pieces, by: .day, in: Season(year: 2020)).loads == [])
    }

    @Test func machinesAreMeasuredByTheirOwn() throws {
        // Goal: a SkiErg's session is no load where nothing is known of the skier. Method: one, beside
        // a rower's hour.
        var ski = MadeRower.piece(1, metres: 2000, seconds: 500)
        (ski.machine, ski.preset) = (.ski, nil)
        let loads = AthleteTraining([Self.hour(at: 200), PieceTraining(ski)], by: .season).loads
        #expect(loads.map(\.unknown) == [1])
        #expect(loads[0].basis.inputs.count == 2)
    }

    @Test func workIsPowerByTime() {
        // Goal: known kilojoules. Method: 200 W for 500 s, a stroke of which is not known.
        var piece = MadeRower.piece(1, metres: 2000, seconds: 500)
        let whole = PieceFigures(piece, in: .utc)
        #expect(whole.work == 200 * 50_000 && whole.powered == 50_000)
        piece.rowed[3].watts = nil
        let volume = TrainingVolume.all(of: [PieceFigures(piece, in: .utc)], by: .day)
        #expect(volume.map(\.work) == [200 * 49_750] && volume.map(\.unknown) == [250])
    }
}
