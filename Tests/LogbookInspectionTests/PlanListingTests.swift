import Bests
import Contract
import Plans
import TestSupport
import Testing
import Timeline

@testable import CommandLineText
@testable import LogbookInspection

/// Output about plans, for people and programs.
@Suite struct PlanListingTests {
    private static func plan() throws -> TrainingPlan {
        try TrainingPlan(
            id: "winter", title: "Winter, part 1",
            group: TrainingPlan.Group(name: "Squad A", athletes: ["ben", "anna"]),
            [
                PlannedWorkout(day: "2026-12-01", workout: "2000m@1:50-1:55", name: "Test"),
                PlannedWorkout(
                    day: "2026-12-03", workout: "4x500m/1:00r", note: "flat\nfrom the first"),
                PlannedWorkout(
                    day: "2026-12-08", workout: "40:00@18-20spm", machine: "ski", name: "Steady"),
            ])
    }

    private static func piece(
        _ number: Int, _ day: Int64, _ shape: PieceStructure.Shape, _ metres: [Int64]
    ) throws -> PieceMetrics {
        // Day 1 is 2026-12-01, at 12:00 UTC.
        let begin = 1_796_126_400_000 + (day - 1) * 86_400_000
        var piece = RecordedPiece(
            name: PieceName(
                gateway: try #require(GatewayID("boathouse")),
                session: "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(number)"), startedAt: begin)
        piece.structure = PieceStructure(
            shape, metres.map { PieceStructure.Part(centiseconds: $0 * 22, decimetres: $0 * 10) })
        piece.total = WorkPoint(
            centiseconds: metres.reduce(0, +) * 22, decimetres: metres.reduce(0, +) * 10)
        return PieceMetrics(piece, in: .utc)
    }

    @Test func plans() throws {
        let plan = try Self.plan()
        let empty = try TrainingPlan(id: "empty", [])
        let anna = try [
            Self.piece(1, 1, .piece, [2000]), Self.piece(2, 3, .intervals, [500, 500, 500]),
            Self.piece(3, 3, .piece, [1000]),
        ]
        let table = AdherenceTable(
            plan,
            [
                ("anna", anna.adherence(to: plan)),
                ("ben", [].adherence(to: plan)),
            ])
        let none = AdherenceTable(empty, [])
        let listing = PlanListing([empty, plan])
        for (file, text) in [
            ("plans.txt", listing.lines.rendered(inColour: false)),
            ("plans.json", listing.json + "\n"),
            ("plans-none.txt", PlanListing([]).lines.rendered(inColour: false)),
            ("plan.txt", PlanListing.lines(of: plan).rendered(inColour: false)),
            ("plan.json", PlanListing.json(of: plan) + "\n"),
            ("plan-empty.txt", PlanListing.lines(of: empty).rendered(inColour: false)),
            ("adherence.txt", table.lines.rendered(inColour: false)),
            ("adherence.json", table.json + "\n"),
            ("adherence-none.txt", none.lines.rendered(inColour: false)),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }
}

extension [PieceMetrics] {
    /// On 4 December 2026.
    fileprivate func adherence(to plan: TrainingPlan) -> Adherence {
        let today = CalendarDay(year: 2026, month: 12, day: 4)
        return Adherence(to: plan, of: self, today: TrainingSpan(.day, of: today))
    }
}
