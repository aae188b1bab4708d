import Bests
import Bytes
import Contract
import Suggestions
import TestSupport
import Testing
import Training

@testable import CommandLineText
@testable import LogbookInspection

/// Output about an athlete's suggestions, for people and programs.
@Suite struct SuggestionTableTests {
    private static let now: Int64 = 1_795_456_800_000  // 2026-11-23T18:00:00Z

    /// Four intervals of 500 m at a pace in seconds.
    private static func intervals(_ number: Int, daysAgo: Int64, pace: Int64) -> PieceTraining {
        let name = PieceName(
            gateway: GatewayID("boathouse")!, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(number)")
        var piece = RecordedPiece(name: name, startedAt: now - daysAgo * 86_400_000 - 3_600_000)
        let part = WorkoutResult.Part(
            .metres(500), restSeconds: 60,
            result: WorkPoint(centiseconds: pace * 100, decimetres: 5000))
        piece.workout = WorkoutResult([part, part, part, part], isIntervals: true)
        piece.total = WorkPoint(centiseconds: pace * 400, decimetres: 20_000)
        return PieceTraining(piece, in: .utc)
    }

    private static func text(_ pieces: [PieceTraining], _ responses: [SuggestionResponse]) -> String {
        let suggestions = AthleteSuggestions(pieces, responses, now: now, in: .utc)
        return SuggestionTable(suggestions, to: "anna", calendar: .utc).lines.rendered(inColour: false)
    }

    @Test func suggestions() throws {
        let pieces = (0..<5).map { number in
            let day = 1 + 6 * Int64(4 - number)
            return Self.intervals(number, daysAgo: day, pace: number % 2 == 0 ? 120 : 121)
        }
        let offer = try #require(AthleteSuggestions(pieces, [], now: Self.now, in: .utc).open.first)
        let day: Int64 = 86_400_000
        let accepted = try #require(
            SuggestionResponse(
                offer.body, .accepted, at: Self.now - day / 2, by: "coach", setAt: Self.now))
        let snoozed = try #require(
            SuggestionResponse(offer.body, .snoozed, at: Self.now, until: Self.now + 3 * day))
        let refused = try #require(
            SuggestionResponse(
                Array(
                    String(decoding: offer.body, as: UTF8.self)
                        .replacingOccurrence(of: offer.id, with: "more_power-1").utf8),
                .dismissed, at: Self.now - 40 * day, why: "ill"))
        let slow = Self.intervals(5, daysAgo: 0, pace: 126)
        for (file, text) in [
            ("suggestions.txt", Self.text(pieces, [])),
            ("suggestions-accepted.txt", Self.text(pieces, [accepted])),
            ("suggestions-later.txt", Self.text(pieces, [snoozed])),
            ("suggestions-past.txt", Self.text(pieces + [slow], [accepted, refused])),
            ("suggestions-none.txt", Self.text([], [])),
            (
                "suggestions.json",
                SuggestionTable(
                    AthleteSuggestions(pieces, [accepted], now: Self.now, in: .utc), to: "anna",
                    calendar: .utc
                ).json + "\n"
            ),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }
}

extension String {
    fileprivate func replacingOccurrence(of text: String, with other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}
