import Contract
import TestSupport
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

    private func share(strokes: Int = 1, _ change: (inout Stroke) -> Void = { _ in }) -> ErgStrokeSums {
        var share = ErgStrokeSums()
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

    @Test func averagesSpeedsForRoomPace() throws {
        // 2:00 and 4:00 are 4.1667 and 2.0833 m/s. Their mean is 3.125 m/s, which is 2:40; the mean of the
        // paces would be 3:00.
        let room = [(one, Int64(120_000)), (two, Int64(240_000))].map { erg, pace in
            ErgReading(
                erg: erg, sample: rowing { $0.pace = Pace(millisecondsPer500m: pace) },
                sums: share { $0.pace = Pace(millisecondsPer500m: pace) })
        }
        var insights = RoomInsights()
        _ = insights.add(room, at: moment(0))
        #expect(insights.room?.pace == Pace(millisecondsPer500m: 160_000))
        let minute = try #require(rollups(insights.add([], at: moment(60))).first)
        #expect(minute.statistics.pace == Pace(millisecondsPer500m: 160_000))
    }

    @Test func weightsErgsEqually() throws {
        // Thirty strokes of 200 W and ten of 300 W, one erg with a belt.
        var insights = RoomInsights()
        let light = share(strokes: 30) {
            ($0.powerWatts, $0.strokeRate, $0.heartRate) = (200, 30, 150)
            $0.strokeDistance = Meters(8)
        }
        let strong = share(strokes: 10) {
            ($0.powerWatts, $0.strokeRate) = (300, 10)
            $0.strokeDistance = Meters(12)
        }
        _ = insights.add(
            [
                ErgReading(erg: one, sample: rowing(), sums: light),
                ErgReading(erg: two, sample: rowing(), sums: strong),
                ErgReading(erg: three, sample: nil, sums: ErgStrokeSums()),
            ], at: moment(5))
        let minute = try #require(rollups(insights.add([], at: moment(65))).first)
        #expect(minute.statistics.ergs == [one, two] && minute.strokes == 40)
        #expect((minute.statistics.totalPower, minute.statistics.power) as (Int?, Int?) == (5000, 2500))
        #expect((minute.statistics.rate, minute.statistics.heartRate) as (Int?, Int?) == (200, 1500))
        #expect(minute.statistics.distance == Meters(360))
    }

    @Test func includesOnlyRowingErgs() {
        // One rowing, one resting, one with a stale sample, one without a link.
        var insights = RoomInsights()
        let resting = rowing { ($0.state, $0.powerWatts) = (.resting, 1) }
        let stale = rowing { ($0.isStale, $0.powerWatts) = (true, 1) }
        let samples = [rowing { $0.powerWatts = 240 }, resting, stale, nil]
        let readings = zip(["1", "2", "3", "4"], samples).map { slug, sample in
            ErgReading(erg: StationID(slug)!, sample: sample, sums: ErgStrokeSums())
        }
        #expect(insights.add(readings, at: moment(1)) == [])
        #expect(insights.room?.ergs == [one] && insights.room?.power == 2400)
        let gone = [ErgReading(erg: one, sample: nil, sums: ErgStrokeSums())]
        #expect(insights.add(gone, at: moment(2)) == [])
        #expect(insights.room == nil)
    }

    // MARK: - Similarity

    @Test func computesSimilarityFromRMSE() throws {
        // A constant curve, and a ramp from 0 to its peak. Their mean, scaled to the same peak, is (1 + x)
        // / 2 at x. Each differs from it by (1 - x) / 2, whose root mean square is 1 / sqrt(12) = 0.289,
        // approximately with a hundred points.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("pair")!, [one, two])!]
        var (flat, ramp) = (ErgStrokeSums(), ErgStrokeSums())
        flat.add(curve([90, 90, 90]))
        ramp.add(curve([0, 20, 40]))
        _ = insights.add(
            [
                ErgReading(erg: one, sample: rowing { $0.strokeRate = 22 }, sums: flat),
                ErgReading(erg: two, sample: rowing { $0.strokeRate = 26 }, sums: ramp),
            ], at: moment(1))
        let crew = try #require(insights.statistics(of: insights.crews[0]))
        #expect(crew.forceSimilarity.map(\.erg) == [one, two])
        #expect(crew.forceSimilarity.allSatisfy { (708...713).contains($0.thousandths) })
        // 2 of 24.
        #expect(crew.rateSimilarity.map(\.thousandths) == [917, 917])
    }

    @Test func limitsSimilarityToZero() {
        // Three at 10 and one at 90 have a mean of 30.
        let rates = [10, 10, 10, 90]
        var insights = RoomInsights()
        let readings = zip(["1", "2", "3", "4"], rates).map { slug, rate in
            ErgReading(
                erg: StationID(slug)!, sample: rowing { $0.strokeRate = rate }, sums: ErgStrokeSums())
        }
        _ = insights.add(readings, at: moment(1))
        #expect(insights.room?.rateSimilarity.map(\.thousandths) == [333, 333, 333, 0])
    }

    @Test func weightsCurvesEqually() {
        // Two shapes, the second with ten times the force, as curves of one erg; then with equal forces.
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

    @Test func forgetsCurveShapeAfterPause() throws {
        // Two ergs with curves. One stops and rows again, without a new curve.
        var insights = RoomInsights()
        var flat = ErgStrokeSums()
        flat.add(curve([90, 90]))
        func add(_ state: ActivityState, _ sums: ErgStrokeSums, at second: Int) {
            let readings = [
                ErgReading(erg: one, sample: rowing(), sums: sums),
                ErgReading(erg: two, sample: rowing { $0.state = state }, sums: sums),
            ]
            _ = insights.add(readings, at: moment(second))
        }
        add(.rowing, flat, at: 1)
        #expect(insights.room?.forceSimilarity.map(\.erg) == [one, two])
        add(.paused, ErgStrokeSums(), at: 2)
        add(.rowing, ErgStrokeSums(), at: 3)
        #expect(insights.room?.forceSimilarity == [])
    }

    @Test func includesOnlyErgsOfCrew() {
        // Three ergs rowing, two of them in a crew.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("pair")!, [one, three])!]
        let readings = [(one, 100), (two, 500), (three, 200)].map { erg, watts in
            ErgReading(erg: erg, sample: rowing { $0.powerWatts = watts }, sums: ErgStrokeSums())
        }
        _ = insights.add(readings, at: moment(1))
        let crew = insights.statistics(of: insights.crews[0])
        #expect(crew?.ergs == [one, three] && crew?.power == 1500)
    }

    @Test func normalizesCurveLengthAndForce() throws {
        // One shape with two forces and two numbers of points; then three curves of one erg and one of
        // another.
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

    @Test func omitsSimilarityForSingleErg() {
        // A crew with one rower.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("pair")!, [one, two])!]
        var flat = ErgStrokeSums()
        flat.add(curve([90, 90]))
        _ = insights.add(
            [ErgReading(erg: one, sample: rowing { $0.strokeRate = 22 }, sums: flat)],
            at: moment(1))
        let crew = insights.statistics(of: insights.crews[0])
        #expect(crew?.rateSimilarity == [] && crew?.forceSimilarity == [])
    }

    // MARK: - Minutes

    @Test func assignsEveryStrokeToOneMinute() {
        // An hour of readings one second apart, some late, with pauses and an end within a minute. Strokes
        // and times must add up.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("bow")!, [one])!]
        var (now, published, found) = (0, 0, [RoomRollup]())
        var random = SeededGenerator(seed: 17)
        for round in 0..<3600 {
            now += Int.random(in: 0..<50, using: &random) == 0 ? 3 : 1
            let isPause = (round / 400).isMultiple(of: 2)
            let strokes = isPause ? 0 : Int.random(in: 0...1, using: &random)
            published += 2 * strokes
            let readings = [one, two].map { erg in
                ErgReading(erg: erg, sample: nil, sums: share(strokes: strokes))
            }
            found += rollups(insights.add(readings, at: moment(now)))
        }
        found += rollups(insights.end(at: moment(now)))
        let room = found.filter { $0.statistics.ergs.count == 2 }
        let crew = found.filter { $0.statistics.ergs == [one] }
        #expect(room.reduce(0) { $0 + $1.strokes } == published)
        #expect(crew.reduce(0) { $0 + $1.strokes } * 2 == published)
        let lengths = room.map { $0.begin.duration(to: $0.at) }
        #expect(lengths.dropLast().allSatisfy { $0 >= .seconds(60) && $0 < .seconds(64) })
        #expect(zip(room, room.dropFirst()).allSatisfy { $0.at <= $1.begin })
        #expect(insights.end(at: moment(now)) == [])
    }

    @Test func beginsMinuteBeforeFirstStroke() throws {
        // Strokes between the readings at 10 and 11 s.
        var insights = RoomInsights()
        _ = insights.add([ErgReading(erg: one, sample: nil, sums: ErgStrokeSums())], at: moment(10))
        _ = insights.add([ErgReading(erg: one, sample: nil, sums: share())], at: moment(11))
        #expect(insights.add([], at: moment(69)) == [])
        let minute = try #require(rollups(insights.add([], at: moment(70))).first)
        #expect(minute.begin == moment(10) && minute.at == moment(70))
    }

    @Test func omitsMinuteOfCrewWithoutStrokes() {
        // Two crews, one without a rower.
        var insights = RoomInsights()
        insights.crews = [Crew(CrewID("bow")!, [one])!, Crew(CrewID("stern")!, [two])!]
        _ = insights.add([ErgReading(erg: one, sample: nil, sums: share())], at: moment(1))
        let found = insights.add([], at: moment(61))
        #expect(found.count == 2)
        guard case .crew(let crew)? = found.last else { return #expect(Bool(false)) }
        #expect(crew.crew.id.slug == "bow")
    }
}
