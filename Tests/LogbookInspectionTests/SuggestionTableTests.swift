import Bests
import Bytes
import Contract
import Suggestions
import TestSupport
import Testing
import Training

@testable import CommandLineText
@testable import LogbookInspection

/// What people and programs read of what is suggested to an athlete.
@Suite struct SuggestionTableTests {
    private static let now: Int64 = 1_795_456_800_000  // 2026-11-23T18:00:00Z

    /// Four times 500 m at a pace in seconds.
    private static func intervals(_ number: Int, daysAgo: Int64, pace: Int64) -> PieceTraining {
        let name = PieceName(
            gateway: GatewayID("boathouse")!, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(number)")
        var piece = RowedPiece(name: name, startedAt: now - daysAgo * 86_400_000 - 3_600_000)
        let part = RowedWorkout.Part(
            .metres(500), restSeconds: 60,
            rowed: RowedPoint(centiseconds: pace * 100, decimetres: 5000))
        piece.workout = RowedWorkout([part, part, part, part], isIntervals: true)
        piece.total = RowedPoint(centiseconds: pace * 400, decimetres: 20_000)
        return PieceTraining(piece, in: .utc)
    }

    private static func text(_ pieces: [PieceTraining], _ words: [SuggestionWord]) -> String {
        let suggestions = AthleteSuggestions(pieces, words, now: now, in: .utc)
        return SuggestionTable(suggestions, to: "anna", calendar: .utc).lines.rendered(inColour: false)
    }

    @Test func suggestions() throws {
        // Goal: what to row, why, how it stands, and what became of what was. Method: an offer; accepted,
        // on a monitor; put off; refused beside one that was rowed; nothing at all.
        let pieces = (0..<5).map { number in
            let day = 1 + 6 * Int64(4 - number)
            return Self.intervals(number, daysAgo: day, pace: number % 2 == 0 ? 120 : 121)
        }
        let offer = try #require(AthleteSuggestions(pieces, [], now: Self.now, in: .utc).open.first)
        let day: Int64 = 86_400_000
        let accepted = try #require(
            SuggestionWord(
                offer.body, .accepted, at: Self.now - day / 2, by: "coach", setAt: Self.now))
        let snoozed = try #require(
            SuggestionWord(offer.body, .snoozed, at: Self.now, until: Self.now + 3 * day))
        let refused = try #require(
            SuggestionWord(
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
