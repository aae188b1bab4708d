import Testing

@testable import Bests

/// The best of all athletes.
@Suite struct ClubRecordsTests {
    private static let day: Int64 = 86_400_000

    private func bests(_ pieces: [(number: Int, pace: Double, day: Int64)]) -> AthleteBests {
        AthleteBests(
            pieces.map { piece in
                MadePiece.steady(metres: 2000, pace: piece.pace)
                    .named(piece.number, at: MadePiece.evening + piece.day * Self.day).figures
            })
    }

    @Test func theFastestHasIt() throws {
        // Goal: the record is the fastest ranked result, of all time and of a season; of two that are
        // alike the earlier. Method: three athletes over two seasons.
        let records = ClubRecords([
            "anna": bests([(1, 110, 0), (2, 104, -300)]), "ben": bests([(3, 108, 1), (4, 109, 9)]),
            "carl": bests([(5, 108, 0)]),
        ])
        #expect(records.records.allSatisfy { $0.event == .metres(2000) }, "no efforts")
        #expect(records.records.map(\.season?.year) == [nil, 2027, 2026])
        #expect(records.records.map(\.athlete) == ["anna", "carl", "anna"])
        #expect(records.records[0].figure.centiseconds == 41_600)
        #expect(ClubRecords([:]).records == [])
    }

    @Test func anErasedAthleteHasNone() {
        // Goal: a record goes to the next one. Method: whoever has it is erased.
        let all = ["anna": bests([(1, 104, 0)]), "ben": bests([(2, 108, 1)])]
        #expect(ClubRecords(all).records.first?.athlete == "anna")
        #expect(ClubRecords(all.filter { $0.key != "anna" }).records.first?.athlete == "ben")
    }
}
