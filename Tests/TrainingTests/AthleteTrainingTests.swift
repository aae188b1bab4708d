import Bests
import Bytes
import TestSupport
import Testing

@testable import Training

/// Combined metrics of an athlete's sessions.
@Suite struct AthleteTrainingTests {
    /// Half a year of pieces on two kinds of machine.
    private static func athlete(speed: Double = 1, later: Int64 = 0) -> [PieceTraining] {
        (0..<60).map { number in
            let metres = [500.0, 1000, 2000, 5000][number % 4]
            let pace = (100 + Double(number * 7 % 23) + metres / 500) / speed
            let watts = Int(Double(120 + number * 5) * speed * speed * speed)
            var piece = SyntheticRower.piece(
                number, metres: metres, seconds: metres / 500 * pace, daysAgo: number * 3,
                watts: { Int(Double(watts) * (1 + $0)) })
            if number % 5 == 4 { piece.hasGap = true }
            if number % 3 == 2 { piece.machine = .ski }
            piece.startedAt += later
            return PieceTraining(piece)
        }
    }

    @Test func computesZonesAndTimeInZone() throws {
        // A 2000 m at 2:00 is 202.5 W. The other piece has 50 strokes in each zone, at its lowest watt.
        let result = PieceTraining(SyntheticRower.piece(1, metres: 2000, seconds: 480))
        let zones = try #require(SyntheticRower.training([result]).zones.value)
        #expect(abs(zones.watts - 202.55) < 0.01)
        #expect(zones.bounds == [112, 132, 152, 173, 193, 213])
        #expect(zones.basis.kind == .ruleOfThumb && zones.basis.inputs == [SyntheticRower.name(1)])
        let firsts = [0, 112, 132, 152, 173, 193, 213]
        var mixed = SyntheticRower.piece(
            2, metres: 3000, seconds: 875, daysAgo: 30, watts: { firsts[Int($0 * 7)] })
        let time = TimeInZone([PieceTraining(mixed)], in: zones)
        #expect(time.centiseconds == [Int64](repeating: 12_500, count: 7) && time.unknown == 0)
        #expect(time.basis.kind == .computed && time.basis.inputs == [SyntheticRower.name(2)])
        // Strokes without power or time are in no zone.
        mixed.strokes[3].watts = nil
        mixed.strokes[4].centiseconds = nil
        let less = TimeInZone([PieceTraining(mixed)], in: zones)
        #expect(less.unknown == 500 && less.centiseconds.reduce(0, +) == 87_000)
        // Weeks and seasons are sums of sessions.
        let pieces = [result, PieceTraining(mixed)]
        for length in TrainingSpan.Length.allCases {
            let spans = TimeInZone.all(of: pieces, in: zones, by: length)
            #expect(spans.count == (length == .season ? 1 : 2))
            let all = spans.flatMap(\.time.centiseconds).reduce(0, +)
            #expect(all == 48_000 + 87_000)
        }
        #expect(
            TimeInZone.all(of: pieces, in: zones, by: .week, in: Season(year: 2020)).isEmpty)
    }

    @Test func computesHeartZonesFromTheReserve() throws {
        // A reserve of 144 beats; equally many strokes at the lowest rate of each zone, and one without a
        // rate.
        let limits = try #require(HeartLimits(resting: 48, maximal: 192, givenAt: 7))
        let firsts = [40, 128, 149, 164, 171, 185]
        var piece = SyntheticRower.piece(1, metres: 5000, seconds: 1400, watts: { _ in 150 })
        let count = piece.strokes.count
        for index in piece.strokes.indices {
            piece.strokes[index].heartRate = firsts[index * firsts.count / count]
        }
        let zoneTimes = piece.strokes.filter { $0.heartRate == 149 }.compactMap(\.centiseconds)
        piece.strokes[0].heartRate = nil
        let training = AthleteTraining([PieceTraining(piece)], by: .week, heart: limits)
        let zones = try #require(training.heartZones.value)
        #expect(zones.bounds == Array(firsts.dropFirst()))
        #expect(zones.basis == FigureBasis(.ruleOfThumb, HeartZones.formula, of: [], on: 7))
        let time = try #require(training.machines[0].heartTimes.first).time
        #expect(time.centiseconds.count == 6 && time.centiseconds[2] == zoneTimes.reduce(0, +))
        #expect(time.unknown == piece.strokes[0].centiseconds)
        #expect(time.centiseconds.reduce(time.unknown, +) == piece.total.centiseconds)
        #expect(time.basis.kind == .computed && time.basis.inputs == [SyntheticRower.name(1)])
        #expect(time.basis.formula == HeartZones.timeFormula)
        // Heart zones need no result, and exist on every machine.
        piece.machine = .bike
        let bike = AthleteTraining([PieceTraining(piece)], by: .season, heart: limits).machines[0]
        #expect(bike.zones.value == nil && bike.heartTimes.first?.time == time)
        let none = AthleteTraining([PieceTraining(piece)], by: .week)
        #expect(none.heartZones.fault?.kind == .noHeartLimits)
        #expect(none.machines[0].heartTimes.isEmpty)
        for (resting, maximal) in [(24, 190), (48, 241), (121, 190), (48, 99), (100, 139)] {
            #expect(HeartLimits(resting: resting, maximal: maximal, givenAt: 7) == nil)
        }
    }

    @Test func hasNoZonesWithoutARanked2000() {
        var piece = SyntheticRower.piece(1, metres: 5000, seconds: 1200)
        func missingReason() -> MissingReason.Kind? {
            let training = SyntheticRower.training([PieceTraining(piece)])
            #expect(training.times.isEmpty == (training.zones.value == nil))
            return training.zones.fault?.kind
        }
        #expect(missingReason() == .noRanked2000)
        piece = SyntheticRower.piece(1, metres: 2000, seconds: 480)
        #expect(missingReason() == nil)
        piece.hasGap = true
        #expect(missingReason() == .noRanked2000)
        piece.hasGap = false
        piece.machine = .bike
        #expect(missingReason() == .notOnBike)
        let ski = {
            var ski = piece
            ski.machine = .ski
            ski.name = SyntheticRower.name(2)
            return ski
        }()
        let both = AthleteTraining([PieceTraining(piece), PieceTraining(ski)], by: .week)
        #expect(both.machines.map(\.machine) == [.ski, .bike])
        #expect(both.machines[0].zones.value != nil)
        for machine in both.machines {
            #expect(machine.times.allSatisfy { $0.time.basis.inputs == [SyntheticRower.name(2)] })
        }
    }

    @Test func matchesSpansWithTheirParts() throws {
        let pieces = Self.athlete()
        var generator = SeededGenerator(seed: 3)
        for length in [TrainingSpan.Length.week, .season] {
            let spans = SpanTraining.all(of: pieces, by: length)
            #expect(spans == SpanTraining.all(of: pieces.shuffled(using: &generator), by: length))
            let volumes = TrainingVolume.all(of: pieces.map(\.metrics), by: length)
            #expect(spans.map(\.volume) == volumes && spans.count > 0)
            let training = AthleteTraining(pieces, by: length)
            for span in spans {
                let json = try #require(
                    try JSONObject(parsing: JSONWriter.object { span.write(into: &$0) }))
                let load = try #require(training.loads.first { $0.span == span.span })
                guard case .object(let own)? = json["load"],
                    case .list(let zones)? = json["zones"],
                    case .list(let days) = json["days"] ?? .list([])
                else {
                    Issue.record("members are missing")
                    continue
                }
                #expect(own.decimal("load") == Double(load.tenths) / 10)
                let active = training.machines.filter { machine in
                    machine.times.contains { $0.span == span.span }
                }
                #expect(zones.count == active.count)
                let parts: [Double] = days.compactMap { day in
                    if case .object(let day) = day { day.decimal("distance_m") } else { nil }
                }
                let metres = Double(span.volume.decimetres) / 10
                #expect(length == .season || abs(parts.reduce(0, +) - metres) < 0.01)
            }
        }
    }

    @Test func doesNotDependOnTheOrder() {
        let pieces = Self.athlete()
        var generator = SeededGenerator(seed: 12)
        for length in TrainingSpan.Length.allCases {
            let json = SyntheticRower.json(pieces, by: length)
            for _ in 0..<4 {
                #expect(SyntheticRower.json(pieces.shuffled(using: &generator), by: length) == json)
            }
        }
    }

    @Test func scalesOnlyPowerWithSpeed() throws {
        // Twice the speed is 8 times the watts.
        let pairs = zip(
            AthleteTraining(Self.athlete(), by: .season).machines,
            AthleteTraining(Self.athlete(speed: 2), by: .season).machines)
        for (slow, fast) in pairs {
            let (zones, twin) = (try #require(slow.zones.value), try #require(fast.zones.value))
            #expect(abs(twin.watts / zones.watts - 8) < 0.001)
            #expect(zones.basis == twin.basis)
            for (one, other) in zip(slow.times, fast.times) {
                #expect(one.time.basis == other.time.basis)
                for (long, short) in zip(one.time.centiseconds, other.time.centiseconds) {
                    // Watts are whole numbers: some strokes at a bound change their zone.
                    #expect(abs(long - 2 * short) < 3000, "\(long) \(short)")
                }
            }
            let (law, half) = (try #require(slow.law.value), try #require(fast.law.value))
            #expect(abs(law.k - 2 * half.k) < 0.01 && law.basis == half.basis)
            #expect(slow.predictions.map(\.event.rank) != [] && fast.predictions.count > 0)
            guard let one = slow.critical.value, let other = fast.critical.value else { continue }
            #expect(abs(other.watts / one.watts - 8) < 0.01)
            #expect(abs(other.joules / one.joules - 4) < 0.02)
        }
    }

    @Test func changesOnlyDatesAYearLater() {
        // 364 days are whole weeks.
        let json = SyntheticRower.json(Self.athlete())
        let later = SyntheticRower.json(Self.athlete(later: 364 * SyntheticRower.day))
        func undated(_ text: String) -> String {
            text.replacing(/"at_ms":\d+/, with: "").replacing(/"from":"[-0-9]+"/, with: "")
        }
        #expect(json != later && undated(json) == undated(later))
    }

    @Test func removesErasedSessionsFromMetrics() throws {
        // Erases the 2000 m that defines the zones.
        let pieces = Self.athlete()
        let name = try #require(SyntheticRower.training(pieces).zones.value?.basis.inputs.first)
        let left = pieces.filter { $0.metrics.name != name }
        #expect(!SyntheticRower.json(left).contains(name.session))
        #expect(AthleteTraining([], by: .week).machines.isEmpty)
    }
}
