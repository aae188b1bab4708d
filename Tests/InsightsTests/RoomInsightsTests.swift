import Contract
import Testing
import Timeline

@testable import Insights
@testable import Rowing

@Suite struct RoomInsightsTests {
    private let one = StationID("1")!
    private let two = StationID("2")!
    private let three = StationID("3")!

    private func moment(_ seconds: Int) -> BootInstant {
        BootInstant(nanoseconds: UInt64(seconds) * 1_000_000_000)
    }

    private func share(strokes: Int = 1, _ change: (inout Stroke) -> Void = { _ in }) -> ErgShare {
        var share = ErgShare()
        for number in 0..<strokes {
            var stroke = Stroke(
                session: SessionID("S1"), at: moment(0), number: number + 1, elapsed: .zero,
                distance: .zero)
            change(&stroke)
            share.add(.stroke(stroke))
        }
        return share
    }

    private func curve(_ points: [UInt16]) -> SessionEvent {
        .force(
            ForceCurve(
                session: SessionID("S1"), at: moment(0), stroke: 1, isComplete: true,
                poundsForce: points))
    }

    private func rowing(_ change: (inout MetricsSample) -> Void = { _ in }) -> MetricsSample {
        var sample = MetricsSample(
            at: moment(0), state: .rowing, elapsed: .zero, distance: Meters(100))
        change(&sample)
        return sample
    }

    private func rollups(_ insights: [RoomInsight]) -> [RoomRollup] {
        insights.map { insight in
            switch insight {
            case .room(let rollup): rollup
            case .crew(let rollup): rollup.minute
            }
        }
    }

    // MARK: - Means

    @Test func aBoatGoesAsFarAsItsErgsInTheMean() throws {
        // Goal: the pace of several ergs is that of the mean of their speeds. Method: 2:00 and 4:00 are
        // 4.1667 and 2.0833 m/s, in the mean 3.125, which is 2:40; the mean of the paces would be 3:00.
        let room = [(one, Int64(120_000)), (two, Int64(240_000))].map { erg, pace in
            ErgReading(
                erg: erg, sample: rowing { $0.pace = Pace(millisecondsPer500m: pace) },
                share: share { $0.pace = Pace(millisecondsPer500m: pace) })
        }
        var insights = RoomInsights()
        _ = insights.take(room, at: moment(0))
        #expect(insights.room?.pace == Pace(millisecondsPer500m: 160_000))
        let minute = try #require(rollups(insights.take([], at: moment(60))).first)
        #expect(minute.figures.pace == Pace(millisecondsPer500m: 160_000))
    }

    @Test func eachErgCountsOnce() throws {
        // Goal: a high rate has no more weight. Method: thirty strokes of 200 W beside ten of 300 W, one
        // of them with a belt.
        var insights = RoomInsights()
        let light = share(strokes: 30) {
            ($0.powerWatts, $0.strokeRate, $0.heartRate) = (200, 30, 150)
            $0.strokeDistance = Meters(8)
        }
        let strong = share(strokes: 10) {
            ($0.powerWatts, $0.strokeRate) = (300, 10)
            $0.strokeDistance = Meters(12)
        }
        _ = insights.take(
            [
                ErgReading(erg: one, sample: rowing(), share: light),
                ErgReading(erg: two, sample: rowing(), share: strong),
                ErgReading(erg: three, sample: nil, share: ErgShare()),
            ], at: moment(5))
        let minute = try #require(rollups(insights.take([], at: moment(65))).first)
        #expect(minute.figures.ergs == [one, two] && minute.strokes == 40)
        #expect((minute.figures.totalPower, minute.figures.power) as (Int?, Int?) == (5000, 2500))
        #expect((minute.figures.rate, minute.figures.heartRate) as (Int?, Int?) == (200, 1500))
        #expect(minute.figures.distance == Meters(360))
    }

    @Test func onlyWhoRowsIsLive() {
        // Goal: nobody is slowed by an empty seat. Method: one who rows, one who rests, one whose
        // monitor says nothing, one without a link.
        var insights = RoomInsights()
        let resting = rowing { ($0.state, $0.powerWatts) = (.resting, 1) }
        let stale = rowing { ($0.isStale, $0.powerWatts) = (true, 1) }
        let samples = [rowing { $0.powerWatts = 240 }, resting, stale, nil]
        let readings = zip(["1", "2", "3", "4"], samples).map { slug, sample in
            ErgReading(erg: StationID(slug)!, sample: sample, share: ErgShare())
        }
        #expect(insights.take(readings, at: moment(1)) == [])
        #expect(insights.room?.ergs == [one] && insights.room?.power == 2400)
        let gone = [ErgReading(erg: one, sample: nil, share: ErgShare())]
        #expect(insights.take(gone, at: moment(2)) == [])
        #expect(insights.room == nil)
    }

    // MARK: - Similarity

    @Test func similarityIsOneLessTheRootOfTheMeanSquare() throws {
        // Goal: the formula. Method: one curve that is always at its peak and one that is a ramp from 0 to
        // it: their mean, made to have the same peak, is (1 + x) / 2 at x; so they differ from it
        // by (1 - x) / 2, whose root mean square is 1 / sqrt(12) = 0.289, a little more or less
        // with a hundred points.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("pair")!, [one, two])!]
        var (flat, ramp) = (ErgShare(), ErgShare())
        flat.add(curve([90, 90, 90]))
        ramp.add(curve([0, 20, 40]))
        _ = insights.take(
            [
                ErgReading(erg: one, sample: rowing { $0.strokeRate = 22 }, share: flat),
                ErgReading(erg: two, sample: rowing { $0.strokeRate = 26 }, share: ramp),
            ], at: moment(1))
        let crew = try #require(insights.figures(of: insights.crews[0]))
        #expect(crew.forceSimilarity.map(\.erg) == [one, two])
        #expect(crew.forceSimilarity.allSatisfy { (708...713).contains($0.thousandths) })
        // 2 of 24.
        #expect(crew.rateSimilarity.map(\.thousandths) == [917, 917])
    }

    @Test func whoIsAloneInARateIsNotLessThanNothing() {
        // Goal: a similarity is a part of one. Method: three at 10 and one at 90 have 30 in the mean.
        let rates = [10, 10, 10, 90]
        var insights = RoomInsights()
        let readings = zip(["1", "2", "3", "4"], rates).map { slug, rate in
            ErgReading(
                erg: StationID(slug)!, sample: rowing { $0.strokeRate = rate }, share: ErgShare())
        }
        _ = insights.take(readings, at: moment(1))
        #expect(insights.room?.rateSimilarity.map(\.thousandths) == [333, 333, 333, 0])
    }

    @Test func aStrongCurveCountsAsMuchAsAWeakOne() {
        // Goal: the mean is one of forms. Method: two forms, of which the second is rowed with ten times the
        // force, as curves of one erg; the same two with equal forces.
        func form(_ strength: UInt16) -> [Int]? {
            var mean = MeanCurve()
            for points in [[90, 90, 90], [0, 4 * strength, 8 * strength]] as [[UInt16]] {
                guard case .force(let curve) = curve(points) else { continue }
                mean.add(curve)
            }
            return mean.form
        }
        #expect(form(1) != nil && form(1) == form(10))
    }

    @Test func whoStopsHasNoFormAnyMore() throws {
        // Goal: somebody who comes back is not held against strokes of long ago. Method: two with curves;
        // one of them stops and rows again, without a curve as yet.
        var insights = RoomInsights()
        var flat = ErgShare()
        flat.add(curve([90, 90]))
        func take(_ state: ActivityState, _ share: ErgShare, at second: Int) {
            let readings = [
                ErgReading(erg: one, sample: rowing(), share: share),
                ErgReading(erg: two, sample: rowing { $0.state = state }, share: share),
            ]
            _ = insights.take(readings, at: moment(second))
        }
        take(.rowing, flat, at: 1)
        #expect(insights.room?.forceSimilarity.map(\.erg) == [one, two])
        take(.paused, ErgShare(), at: 2)
        take(.rowing, ErgShare(), at: 3)
        #expect(insights.room?.forceSimilarity == [])
    }

    @Test func aCrewIsItsErgsAlone() {
        // Goal: nobody else's figures. Method: three who row, two of them a crew.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("pair")!, [one, three])!]
        let readings = [(one, 100), (two, 500), (three, 200)].map { erg, watts in
            ErgReading(erg: erg, sample: rowing { $0.powerWatts = watts }, share: ErgShare())
        }
        _ = insights.take(readings, at: moment(1))
        let crew = insights.figures(of: insights.crews[0])
        #expect(crew?.ergs == [one, three] && crew?.power == 1500)
    }

    @Test func aCurveIsItsFormAlone() throws {
        // Goal: strength and length are no difference. Method: one form at two forces and two counts of
        // points; then three curves of one erg beside one of another.
        var (short, long, torn) = (MeanCurve(), MeanCurve(), MeanCurve())
        func add(_ points: [UInt16], _ isComplete: Bool = true, to mean: inout MeanCurve) {
            mean.add(
                ForceCurve(
                    session: SessionID("S1"), at: moment(0), stroke: 1, isComplete: isComplete,
                    poundsForce: points))
        }
        add([0, 50, 100, 50, 0], to: &short)
        add([0, 20, 40, 60, 80, 60, 40, 20, 0], to: &long)
        add([0, 50], false, to: &torn)
        add([0, 0], to: &torn)
        #expect(torn.form == nil && torn.count == 0)
        let forms = try [short, long].map { try #require($0.form) }
        #expect(MeanCurve.similarity(forms[0], forms[1]) == 1000)
        #expect(forms[0].max() == MeanCurve.peak && forms[0].count == MeanCurve.points)
        for _ in 0..<2 { short.add(short) }
        #expect(short.count == 4 && short.form == forms[0])
    }

    @Test func nobodyIsLikeHimself() {
        // Goal: no figure that says nothing. Method: a crew of which one rows.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("pair")!, [one, two])!]
        var flat = ErgShare()
        flat.add(curve([90, 90]))
        _ = insights.take(
            [ErgReading(erg: one, sample: rowing { $0.strokeRate = 22 }, share: flat)],
            at: moment(1))
        let crew = insights.figures(of: insights.crews[0])
        #expect(crew?.rateSimilarity == [] && crew?.forceSimilarity == [])
    }

    // MARK: - Minutes

    @Test func everyStrokeIsInOneMinute() {
        // Goal: nothing twice and nothing lost. Method: an hour of rounds a second apart, some late, with
        // pauses in which nobody rows, and the end in a minute; strokes and times added up.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("bow")!, [one])!]
        var (now, told, found) = (0, 0, [RoomRollup]())
        var random = SystemRandomNumberGenerator()
        for round in 0..<3600 {
            now += Int.random(in: 0..<50, using: &random) == 0 ? 3 : 1
            let isPause = (round / 400).isMultiple(of: 2)
            let strokes = isPause ? 0 : Int.random(in: 0...1, using: &random)
            told += 2 * strokes
            let readings = [one, two].map { erg in
                ErgReading(erg: erg, sample: nil, share: share(strokes: strokes))
            }
            found += rollups(insights.take(readings, at: moment(now)))
        }
        found += rollups(insights.end(at: moment(now)))
        let room = found.filter { $0.figures.ergs.count == 2 }
        let crew = found.filter { $0.figures.ergs == [one] }
        #expect(room.reduce(0) { $0 + $1.strokes } == told)
        #expect(crew.reduce(0) { $0 + $1.strokes } * 2 == told)
        let lengths = room.map { $0.begin.duration(to: $0.at) }
        #expect(lengths.dropLast().allSatisfy { $0 >= .seconds(60) && $0 < .seconds(64) })
        #expect(zip(room, room.dropFirst()).allSatisfy { $0.at <= $1.begin })
        #expect(insights.end(at: moment(now)) == [])
    }

    @Test func aMinuteBeginsWithItsFirstStroke() throws {
        // Goal: the time of a minute holds all of its strokes. Method: strokes that were rowed between the
        // rounds at 10 and 11 s.
        var insights = RoomInsights()
        _ = insights.take([ErgReading(erg: one, sample: nil, share: ErgShare())], at: moment(10))
        _ = insights.take([ErgReading(erg: one, sample: nil, share: share())], at: moment(11))
        #expect(insights.take([], at: moment(69)) == [])
        let minute = try #require(rollups(insights.take([], at: moment(70))).first)
        #expect(minute.begin == moment(10) && minute.at == moment(70))
    }

    @Test func aCrewWithoutAStrokeHasNoMinute() {
        // Goal: who does not row is not told of. Method: two crews, of one of which nobody rows.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("bow")!, [one])!, Crew(CrewID("stern")!, [two])!]
        _ = insights.take([ErgReading(erg: one, sample: nil, share: share())], at: moment(1))
        let found = insights.take([], at: moment(61))
        #expect(found.count == 2)
        guard case .crew(let crew)? = found.last else { return #expect(Bool(false)) }
        #expect(crew.crew.id.slug == "bow")
    }
}
