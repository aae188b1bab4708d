import Contract
import Testing

@testable import Bests

/// What a session's records come to.
@Suite struct RowedPieceTests {
    @Test func aSinglePieceIsRankedAndNothingElse() {
        // Goal: ranked is what the definition says, and why not is said. Method: 2000 m with each
        // condition broken, alone.
        let whole = MadePiece.steady(metres: 2000, pace: 110)
        #expect(whole.figures.rankedEvent == .metres(2000))
        var cases: [(MadePiece, [RankingFault])] = []
        func broken(_ faults: [RankingFault], _ change: (inout MadePiece) -> Void) {
            var piece = whole
            change(&piece)
            cases.append((piece, faults))
        }
        broken([.incomplete]) { $0.isComplete = false }
        broken([.notVerified]) { $0.isVerified = false }
        broken([.monitorDiffers]) { $0.agrees = false }
        broken([.monitorDiffers]) { $0.agrees = nil }
        broken([.gap]) { $0.lost = [7] }
        broken([.gap]) { $0.lost = [1] }
        broken([.gap]) { $0.gaps = [#"{"ts_ms":1795370500000,"duration_s":9.5}"#] }
        broken([.rollingStart]) { $0.secondsBefore = 29.9 }
        for (piece, faults) in cases {
            #expect(piece.figures.preset == .metres(2000) && piece.figures.faults == faults)
            #expect(piece.figures.rankedEvent == nil)
        }
        var rested = whole
        rested.secondsBefore = RowedPiece.flywheelSeconds
        #expect(rested.figures.rankedEvent == .metres(2000))
    }

    @Test func whatNobodyRanksIsNoRankedPiece() {
        // Goal: an event is what a single piece was set to. Method: other lengths and types.
        var piece = MadePiece.steady(metres: 2000, pace: 110)
        for (type, metres, seconds, event) in [
            ("distance", 2000.0, nil, RankedEvent.metres(2000)), ("distance", 2001, nil, nil),
            ("distance", nil, nil, nil), ("time", nil, 1800, .seconds(1800)),
            ("time", nil, 1200, nil), ("intervals", 2000, nil, nil), ("just_row", nil, nil, nil),
        ] as [(String, Double?, Double?, RankedEvent?)] {
            (piece.type, piece.targetMetres, piece.targetSeconds) = (type, metres, seconds)
            #expect(piece.piece?.preset == event, "\(type)")
        }
    }

    @Test func aWindowCrossesNothing() {
        // Goal: neither a gap, nor a stop of the clock, nor lost strokes are within an effort. Method: a
        // steady just row of 2000 m, cut in its middle in each of these ways.
        var whole = MadePiece.steady(metres: 2000, pace: 125)
        (whole.type, whole.targetMetres) = ("just_row", nil)
        #expect(whole.figures.efforts[.metres(2000)]?.centiseconds == 50_000)
        let middle = whole.startedAt + 250_000
        var cut = Array(repeating: whole, count: 4)
        cut[0].lost = [100]
        cut[1].gaps = [#"{"ts_ms":\#(middle),"duration_s":1.5}"#]
        cut[2].gaps = [#"{"ts_ms":\#(middle),"from_stroke":99,"to_stroke":101}"#]
        cut[2].lost = [99, 100, 101]
        cut[3].stops = [100: 60_000]
        for piece in cut {
            #expect(piece.piece?.runs.count == 2)
            #expect(piece.figures.efforts[.metres(2000)] == nil)
            #expect(piece.figures.efforts[.metres(500)]?.centiseconds == 12_500)
        }
        var held = whole
        held.stops = [100: 4000]
        #expect(held.figures == whole.figures, "the radio held a stroke back")
    }

    @Test func endsThatNobodyHeardAreNotMadeUp() {
        // Goal: a piece is as long as what is known of it. Method: its last strokes are lost, with
        // a gap and without; its end was not heard.
        let whole = MadePiece.steady(metres: 500, pace: 100)
        #expect(whole.figures.efforts[.metres(500)]?.centiseconds == 10_000)
        var pieces = Array(repeating: whole, count: 3)
        pieces[0].lost = [38, 39]
        pieces[1].lost = [39]
        pieces[1].gaps = [#"{"ts_ms":0,"from_stroke":39,"to_stroke":39}"#]
        pieces[2].gaps = [#"{"ts_ms":0,"uncounted_strokes":true}"#]
        for piece in pieces { #expect(piece.figures.efforts[.metres(500)] == nil) }
    }

    @Test func anIntervalIsAnEffortAndARestIsNone() {
        // Goal: intervals count as far as each of them goes. Method: 4 x 500 m, the third the fastest;
        // then the split before it is lost.
        var piece = MadePiece()
        (piece.type, piece.targetMetres) = ("intervals", 500)
        var at = (seconds: 0.0, metres: 0.0)
        for (index, pace) in [110.0, 108, 105, 112].enumerated() {
            piece.strokes += MadePiece.strokes(
                from: at, seconds: pace, metres: 500, interval: index + 1)
            piece.splits.append((pace, 500))
            at = (at.seconds + pace, at.metres + 500)
        }
        piece.result = at
        #expect(piece.figures.efforts[.metres(500)]?.centiseconds == 10_500)
        #expect(piece.figures.efforts[.metres(1000)] == nil)
        #expect(piece.figures.rankedEvent == nil && piece.figures.faults == [])
        piece.splits.remove(at: 2)
        #expect(piece.figures.efforts[.metres(500)]?.centiseconds == 10_800)
    }

    @Test func oddRecordsDoNoHarm() {
        // Goal: what a hostile publisher sends is no figure. Method: clocks and metres that fall, huge
        // and negative numbers, no number at all; records that are none.
        var piece = MadePiece.steady(metres: 500, pace: 100)
        piece.strokes[20].metres = 1e18
        piece.strokes[21].metres = -4
        piece.strokes[22].seconds = 3
        #expect(piece.figures.efforts[.metres(500)] == nil)
        var torn = MadePiece.steady(metres: 500, pace: 100)
        torn.gaps = Array(repeating: #"{"ts_ms":0,"duration_s":0}"#, count: 200)
        #expect(torn.figures.efforts[.metres(500)] != nil, "gaps of another time")
        torn.gaps.append(torn.gaps[0])
        #expect(torn.figures.efforts.isEmpty && torn.figures.total.decimetres == 5000)
        var records = piece.records
        records[.stroke] = [Array("{}".utf8), Array("x".utf8), Array(#"{"stroke":"7"}"#.utf8)]
        records[.summary] = nil
        #expect(RowedPiece(records, of: piece.name, startedAt: 0) == nil)
        #expect(RowedPiece([:], of: piece.name, startedAt: 0) == nil)
    }

    @Test func machinesAreKnownByTheContractsWords() {
        // Goal: no machine is taken for another. Method: words of each kind, and of none.
        for (word, kind) in [
            ("model_d", MachineKind.rower), ("dynamic_on_slides", .rower),
            ("multi_erg_row", .rower),
            ("ski_erg", .ski), ("multi_erg_ski", .ski), ("bike_without_arms", .bike),
            ("multi_erg_bike", .bike), ("dynamometer", nil), ("unrecognized_77", nil),
        ] { #expect(MachineKind(machineType: word) == kind, "\(word)") }
    }

    @Test func machineIsThatOfTheRecords() throws {
        var piece = MadePiece.steady(metres: 2000, pace: 91)
        var figures = piece.figures
        figures.assume(.ski)
        #expect(figures.machine == .ski && !figures.isMachineRecorded)
        piece.machineType = "bike_without_arms"
        figures = piece.figures
        figures.assume(.ski)
        #expect(figures.machine == .bike && figures.isMachineRecorded)
        piece.result = nil
        #expect(piece.figures.machine == .bike, "the session's beginning names it, too")
    }

    @Test func aBikesTimeIsNoRowersRecord() {
        var bike = MadePiece.steady(metres: 2000, pace: 45.5).named(1, at: MadePiece.evening)
        bike.machineType = "bike_without_arms"
        var row = MadePiece.steady(metres: 2000, pace: 105).named(2, at: MadePiece.evening)
        row.machineType = "model_d"
        let bests = AthleteBests([bike, row].map(\.figures)).bests.filter {
            $0.season == nil && $0.event == .metres(2000)
        }
        #expect(bests.map(\.machine) == [.rower, .bike])
        #expect(bests.compactMap(\.ranked).map(\.centiseconds) == [42_000, 18_200])
    }

    @Test func strokesTellHowLongTheyTook() throws {
        // Goal: the time of a stroke is known where the one before it is. Method: strokes of 2.5 s, of
        // which one is lost; figures that no rower has.
        var made = MadePiece.steady(metres: 500, pace: 100)
        made.lost = [7]
        let piece = try #require(made.piece)
        #expect(piece.rowed.count == made.strokes.count - 1)
        #expect(piece.rowed.filter { $0.centiseconds == nil }.count == 1)
        #expect(piece.rowed[6].centiseconds == nil && piece.rowed[0].centiseconds == 250)
        #expect(piece.rowed.allSatisfy { $0.centiseconds == 250 || $0.centiseconds == nil })
        let record =
            #"{"ts_ms":1795370402500,"stroke":1,"elapsed_s":2.5,"distance_m":10,"interval":3,"#
            + #""power_w":203,"stroke_rate_spm":0,"heart_rate_bpm":151,"drive_time_s":0.83}"#
        let whole = try #require(
            RowedPiece([.stroke: [Array(record.utf8)]], of: made.name, startedAt: 0))
        var expected = RowedStroke(
            centiseconds: 250, watts: 203, heartRate: 151, driveCentiseconds: 83)
        expected.at = 1_795_370_402_500
        #expect(whole.rowed == [expected])
    }

    @Test func whatASessionIsMadeOfIsKept() {
        // Goal: a plan can be held against it. Method: a single piece, a row without an end, and intervals
        // whose records come in another order, one of them twice.
        let whole = MadePiece.steady(metres: 2000, pace: 110)
        let part = PieceParts.Part(centiseconds: 44_000, decimetres: 20_000)
        #expect(whole.figures.madeOf == PieceParts(.piece, [part]))
        var open = whole
        (open.type, open.targetMetres) = ("just_row", nil)
        #expect(open.figures.madeOf == PieceParts(.piece, [part]))
        var intervals = whole
        (intervals.type, intervals.targetMetres) = ("intervals", nil)
        intervals.splits = [(110, 500), (109, 500), (220, 1000)]
        var records = intervals.records
        let again = Array(#"{"split":2,"duration_s":108,"distance_m":500,"calories_kcal":31}"#.utf8)
        records[.split] = records[.split].map { Array($0.reversed()) + [again] }
        let piece = RowedPiece(records, of: intervals.name, startedAt: intervals.startedAt)
        #expect(
            piece?.madeOf
                == PieceParts(
                    .intervals,
                    [
                        PieceParts.Part(centiseconds: 11_000, decimetres: 5000),
                        PieceParts.Part(centiseconds: 10_800, decimetres: 5000, kilocalories: 31),
                        PieceParts.Part(centiseconds: 22_000, decimetres: 10_000),
                    ]))
    }
}
