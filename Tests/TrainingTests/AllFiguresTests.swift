import Bests
import Bytes
import TestSupport
import Testing

@testable import Training

/// Properties of all metrics of athletes and the club.
@Suite struct AllFiguresTests {
    private static let athletes = ["anna", "ben", "carl"]

    /// A year of sessions of several athletes, with force curves and gaps.
    private static func season(later: Int64 = 0) -> [String: [PieceTraining]] {
        var found: [String: [PieceTraining]] = [:]
        for number in 0..<90 {
            let metres = [500.0, 1000, 2000, 5000, 6000][number % 5]
            let pace = 100 + Double(number * 7 % 23) + metres / 500
            var piece = SyntheticRower.piece(
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

    /// All metrics as JSON.
    private static func json(_ season: [String: [PieceTraining]]) -> String {
        var bests: [String: AthleteBests] = [:]
        var text = ""
        for (athlete, pieces) in season.sorted(by: { $0.key < $1.key }) {
            let own = AthleteBests(pieces.map(\.metrics))
            bests[athlete] = own
            let bytes = JSONWriter.object { json in
                own.write(into: &json)
                for length in TrainingSpan.Length.allCases {
                    json.object(volume(of: length)) { json in
                        json.list(
                            "volumes",
                            of: TrainingVolume.all(
                                of: pieces.map(\.metrics), by: length)
                        ) { $1.write(into: &$0) }
                        AthleteTraining(pieces, by: length).write(into: &json)
                    }
                }
                json.list("new", of: NewBest.all(in: pieces.map(\.metrics))) {
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

    @Test func doesNotDependOnTheOrder() {
        let season = Self.season()
        let json = Self.json(season)
        for figure in ["\"loads\":[{", "\"force\":[{", "\"work_kj\":", "\"records\":[{"] {
            #expect(json.contains(figure), "\(figure)")
        }
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<5 {
            #expect(Self.json(season.mapValues { $0.shuffled(using: &generator) }) == json)
        }
    }

    @Test func removesErasedSessionsFromAllMetrics() {
        let season = Self.season()
        for number in stride(from: 0, to: 90, by: 10) {
            let name = SyntheticRower.name(number)
            let left = season.mapValues { $0.filter { $0.metrics.name != name } }
            let json = Self.json(left)
            #expect(!json.contains(name.session))
            #expect(json != Self.json(season))
        }
    }

    @Test func updatesMetricsOfACorrectedSession() {
        // Sessions lose their rank.
        var season = Self.season()
        let before = Self.json(season)
        for index in season["anna"]?.indices ?? 0..<0 {
            season["anna"]?[index].metrics.faults = [.monitorDiffers]
        }
        let after = Self.json(season)
        #expect(after != before)
        #expect(
            ClubRecords(["anna": AthleteBests((season["anna"] ?? []).map(\.metrics))]).records == []
        )
    }

    @Test func changesOnlyDatesAYearLater() {
        // 52 weeks later.
        let (now, then) = (Self.season(), Self.season(later: 364 * SyntheticRower.day))
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
