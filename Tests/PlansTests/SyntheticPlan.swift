import Bests
import Contract
import Timeline

@testable import Plans

/// A synthetic plan and matching sessions.
enum SyntheticPlan {
    static func plan(_ workouts: [PlannedWorkout]) throws -> TrainingPlan {
        try TrainingPlan(
            id: "winter", title: "Winter, part 1",
            group: TrainingPlan.Group(name: "Squad A", athletes: ["ben", "anna", "ben"]), workouts)
    }

    /// Contains all characters that need escaping, and lines that must be folded.
    static func awkward() throws -> TrainingPlan {
        try plan([
            PlannedWorkout(
                day: "2026-12-01", workout: "2000m@1:50-1:55", name: "Test: all out",
                shownFrom: "9:05"),
            PlannedWorkout(
                day: "2026-12-01", workout: "4x500m/1:00r", name: #"So; "long", \n and \;"#,
                note: String(repeating: "Größe – 長い, ", count: 12) + "\nsecond; line\\n"),
            PlannedWorkout(id: "free", day: "2026-11-30", workout: "just-row", note: "=1+1"),
            PlannedWorkout(
                day: "2028-02-29", workout: "500m/1:00r@2k+5+2:00/1:30r@6k-2+100cal", machine: "bike",
                shownFrom: "18:00 -7d"),
        ])
    }

    static let name = PieceName(
        gateway: GatewayID("boathouse")!, session: "01JD8Z3V5Q0000000000000001")

    static func name(_ number: Int) -> PieceName {
        PieceName(
            gateway: GatewayID("boathouse")!, session: "01JD8Z3V5Q000000000000000\(number)")
    }

    /// - Parameters:
    ///   - parts: metres and seconds of each part.
    ///   - hour: hours after 2026-12-01T00:00:00Z.
    static func piece(
        _ number: Int, _ shape: PieceStructure.Shape, _ parts: [(metres: Int64, seconds: Int64)],
        hour: Int64 = 12, kilocalories: Int64? = nil, on machine: MachineKind = .rower,
        in calendar: ClubCalendar = .utc
    ) -> PieceMetrics {
        var piece = RecordedPiece(
            name: name(number), startedAt: 1_796_083_200_000 + hour * 3_600_000)
        piece.structure = PieceStructure(
            shape,
            parts.map {
                PieceStructure.Part(
                    centiseconds: $0.seconds * 100, decimetres: $0.metres * 10,
                    kilocalories: kilocalories)
            })
        piece.total = WorkPoint(
            centiseconds: piece.structure.parts.reduce(0) { $0 + $1.centiseconds },
            decimetres: piece.structure.parts.reduce(0) { $0 + $1.decimetres })
        piece.machine = machine
        return PieceMetrics(piece, in: calendar)
    }
}
