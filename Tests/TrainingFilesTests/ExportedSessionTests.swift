import Contract
import Testing

@testable import TrainingFiles

/// Parsing a session's records, and the placement of laps in time.
struct ExportedSessionTests {
    private static func seconds(_ session: ExportedSession) -> [[Double]] {
        session.laps.map { lap in
            lap.segments.flatMap { [$0.start, $0.end] }
                .map { ($0 - Double(SyntheticPiece.begin)) / 1000 }
        }
    }

    @Test func placesIntervalsBetweenRests() throws {
        let session = try #require(ExportedSession(SyntheticPiece.intervals))
        #expect(session.startedAt == SyntheticPiece.begin)
        #expect(session.duration == 60 && session.distance == 250)
        #expect(session.calories == 14 && session.strokeCount == 4)
        #expect(Self.seconds(session) == [[0, 30], [50, 80]])
        #expect(session.laps.map(\.averageHeartRate) == [145, 145])
        #expect(session.laps.map(\.greatestHeartRate) == [150, 160])
        #expect(session.endedAt == SyntheticPiece.begin + 80_000)
        #expect(session.strokes.map(\.heartRate) == [140, nil, nil, 160])
    }

    @Test func endsAnOpenSessionWithItsLastStroke() throws {
        let strokes = [SyntheticPiece.stroke(at: 3, 10), SyntheticPiece.stroke(at: 5.5, 22.4, watts: 260)]
        let session = try #require(ExportedSession([.stroke: strokes]))
        #expect(session.duration == 5.5 && session.distance == 22.4)
        #expect(session.greatestWatts == 260 && session.averageWatts == nil)
        #expect(session.calories == nil && session.strokeCount == 2)
        #expect(session.laps.map(\.distance) == [22.4])
    }

    @Test func usesTheLastRevisionOfASummary() throws {
        let earlier = Array(
            #"{"revision":1,"started_ms":1,"result_time_s":1.0,"distance_m":2.0}"#.utf8)
        var records = SyntheticPiece.intervals
        records[.summary] = [earlier, SyntheticPiece.summary]
        #expect(ExportedSession(records) == ExportedSession(SyntheticPiece.intervals))
    }

    @Test func refusesRecordsWithoutRowing() {
        #expect(ExportedSession([:]) == nil)
        #expect(ExportedSession([.stroke: [Array("{".utf8)]]) == nil)
        #expect(ExportedSession([.session: [Array(#"{"started_ms":1}"#.utf8)]]) == nil)
    }

    /// A just row with splits of 100 m in 25 s, a stroke each 2.5 s.
    private static func justRow(
        strokes: Int, stopBehind: Int? = nil, lost: Set<Int> = [], late: [Int: Double] = [:],
        missing: Set<Int> = []
    ) -> [StreamKind: [[UInt8]]] {
        func stop(_ number: Int) -> Double { stopBehind.map { number > $0 ? 300 : 0 } ?? 0 }
        let all = (1...strokes).filter { !lost.contains($0) }.map { number in
            let elapsed = Double(number) * 2.5
            let text = SyntheticPiece.stroke(
                at: elapsed + stop(number) + (late[number] ?? 0), elapsed: elapsed,
                elapsed * 4, interval: (number + 9) / 10)
            return Array(#"{"stroke":\#(number),"#.utf8) + text.dropFirst()
        }
        let (time, metres) = (Double(strokes) * 2.5, Double(strokes) * 10)
        let splits = (1...max(1, strokes / 10)).filter { !missing.contains($0) }.map { number in
            let at = SyntheticPiece.begin + Int64((Double(number) * 25 + stop(number * 10)) * 1000)
            return Array(#"{"ts_ms":\#(at),"#.utf8)
                + SyntheticPiece.split(number, 100, 25).dropFirst()
        }
        let summary =
            #"{"session_type":"just_row","started_ms":\#(SyntheticPiece.begin),"#
            + #""result_time_s":\#(time),"distance_m":\#(metres)}"#
        return [.stroke: all, .split: splits, .summary: [Array(summary.utf8)]]
    }

    @Test func placesAStopWithinItsLap() throws {
        let session = try #require(ExportedSession(Self.justRow(strokes: 50, stopBehind: 23)))
        #expect(
            Self.seconds(session) == [
                [0, 25], [25, 50], [50, 57.5, 357.5, 375], [375, 400], [400, 425],
            ])
    }

    @Test func endsASplitBeforeAStop() throws {
        var records = Self.justRow(strokes: 30, stopBehind: 19)
        // The flywheel ran down past the end of the split.
        let at = SyntheticPiece.begin + 50_000
        records[.split]?[1] =
            Array(#"{"ts_ms":\#(at),"#.utf8) + SyntheticPiece.split(2, 100, 25).dropFirst()
        let session = try #require(ExportedSession(records))
        #expect(session.laps.map { $0.endedAt - SyntheticPiece.begin } == [25_000, 50_000, 375_000])
    }

    @Test func ignoresDelaysOfStrokes() throws {
        let late = try #require(
            ExportedSession(Self.justRow(strokes: 40, late: [1: 1.4, 7: 5, 20: 3, 40: 5.5])))
        #expect(Self.seconds(late) == [[0, 25], [25, 50], [50, 75], [75, 100]])
    }

    @Test func addsLapsForMissingSplits() throws {
        let amid = try #require(ExportedSession(Self.justRow(strokes: 40, missing: [2])))
        #expect(amid.laps.map(\.distance) == [100, 100, 100, 100])
        #expect(Self.seconds(amid) == [[0, 25], [25, 50], [50, 75], [75, 100]])
        #expect(amid.laps.map(\.watts) == [205, nil, 205, 205])
        let last = try #require(ExportedSession(Self.justRow(strokes: 45)))
        #expect(last.laps.map(\.distance) == [100, 100, 100, 100, 50])
        #expect(last.laps.map(\.watts) == [205, 205, 205, 205, nil])
        #expect(Self.seconds(last).last == [100, 112.5])
    }

    @Test func placesNoPointsInAGap() throws {
        let records = Self.justRow(strokes: 20, lost: [5, 6, 7])
        let session = try #require(ExportedSession(records))
        let points = session.laps.flatMap { $0.segments.flatMap { $0.points(25) } }
        let times = points.map { ($0.at - Double(SyntheticPiece.begin)) / 1000 }
        #expect(times.first == 0 && times.last == 50)
        #expect(times.filter { 10.1..<20 ~= $0 } == [])
        #expect(times.count == 51 - 9)
        #expect(points.allSatisfy { abs($0.distance - $0.at.relative * 4) < 0.01 })
    }

    @Test(arguments: [0, 1])
    func hasStartAndEndWithFewStrokes(_ strokes: Int) throws {
        let summary = Array(
            (#"{"session_type":"distance","started_ms":\#(SyntheticPiece.begin),"#
                + #""result_time_s":30.0,"distance_m":100.0}"#).utf8)
        let stroke = SyntheticPiece.stroke(at: 3, 10)
        let session = try #require(
            ExportedSession([.summary: [summary], .stroke: Array(repeating: stroke, count: strokes)]))
        let points = session.laps.flatMap { $0.segments.flatMap { $0.points(30) } }
        #expect(points.first?.distance == 0 && points.last?.distance == 100)
        #expect(points.last?.at.relative == 30)
    }

    @Test func placesIntervalsWithoutStrokesByTheirSplit() throws {
        var records = SyntheticPiece.intervals
        records[.stroke] = Array(records[.stroke]!.prefix(2))
        let session = try #require(ExportedSession(records))
        #expect(Self.seconds(session) == [[0, 30], [50, 80]])
    }
}

extension Double {
    /// Seconds since `SyntheticPiece.begin`.
    fileprivate var relative: Double { (self - Double(SyntheticPiece.begin)) / 1000 }
}
