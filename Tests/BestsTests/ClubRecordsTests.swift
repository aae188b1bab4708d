import Testing

@testable import Bests

/// The best results of all athletes.
@Suite struct ClubRecordsTests {
    private static let day: Int64 = 86_400_000

    private func bests(_ pieces: [(number: Int, pace: Double, day: Int64)]) -> AthleteBests {
        AthleteBests(
            pieces.map { piece in
                SyntheticPiece.steady(metres: 2000, pace: piece.pace)
                    .named(piece.number, at: SyntheticPiece.evening + piece.day * Self.day).metrics
            })
    }

    @Test func findsTheFastestAthlete() throws {
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

    @Test func passesTheRecordOnAfterAnErasure() {
        let all = ["anna": bests([(1, 104, 0)]), "ben": bests([(2, 108, 1)])]
        #expect(ClubRecords(all).records.first?.athlete == "anna")
        #expect(ClubRecords(all.filter { $0.key != "anna" }).records.first?.athlete == "ben")
    }
}
