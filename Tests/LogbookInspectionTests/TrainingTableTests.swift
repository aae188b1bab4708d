import Bests
import Bytes
import Contract
import TestSupport
import Testing
import Training

@testable import CommandLineText
@testable import LogbookInspection

/// Output about an athlete's training, for people and programs.
@Suite struct TrainingTableTests {
    /// A ranked steady piece with about the given power.
    private static func piece(
        _ index: Int, _ metres: Int, _ seconds: Int, _ daysAgo: Int64, watts: Int
    ) throws -> PieceTraining {
        let name = PieceName(
            gateway: try #require(GatewayID("boathouse")),
            session: "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(index)")
        var piece = RecordedPiece(name: name, startedAt: 1_788_627_000_000 - daysAgo * 86_400_000)
        let end = WorkPoint(centiseconds: Int64(seconds) * 100, decimetres: Int64(metres) * 10)
        piece.total = end
        piece.runs = [[WorkPoint(centiseconds: 0, decimetres: 0), end]]
        (piece.isComplete, piece.isVerified, piece.agreesWithMonitor) = (true, true, true)
        piece.preset = RankedEvent(metres: Double(metres), seconds: nil)
        piece.strokes = (0..<seconds / 2).map { stroke in
            MeasuredStroke(centiseconds: 200, watts: watts + stroke % 40, rate: 28)
        }
        // Only every second piece has force curves.
        let curves = index % 2 == 0 ? 24 : 0
        let shapes = try (0..<curves).map { curve in
            let forces = (0...40).map { "\(min($0, 40 - $0) * (20 + curve % 3))" }
            let record = #"{"complete":true,"force_n":[\#(forces.joined(separator: ","))]}"#
            return try #require(
                try JSONObject(parsing: Array(record.utf8)).flatMap { ForceShape($0) })
        }
        return PieceTraining(piece, shapes, in: .utc)
    }

    private static func lines(
        _ pieces: [PieceTraining], _ season: Season? = nil, heart: HeartLimits? = nil
    ) -> String {
        TrainingTable(
            AthleteTraining(pieces, by: .week, in: season, heart: heart), of: "anna", by: .week,
            in: season, calendar: .utc
        ).lines.rendered(inColour: false)
    }

    @Test func training() throws {
        // An athlete with results over all distances; one with a single 2000 m and a SkiErg, with and
        // without heart rate limits; none.
        let all = try [
            Self.piece(0, 500, 88, 9, watts: 480), Self.piece(1, 1000, 196, 20, watts: 350),
            Self.piece(2, 2000, 418, 30, watts: 290), Self.piece(3, 5000, 1125, 200, watts: 230),
            Self.piece(4, 10_000, 2350, 210, watts: 190),
        ]
        var few = Array(all[2...2])
        var ski = all[0]
        ski.metrics.machine = .ski
        few.append(ski)
        let table = TrainingTable(
            AthleteTraining(all, by: .season), of: "anna", by: .season, calendar: .utc)
        for (file, text) in [
            ("training.txt", Self.lines(all, Season(year: 2027))),
            ("training-few.txt", Self.lines(few)),
            ("training-none.txt", Self.lines([])),
            (
                "training-heart.txt",
                Self.lines(few, heart: HeartLimits(resting: 48, maximal: 192, givenAt: 0))
            ),
            ("training.json", table.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }
}
