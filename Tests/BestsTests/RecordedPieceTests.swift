import Contract
import Testing

@testable import Bests

/// Parsing a session's records.
@Suite struct RecordedPieceTests {
    @Test func ranksOnlyValidSinglePieces() {
        // A 2000 m that fails one condition at a time.
        let whole = SyntheticPiece.steady(metres: 2000, pace: 110)
        #expect(whole.metrics.rankedEvent == .metres(2000))
        var cases: [(SyntheticPiece, [RankingFault])] = []
        func broken(_ faults: [RankingFault], _ change: (inout SyntheticPiece) -> Void) {
            var piece = whole
            change(&piece)
            cases.append((piece, faults))
        }
        broken([.incomplete]) { $0.isComplete = false }
        broken([.incomplete]) { $0.isPartial = true }
        broken([.notVerified]) { $0.isVerified = false }
        broken([.monitorDiffers]) { $0.agrees = false }
        broken([.monitorDiffers]) { $0.agrees = nil }
        broken([.gap]) { $0.lost = [7] }
        broken([.gap]) { $0.lost = [1] }
        broken([.gap]) { $0.gaps = [#"{"ts_ms":1795370500000,"duration_s":9.5}"#] }
        broken([.rollingStart]) { $0.secondsBefore = 29.9 }
        for (piece, faults) in cases {
            #expect(piece.metrics.preset == .metres(2000) && piece.metrics.faults == faults)
            #expect(piece.metrics.rankedEvent == nil)
        }
        var rested = whole
        rested.secondsBefore = RecordedPiece.flywheelSeconds
        #expect(rested.metrics.rankedEvent == .metres(2000))
    }

    @Test func ranksOnlyEventsOfConcept2() {
        var piece = SyntheticPiece.steady(metres: 2000, pace: 110)
        for (type, metres, seconds, event) in [
            ("distance", 2000.0, nil, RankedEvent.metres(2000)), ("distance", 2001, nil, nil),
            ("distance", nil, nil, nil), ("time", nil, 1800, .seconds(1800)),
            ("time", nil, 1200, nil), ("intervals", 2000, nil, nil), ("just_row", nil, nil, nil),
        ] as [(String, Double?, Double?, RankedEvent?)] {
            (piece.type, piece.targetMetres, piece.targetSeconds) = (type, metres, seconds)
            #expect(piece.piece?.preset == event, "\(type)")
        }
    }

    @Test func endsRunsAtGapsAndStops() {
        // A steady just row of 2000 m, interrupted in its middle in several ways.
        var whole = SyntheticPiece.steady(metres: 2000, pace: 125)
        (whole.type, whole.targetMetres) = ("just_row", nil)
        #expect(whole.metrics.efforts[.metres(2000)]?.centiseconds == 50_000)
        let middle = whole.startedAt + 250_000
        var cut = Array(repeating: whole, count: 4)
        cut[0].lost = [100]
        cut[1].gaps = [#"{"ts_ms":\#(middle),"duration_s":1.5}"#]
        cut[2].gaps = [#"{"ts_ms":\#(middle),"from_stroke":99,"to_stroke":101}"#]
        cut[2].lost = [99, 100, 101]
        cut[3].stops = [100: 60_000]
        for piece in cut {
            #expect(piece.piece?.runs.count == 2)
            #expect(piece.metrics.efforts[.metres(2000)] == nil)
            #expect(piece.metrics.efforts[.metres(500)]?.centiseconds == 12_500)
        }
        var held = whole
        held.stops = [100: 4000]
        #expect(held.metrics == whole.metrics, "the radio held a stroke back")
    }

    @Test func addsNoEndAfterMissingStrokes() {
        let whole = SyntheticPiece.steady(metres: 500, pace: 100)
        #expect(whole.metrics.efforts[.metres(500)]?.centiseconds == 10_000)
        var pieces = Array(repeating: whole, count: 3)
        pieces[0].lost = [38, 39]
        pieces[1].lost = [39]
        pieces[1].gaps = [#"{"ts_ms":0,"from_stroke":39,"to_stroke":39}"#]
        pieces[2].gaps = [#"{"ts_ms":0,"uncounted_strokes":true}"#]
        for piece in pieces { #expect(piece.metrics.efforts[.metres(500)] == nil) }
    }

    @Test func findsEffortsWithinIntervals() {
        // 4 x 500 m, the third the fastest; then the split before it is lost.
        var piece = SyntheticPiece()
        (piece.type, piece.targetMetres) = ("intervals", 500)
        var at = (seconds: 0.0, metres: 0.0)
        for (index, pace) in [110.0, 108, 105, 112].enumerated() {
            piece.strokes += SyntheticPiece.strokes(
                from: at, seconds: pace, metres: 500, interval: index + 1)
            piece.splits.append((pace, 500))
            at = (at.seconds + pace, at.metres + 500)
        }
        piece.result = at
        #expect(piece.metrics.efforts[.metres(500)]?.centiseconds == 10_500)
        #expect(piece.metrics.efforts[.metres(1000)] == nil)
        #expect(piece.metrics.rankedEvent == nil && piece.metrics.faults == [])
        piece.splits.remove(at: 2)
        #expect(piece.metrics.efforts[.metres(500)]?.centiseconds == 10_800)
    }

    @Test func ignoresInvalidValues() {
        var piece = SyntheticPiece.steady(metres: 500, pace: 100)
        piece.strokes[20].metres = 1e18
        piece.strokes[21].metres = -4
        piece.strokes[22].seconds = 3
        #expect(piece.metrics.efforts[.metres(500)] == nil)
        var torn = SyntheticPiece.steady(metres: 500, pace: 100)
        torn.gaps = Array(repeating: #"{"ts_ms":0,"duration_s":0}"#, count: 200)
        #expect(torn.metrics.efforts[.metres(500)] != nil, "gaps of another time")
        torn.gaps.append(torn.gaps[0])
        #expect(torn.metrics.efforts.isEmpty && torn.metrics.total.decimetres == 5000)
        var records = piece.records
        records[.stroke] = [Array("{}".utf8), Array("x".utf8), Array(#"{"stroke":"7"}"#.utf8)]
        records[.summary] = nil
        #expect(RecordedPiece(records, of: piece.name, startedAt: 0) == nil)
        #expect(RecordedPiece([:], of: piece.name, startedAt: 0) == nil)
    }

    @Test func parsesMachineTypes() {
        for (word, kind) in [
            ("model_d", MachineKind.rower), ("dynamic_on_slides", .rower),
            ("multi_erg_row", .rower),
            ("ski_erg", .ski), ("multi_erg_ski", .ski), ("bike_without_arms", .bike),
            ("multi_erg_bike", .bike), ("dynamometer", nil), ("unrecognized_77", nil),
        ] { #expect(MachineKind(machineType: word) == kind, "\(word)") }
    }

    @Test func prefersTheRecordedMachine() throws {
        var piece = SyntheticPiece.steady(metres: 2000, pace: 91)
        var metrics = piece.metrics
        metrics.assume(.ski)
        #expect(metrics.machine == .ski && !metrics.isMachineRecorded)
        piece.machineType = "bike_without_arms"
        metrics = piece.metrics
        metrics.assume(.ski)
        #expect(metrics.machine == .bike && metrics.isMachineRecorded)
        piece.result = nil
        #expect(piece.metrics.machine == .bike, "the session's beginning names it, too")
    }

    @Test func separatesBikesFromRowers() {
        var bike = SyntheticPiece.steady(metres: 2000, pace: 45.5).named(1, at: SyntheticPiece.evening)
        bike.machineType = "bike_without_arms"
        var row = SyntheticPiece.steady(metres: 2000, pace: 105).named(2, at: SyntheticPiece.evening)
        row.machineType = "model_d"
        let bests = AthleteBests([bike, row].map(\.metrics)).bests.filter {
            $0.season == nil && $0.event == .metres(2000)
        }
        #expect(bests.map(\.machine) == [.rower, .bike])
        #expect(bests.compactMap(\.ranked).map(\.centiseconds) == [42_000, 18_200])
    }

    @Test func computesStrokeTimes() throws {
        // Strokes of 2.5 s, one of which is lost; then a stroke with some values out of range.
        var made = SyntheticPiece.steady(metres: 500, pace: 100)
        made.lost = [7]
        let piece = try #require(made.piece)
        #expect(piece.strokes.count == made.strokes.count - 1)
        #expect(piece.strokes.filter { $0.centiseconds == nil }.count == 1)
        #expect(piece.strokes[6].centiseconds == nil && piece.strokes[0].centiseconds == 250)
        #expect(piece.strokes.allSatisfy { $0.centiseconds == 250 || $0.centiseconds == nil })
        let record =
            #"{"ts_ms":1795370402500,"stroke":1,"elapsed_s":2.5,"distance_m":10,"interval":3,"#
            + #""power_w":203,"stroke_rate_spm":0,"heart_rate_bpm":151,"drive_time_s":0.83}"#
        let whole = try #require(
            RecordedPiece([.stroke: [Array(record.utf8)]], of: made.name, startedAt: 0))
        var expected = MeasuredStroke(
            centiseconds: 250, watts: 203, heartRate: 151, driveCentiseconds: 83)
        expected.at = 1_795_370_402_500
        #expect(whole.strokes == [expected])
    }

    @Test func storesTheStructureOfASession() {
        // A single piece, a just row, and intervals with repeated records in reverse order.
        let whole = SyntheticPiece.steady(metres: 2000, pace: 110)
        let part = PieceStructure.Part(centiseconds: 44_000, decimetres: 20_000)
        #expect(whole.metrics.structure == PieceStructure(.piece, [part]))
        var open = whole
        (open.type, open.targetMetres) = ("just_row", nil)
        #expect(open.metrics.structure == PieceStructure(.piece, [part]))
        var intervals = whole
        (intervals.type, intervals.targetMetres) = ("intervals", nil)
        intervals.splits = [(110, 500), (109, 500), (220, 1000)]
        var records = intervals.records
        let repeated = Array(#"{"split":2,"duration_s":108,"distance_m":500,"calories_kcal":31}"#.utf8)
        records[.split] = records[.split].map { Array($0.reversed()) + [repeated] }
        let piece = RecordedPiece(records, of: intervals.name, startedAt: intervals.startedAt)
        #expect(
            piece?.structure
                == PieceStructure(
                    .intervals,
                    [
                        PieceStructure.Part(centiseconds: 11_000, decimetres: 5000),
                        PieceStructure.Part(centiseconds: 10_800, decimetres: 5000, kilocalories: 31),
                        PieceStructure.Part(centiseconds: 22_000, decimetres: 10_000),
                    ]))
    }
}
