import Bytes
import Contract
import TestSupport
import Testing

@testable import Bests

/// Which sessions are one group piece.
@Suite struct GroupPieceTests {
    private static let minute: Int64 = 60_000

    /// Returns a session that starts some minutes after midnight.
    private func session(
        _ number: Int, at minutes: Int64, by athlete: String? = nil, on erg: Int = 1,
        gateway: String = "boathouse", head: String = GroupPieceTests.twoK, isComplete: Bool = true,
        splits: [String] = []
    ) throws -> GroupSession {
        let head = try #require(
            try JSONObject(parsing: Array("{\(head),\"complete\":\(isComplete)}".utf8)))
        let splits = try splits.map { try #require(try JSONObject(parsing: Array($0.utf8))) }
        return GroupSession(
            name: PieceName(gateway: try #require(GatewayID(gateway)), session: "S\(number)"),
            erg: try #require(StationID("erg-\(erg)")), athlete: athlete, startedAt: minutes * Self.minute,
            isComplete: isComplete, workout: GroupWorkout(head, splits: splits, on: .rower))
    }

    private static let twoK = #""session_type":"distance","target_distance_m":2000.0"#
    private static let intervals =
        #""session_type":"intervals","workout":"fixed_distance_interval","target_distance_m":500.0"#
    private static let different = #""session_type":"intervals","workout":"variable_interval""#

    private func distance(_ metres: Int) -> String { #"{"type":"distance","distance_m":\#(metres).0}"# }

    /// Returns the numbers of the sessions of each piece.
    private func grouped(_ sessions: [GroupSession]) -> [[String]] {
        let pieces = GroupPiece.pieces(of: sessions)
        #expect(GroupPiece.pieces(of: sessions.reversed()) == pieces)
        return pieces.map { $0.sessions.map(\.name.session) }
    }

    @Test func joinsSessionsOfOneWorkoutWithinAnHour() throws {
        let sessions = [
            try session(1, at: 0, by: "anna"), try session(2, at: 1, by: "ben", on: 2),
            try session(3, at: 59, by: "cleo", on: 1), try session(4, at: 60, by: "dora", on: 2),
            try session(5, at: 61, by: "emil", on: 3),
        ]
        #expect(grouped(sessions) == [["S1", "S2", "S3"], ["S4", "S5"]])
    }

    /// A list of the pieces of one workout reads only the sessions that can have it.
    @Test(arguments: 0..<20) func piecesOfAWorkoutNeedOnlyItsSessions(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let heads = [
            Self.twoK, #""session_type":"distance","target_distance_m":500.0"#, Self.intervals,
            Self.intervals + #","interval_count":8,"interval_rest_s":60"#, Self.different,
        ]
        let sessions = try (0..<40).map { number in
            let head = heads.randomElement(using: &random)!
            let lengths = [500, 250, 500].prefix(Int.random(in: 0...3, using: &random))
            return try session(
                number, at: .random(in: 0..<300, using: &random),
                by: ["anna", "ben", "cleo", "dora"].randomElement(using: &random), head: head,
                isComplete: .random(using: &random),
                splits: head == Self.different ? lengths.map(distance) : [])
        }
        let pieces = GroupPiece.pieces(of: sessions)
        for notation in Set(pieces.compactMap { $0.workout?.notation }) {
            let part = sessions.filter { session in
                session.workout.map { ($0.exactNotation ?? notation) == notation } ?? false
            }
            #expect(
                GroupPiece.pieces(of: part).filter { $0.workout?.notation == notation }
                    == pieces.filter { $0.workout?.notation == notation }, "\(notation)")
        }
    }

    @Test func separatesRoomsWorkoutsAndMachines() throws {
        let fiveK = #""session_type":"distance","target_distance_m":5000.0"#
        let sessions = [
            try session(1, at: 0, by: "anna"), try session(2, at: 1, by: "ben", gateway: "annex"),
            try session(3, at: 2, by: "cleo", head: fiveK),
            try session(4, at: 3, by: "dora", head: Self.twoK + #","machine_type":"ski_erg""#),
            try session(5, at: 4, by: "emil", head: Self.twoK + #","machine_type":"model_d""#),
        ]
        #expect(grouped(sessions) == [["S1", "S5"], ["S2"], ["S3"], ["S4"]])
    }

    @Test func comparesNumberAndRestOfEqualIntervals() throws {
        let eight = Self.intervals + #","interval_count":8,"interval_rest_s":60"#
        let sessions = [
            try session(1, at: 0, by: "anna", head: eight),
            try session(
                2, at: 0, by: "ben", head: Self.intervals + #","interval_count":4,"interval_rest_s":60"#),
            try session(
                3, at: 0, by: "cleo", head: Self.intervals + #","interval_count":8,"interval_rest_s":120"#),
            try session(4, at: 0, by: "dora", head: Self.intervals),
            try session(5, at: 0, by: "emil", head: eight),
        ]
        #expect(grouped(sessions) == [["S1", "S5"], ["S2"], ["S3"], ["S4"]])
        let notations = GroupPiece.pieces(of: sessions).map { $0.workout?.notation }
        #expect(notations == ["8x500m/1:00r", "4x500m/1:00r", "8x500m/2:00r", "*x500m"])
    }

    @Test func comparesDifferentIntervalsAsFarAsBothWereRowed() throws {
        let ladder = [1000, 750, 500].map(distance)
        let sessions = [
            // Stopped early: the last interval is a part.
            try session(
                1, at: 0, by: "anna", head: Self.different, isComplete: false,
                splits: [distance(1000), distance(311)]),
            try session(2, at: 1, by: "ben", on: 2, head: Self.different, splits: ladder),
            try session(3, at: 2, by: "cleo", on: 3, head: Self.different, splits: [500, 500].map(distance)),
        ]
        #expect(grouped(sessions) == [["S1", "S2"], ["S3"]])
        #expect(GroupPiece.pieces(of: sessions).first?.workout?.notation == "1000m+750m+500m")
    }

    @Test func beginsNewPieceWhenAthleteRowsAgain() throws {
        let sessions = [
            try session(1, at: 0, by: "anna"), try session(2, at: 1, by: "ben", on: 2),
            try session(3, at: 10, by: "anna"), try session(4, at: 11, by: "ben", on: 2),
            // Nobody was assigned: the erg counts.
            try session(5, at: 12, on: 3), try session(6, at: 20, on: 3),
        ]
        #expect(grouped(sessions) == [["S1", "S2"], ["S3", "S4", "S5"], ["S6"]])
    }

    @Test func keepsBothSessionsOfAthleteWhoStartedAgain() throws {
        let sessions = [
            try session(1, at: 0, by: "anna", isComplete: false), try session(2, at: 1, by: "ben", on: 2),
            try session(3, at: 2, by: "anna"), try session(4, at: 3, by: "cleo", on: 3, isComplete: false),
            try session(5, at: 4, by: "cleo", on: 3, isComplete: false),
        ]
        #expect(grouped(sessions) == [["S1", "S2", "S3", "S4", "S5"]])
        #expect(GroupPiece.pieces(of: sessions)[0].rows.map(\.name.session) == ["S2", "S3", "S5"])
    }

    @Test func sessionWithoutSetWorkoutStandsAlone() throws {
        let justRow = #""session_type":"just_row""#
        let sessions = [
            try session(1, at: 0, by: "anna", head: justRow), try session(2, at: 0, by: "ben", head: justRow),
        ]
        #expect(grouped(sessions) == [["S1"], ["S2"]])
        #expect(GroupPiece.pieces(of: sessions).allSatisfy { $0.workout == nil })
    }

    // MARK: Results

    private func object(_ text: String) throws -> JSONObject {
        try #require(try JSONObject(parsing: Array(text.utf8)))
    }

    /// Returns a source of 500 m intervals with these seconds; a last entry of other metres is a part.
    private func source(
        _ session: GroupSession, _ seconds: [Double], lastMetres: Double = 500, summary: String? = nil
    ) throws -> GroupResult.Source {
        let splits = try seconds.enumerated().map { index, time in
            let metres = index == seconds.count - 1 ? lastMetres : 500
            return try object(
                #"{"split":\#(index + 1),"type":"distance","distance_m":\#(metres),"duration_s":\#(time)}"#)
        }
        return .init(session, summary: try summary.map(object), splits: splits)
    }

    private func result(
        _ sources: [(athlete: String, isComplete: Bool, seconds: [Double], lastMetres: Double)],
        count: Int = 4
    ) throws -> GroupResult {
        let head = Self.intervals + #","interval_count":\#(count),"interval_rest_s":60"#
        let sessions = try sources.enumerated().map { index, one in
            try session(index, at: 0, by: one.athlete, on: index + 1, head: head, isComplete: one.isComplete)
        }
        let pieces = GroupPiece.pieces(of: sessions)
        #expect(pieces.count == 1)
        return GroupResult(
            of: pieces[0],
            try zip(sessions, sources).map { try source($0, $1.seconds, lastMetres: $1.lastMetres) })
    }

    @Test func computesAverageBestAndFade() throws {
        let result = try result([("anna", true, [100, 102, 104, 106], 500)])
        let row = try #require(result.rows.first)
        #expect(result.columns == Array(repeating: .metres(500), count: 4))
        #expect(row.pace == 103 && row.best == 0)
        // (105 - 101) / 103
        #expect(abs((row.fade ?? 0) - 400.0 / 103) < 0.001)
        let negative = try self.result([("anna", true, [106, 100, 99, 98, 101], 500)], count: 5)
        #expect(negative.rows[0].best == 3)
        // The third of five does not count: (99.5 - 103) / 100.8
        #expect(abs((negative.rows[0].fade ?? 0) + 350 / 100.8) < 0.001)
    }

    @Test func sortsByPaceAndPutsUnfinishedRowsLast() throws {
        let result = try result([
            ("anna", true, [110, 110, 110, 110], 500), ("ben", true, [100, 100, 100, 100], 500),
            ("cleo", false, [90, 20], 120), ("dora", false, [95, 95, 95], 500),
        ])
        #expect(result.rows.map(\.session.athlete) == ["ben", "anna", "dora", "cleo"])
        let cleo = result.rows[3]
        // A part of a repeat is faster, but it is not the best one.
        #expect(cleo.repeats.map { $0?.isWhole } == [true, false, nil, nil])
        #expect(cleo.best == 0 && cleo.fade == nil && !cleo.isComplete)
        #expect(result.rows[2].fade == nil && !result.rows[2].isComplete)
    }

    @Test func takesAverageRateAndShareFromSummary() throws {
        let session = try session(1, at: 0, by: "anna")
        let piece = try #require(GroupPiece.pieces(of: [session]).first)
        let summary = #"{"avg_pace_s_per_500m":101.25,"avg_stroke_rate_spm":27,"in_target_ratio":0.847}"#
        let source = try source(session, [100, 101, 102, 103], summary: summary)
        let row = try #require(GroupResult(of: piece, [source]).rows.first)
        #expect(row.pace == 101.25 && row.strokeRate == 27 && row.inTarget == 847)
    }

    @Test func columnsOfSinglePieceAreSplitsOfCompletedSession() throws {
        let long = try session(1, at: 0, by: "anna")
        let stopped = try session(2, at: 1, by: "ben", on: 2, isComplete: false)
        let piece = try #require(GroupPiece.pieces(of: [long, stopped]).first)
        let result = GroupResult(
            of: piece,
            [try source(stopped, [90, 40], lastMetres: 213), try source(long, [100, 101, 102, 103])])
        #expect(result.columns == Array(repeating: .metres(500), count: 4))
        #expect(result.rows.map(\.session.athlete) == ["anna", "ben"])
        #expect(result.rows[1].repeats[1]?.isWhole == false)
    }

    @Test func differentIntervalsHaveNeitherBestNorFade() throws {
        let ladder = [1000, 750].map(distance)
        let session = try session(1, at: 0, by: "anna", head: Self.different, splits: ladder)
        let piece = try #require(GroupPiece.pieces(of: [session]).first)
        let splits = [
            try object(#"{"split":1,"type":"distance","distance_m":1000.0,"duration_s":220.0}"#),
            try object(#"{"split":2,"type":"distance","distance_m":750.0,"duration_s":150.0}"#),
        ]
        let result = GroupResult(of: piece, [.init(session, summary: nil, splits: splits)])
        #expect(result.columns == [.metres(1000), .metres(750)])
        #expect(result.rows[0].best == nil && result.rows[0].fade == nil)
        #expect(abs((result.rows[0].pace ?? 0) - 370 / 1750.0 * 500) < 0.001)
    }

    @Test func sumsTheLengthOfAllWork() throws {
        func length(_ head: String, _ columns: [GroupWorkout.Length?] = [], _ splits: [String] = []) throws
            -> GroupWorkout.Length?
        {
            let one = try session(1, at: 0, head: head, splits: splits)
            return try #require(GroupPiece.pieces(of: [one]).first).workLength(in: columns)
        }
        // The columns of a single piece are its splits.
        #expect(try length(Self.twoK, [.metres(500)]) == .metres(2000))
        #expect(try length(#""session_type":"time","target_time_s":1800.0"#) == .seconds(1800))
        #expect(try length(Self.intervals + #","interval_count":8"#, [.metres(500)]) == .metres(4000))
        #expect(try length(Self.intervals, [.metres(500), .metres(500)]) == .metres(1000))
        #expect(try length(Self.intervals, [.metres(500), nil]) == nil)
        let ladder = [1000, 750].map(distance)
        #expect(try length(Self.different, [.metres(1000), .metres(750)], ladder) == .metres(1750))
        #expect(try length(Self.different, [.metres(1000), .seconds(60)], ladder) == nil)
        #expect(try length(Self.different) == nil)
        #expect(try length(#""session_type":"just_row""#, [.metres(500)]) == nil)
    }
}
