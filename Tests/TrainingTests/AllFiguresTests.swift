import Bests
import Bytes
import TestSupport
import Testing

@testable import Training

/// What holds of every figure that is told of an athlete, and of the club.
@Suite struct AllFiguresTests {
    private static let athletes = ["anna", "ben", "carl"]

    /// A year of sessions of several athletes, with force curves and gaps.
    private static func season(later: Int64 = 0) -> [String: [PieceTraining]] {
        var found: [String: [PieceTraining]] = [:]
        for number in 0..<90 {
            let metres = [500.0, 1000, 2000, 5000, 6000][number % 5]
            let pace = 100 + Double(number * 7 % 23) + metres / 500
            var piece = MadeRower.piece(
                number, metres: metres, seconds: metres / 500 * pace, daysAgo: number * 4,
                watts: { 150 + number + Int($0 * 20) }, heart: { _ in 150 })
            if number % 7 == 6 { piece.hasGap = true }
            if number % 4 == 3 { piece.machine = .ski }
            piece.startedAt += later
            let shapes = (0..<(number % 3 * 15)).compactMap { curve in
                ForceShape((0...40).map { Double(min($0, 40 - $0) * (30 + curve % 7)) })
            }
            let athlete = athletes[number % 3]
            found[athlete, default: []].append(PieceTraining(piece, shapes))
        }
        return found
    }

    /// Everything, as programs read it.
    private static func told(_ season: [String: [PieceTraining]]) -> String {
        var bests: [String: AthleteBests] = [:]
        var text = ""
        for (athlete, pieces) in season.sorted(by: { $0.key < $1.key }) {
            let own = AthleteBests(pieces.map(\.figures))
            bests[athlete] = own
            let bytes = JSONWriter.object { json in
                own.write(into: &json)
                for length in TrainingSpan.Length.allCases {
                    json.object(volume(of: length)) { json in
                        json.list(
                            "volumes",
                            of: TrainingVolume.all(
                                of: pieces.map(\.figures), by: length)
                        ) { $1.write(into: &$0) }
                        AthleteTraining(pieces, by: length).write(into: &json)
                    }
                }
                json.list("new", of: NewBest.all(in: pieces.map(\.figures))) {
                    $1.write(into: &$0)
                }
            }
            text += athlete + String(decoding: bytes, as: UTF8.self)
        }
        return text + String(decoding: JSONWriter.object(ClubRecords(bests).write), as: UTF8.self)
    }

    private static func volume(of length: TrainingSpan.Length) -> StaticString {
        switch length {
        case .day: "day"
        case .week: "week"
        case .season: "season"
        }
    }

    @Test func twiceAndInAnyOrderTheSameBytes() {
        // Goal: figures are a function of a set of sessions. Method: all of them, as JSON, of a season
        // that arrives in other orders.
        let season = Self.season()
        let told = Self.told(season)
        for figure in ["\"loads\":[{", "\"force\":[{", "\"work_kj\":", "\"records\":[{"] {
            #expect(told.contains(figure), "\(figure)")
        }
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<5 {
            #expect(Self.told(season.mapValues { $0.shuffled(using: &generator) }) == told)
        }
    }

    @Test func anErasedSessionIsInNoFigure() {
        // Goal: an erasure takes back what rested on it. Method: each tenth session is erased; nothing
        // names it, and what is told is what is told where it never was.
        let season = Self.season()
        for number in stride(from: 0, to: 90, by: 10) {
            let name = MadeRower.name(number)
            let left = season.mapValues { $0.filter { $0.figures.name != name } }
            let told = Self.told(left)
            #expect(!told.contains(name.session))
            #expect(told != Self.told(season))
        }
    }

    @Test func aCorrectedSessionChangesWhatRestedOnIt() {
        // Goal: a correction is as if the session had always been so. Method: sessions lose their rank.
        var season = Self.season()
        let before = Self.told(season)
        for index in season["anna"]?.indices ?? 0..<0 {
            season["anna"]?[index].figures.faults = [.monitorDiffers]
        }
        let after = Self.told(season)
        #expect(after != before)
        #expect(
            ClubRecords(["anna": AthleteBests((season["anna"] ?? []).map(\.figures))]).records == []
        )
    }

    @Test func aYearLaterNothingElseChanges() {
        // Goal: no figure rests on when it is looked at. Method: 52 weeks later, loads and shapes are
        // those of before.
        let (now, then) = (Self.season(), Self.season(later: 364 * MadeRower.day))
        for athlete in Self.athletes {
            let trainings = [now, then].map { AthleteTraining($0[athlete] ?? [], by: .week) }
            #expect(trainings[0].loads.map(\.tenths) == trainings[1].loads.map(\.tenths))
            #expect(trainings[0].loads.map(\.longAverage) == trainings[1].loads.map(\.longAverage))
            for (one, other) in zip(trainings[0].machines, trainings[1].machines) {
                #expect(one.force.map(\.features) == other.force.map(\.features))
            }
        }
    }
}
