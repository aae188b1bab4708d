import Contract
import Testing

@testable import TrainingFiles

/// What records tell of a session.
struct RowedSessionTests {
    /// Goal: a session of intervals is told with its rests. Method: known records.
    @Test func intervals() throws {
        let session = try #require(RowedSession(RowedPiece.intervals))
        #expect(session.startedAt == RowedPiece.begin)
        #expect(session.duration == 60 && session.distance == 250)
        #expect(session.calories == 14 && session.strokeCount == 4)
        #expect(session.laps.map(\.startedAt) == [0, 50_000].map { RowedPiece.begin + $0 })
        #expect(session.laps.map(\.endedAt) == [30_000, 80_000].map { RowedPiece.begin + $0 })
        #expect(session.laps.map(\.heartRate) == [150, 150])
        #expect(session.endedAt == RowedPiece.begin + 80_000)
        #expect(session.strokes.map(\.heartRate) == [140, nil, nil, 160])
    }

    /// Goal: what goes on, or lost its end, is as far as its strokes tell. Method: strokes alone.
    @Test func withoutAnEnd() throws {
        let strokes = [RowedPiece.stroke(at: 3, 10), RowedPiece.stroke(at: 5.5, 22.4, watts: 260)]
        let session = try #require(RowedSession([.stroke: strokes]))
        #expect(session.duration == 5.5 && session.distance == 22.4)
        #expect(session.greatestWatts == 260 && session.averageWatts == nil)
        #expect(session.calories == nil && session.strokeCount == 2)
        #expect(session.laps.map(\.distance) == [22.4])
    }

    /// Goal: of a summary that was told twice the later one counts. Method: an earlier revision first.
    @Test func revisions() throws {
        let earlier = Array(
            #"{"revision":1,"started_ms":1,"result_time_s":1.0,"distance_m":2.0}"#.utf8)
        var records = RowedPiece.intervals
        records[.summary] = [earlier, RowedPiece.summary]
        #expect(RowedSession(records) == RowedSession(RowedPiece.intervals))
    }

    /// Goal: nothing is made of nothing. Method: no record, one that is not JSON, and an edge alone.
    @Test func nothing() {
        #expect(RowedSession([:]) == nil)
        #expect(RowedSession([.stroke: [Array("{".utf8)]]) == nil)
        #expect(RowedSession([.session: [Array(#"{"started_ms":1}"#.utf8)]]) == nil)
    }
}
