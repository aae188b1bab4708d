import Bests
import Bytes
import TestSupport
import Testing

@testable import Training

/// What somebody's sessions come to together.
@Suite struct AthleteTrainingTests {
    /// Half a year of pieces on two kinds of machine.
    private static func athlete(speed: Double = 1, later: Int64 = 0) -> [PieceTraining] {
        (0..<60).map { number in
            let metres = [500.0, 1000, 2000, 5000][number % 4]
            let pace = (100 + Double(number * 7 % 23) + metres / 500) / speed
            let watts = Int(Double(120 + number * 5) * speed * speed * speed)
            var piece = MadeRower.piece(
                number, metres: metres, seconds: metres / 500 * pace, daysAgo: number * 3,
                watts: { Int(Double(watts) * (1 + $0)) })
            if number % 5 == 4 { piece.hasGap = true }
            if number % 3 == 2 { piece.machine = .ski }
            piece.startedAt += later
            return PieceTraining(piece)
        }
    }

    @Test func zonesAndTheTimeInThem() throws {
        // Goal: known answers. Method: a 2000 m at 2:00, 202.5 W; a piece of 50 strokes in each zone, at
        // the first watt of each.
        let result = PieceTraining(MadeRower.piece(1, metres: 2000, seconds: 480))
        let zones = try #require(MadeRower.training([result]).zones.value)
        #expect(abs(zones.watts - 202.55) < 0.01)
        #expect(zones.bounds == [112, 132, 152, 173, 193, 213])
        #expect(zones.basis.kind == .ruleOfThumb && zones.basis.inputs == [MadeRower.name(1)])
        let firsts = [0, 112, 132, 152, 173, 193, 213]
        var mixed = MadeRower.piece(
            2, metres: 3000, seconds: 875, daysAgo: 30, watts: { firsts[Int($0 * 7)] })
        let time = TimeInZone([PieceTraining(mixed)], in: zones)
        #expect(time.centiseconds == [Int64](repeating: 12_500, count: 7) && time.unknown == 0)
        #expect(time.basis.kind == .computed && time.basis.inputs == [MadeRower.name(2)])
        // What was not heard is in no zone.
        mixed.rowed[3].watts = nil
        mixed.rowed[4].centiseconds = nil
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

    @Test func heartZonesAreSharesOfTheReserve() throws {
        // Goal: known answers, on each machine, and why there are none. Method: 48 to 192 beats, a
        // reserve of 144; 60 strokes at the first beat of each zone and 10 without a rate; a bike.
        let limits = try #require(HeartLimits(resting: 48, maximal: 192, givenAt: 7))
        let firsts = [40, 128, 149, 164, 171, 185]
        var piece = MadeRower.piece(1, metres: 5000, seconds: 1400, watts: { _ in 150 })
        let count = piece.rowed.count
        for index in piece.rowed.indices {
            piece.rowed[index].heartRate = firsts[index * firsts.count / count]
        }
        let heard = piece.rowed.filter { $0.heartRate == 149 }.compactMap(\.centiseconds)
        piece.rowed[0].heartRate = nil
        let training = AthleteTraining([PieceTraining(piece)], by: .week, heart: limits)
        let zones = try #require(training.heartZones.value)
        #expect(zones.bounds == Array(firsts.dropFirst()))
        #expect(zones.basis == FigureBasis(.ruleOfThumb, HeartZones.formula, of: [], on: 7))
        let time = try #require(training.machines[0].heartTimes.first).time
        #expect(time.centiseconds.count == 6 && time.centiseconds[2] == heard.reduce(0, +))
        #expect(time.unknown == piece.rowed[0].centiseconds)
        #expect(time.centiseconds.reduce(time.unknown, +) == piece.total.centiseconds)
        #expect(time.basis.kind == .computed && time.basis.inputs == [MadeRower.name(1)])
        #expect(time.basis.formula == HeartZones.timeFormula)
        // No result is asked for, and no machine is without.
        piece.machine = .bike
        let bike = AthleteTraining([PieceTraining(piece)], by: .season, heart: limits).machines[0]
        #expect(bike.zones.value == nil && bike.heartTimes.first?.time == time)
        let none = AthleteTraining([PieceTraining(piece)], by: .week)
        #expect(none.heartZones.fault?.reason == .noHeartLimits)
        #expect(none.machines[0].heartTimes.isEmpty)
        for (resting, maximal) in [(24, 190), (48, 241), (121, 190), (48, 99), (100, 139)] {
            #expect(HeartLimits(resting: resting, maximal: maximal, givenAt: 7) == nil)
        }
    }

    @Test func withoutA2000ThereAreNoZones() {
        // Goal: none, and why. Method: a piece that is none; one with a gap; a SkiErg's; a BikeErg's.
        var piece = MadeRower.piece(1, metres: 5000, seconds: 1200)
        func lack() -> Lack.Reason? {
            let training = MadeRower.training([PieceTraining(piece)])
            #expect(training.times.isEmpty == (training.zones.value == nil))
            return training.zones.fault?.reason
        }
        #expect(lack() == .noRanked2000)
        piece = MadeRower.piece(1, metres: 2000, seconds: 480)
        #expect(lack() == nil)
        piece.hasGap = true
        #expect(lack() == .noRanked2000)
        piece.hasGap = false
        piece.machine = .bike
        #expect(lack() == .notOnBike)
        let ski = {
            var ski = piece
            ski.machine = .ski
            ski.name = MadeRower.name(2)
            return ski
        }()
        let both = AthleteTraining([PieceTraining(piece), PieceTraining(ski)], by: .week)
        #expect(both.machines.map(\.machine) == [.ski, .bike])
        #expect(both.machines[0].zones.value != nil)
        for machine in both.machines {
            #expect(machine.times.allSatisfy { $0.time.basis.inputs == [MadeRower.name(2)] })
        }
    }

    @Test func spansSayWhatTheirPartsSay() throws {
        // Goal: a week and a season told at once are what volume, load and zones are by themselves, in
        // any order of sessions. Method: half a year on two machines, both ways.
        let pieces = Self.athlete()
        var generator = SeededGenerator(seed: 3)
        for length in [TrainingSpan.Length.week, .season] {
            let spans = SpanTraining.all(of: pieces, by: length)
            #expect(spans == SpanTraining.all(of: pieces.shuffled(using: &generator), by: length))
            let volumes = TrainingVolume.all(of: pieces.map(\.figures), by: length)
            #expect(spans.map(\.volume) == volumes && spans.count > 0)
            let training = AthleteTraining(pieces, by: length)
            for span in spans {
                let told = try #require(
                    try JSONObject(parsing: JSONWriter.object { span.write(into: &$0) }))
                let load = try #require(training.loads.first { $0.span == span.span })
                guard case .object(let own)? = told["load"],
                    case .list(let zones)? = told["zones"],
                    case .list(let days) = told["days"] ?? .list([])
                else {
                    Issue.record("members are missing")
                    continue
                }
                #expect(own.decimal("load") == Double(load.tenths) / 10)
                let rowed = training.machines.filter { machine in
                    machine.times.contains { $0.span == span.span }
                }
                #expect(zones.count == rowed.count)
                let parts: [Double] = days.compactMap { day in
                    if case .object(let day) = day { day.decimal("distance_m") } else { nil }
                }
                let metres = Double(span.volume.decimetres) / 10
                #expect(length == .season || abs(parts.reduce(0, +) - metres) < 0.01)
            }
        }
    }

    @Test func inAnyOrderTheSameBytes() {
        // Goal: training is a function of a set. Method: shuffled sessions, by every length.
        let pieces = Self.athlete()
        var generator = SeededGenerator(seed: 12)
        for length in TrainingSpan.Length.allCases {
            let told = MadeRower.told(pieces, by: length)
            for _ in 0..<4 {
                #expect(MadeRower.told(pieces.shuffled(using: &generator), by: length) == told)
            }
        }
    }

    @Test func whatIsStrongerIsStrongerAndNothingElse() throws {
        // Goal: scaled watts scale powers, and no zone changes its time's share. Method: everybody twice
        // as fast, which is 8 times the watts.
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
                    // Watts are whole: some strokes at a bound change their zone.
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

    @Test func aYearLaterOnlyDatesAreOthers() {
        // Goal: no figure rests on when it is looked at. Method: all dates 364 days on, which are whole
        // weeks; the same bytes but for dates.
        let told = MadeRower.told(Self.athlete())
        let later = MadeRower.told(Self.athlete(later: 364 * MadeRower.day))
        func undated(_ text: String) -> String {
            text.replacing(/"at_ms":\d+/, with: "").replacing(/"from":"[-0-9]+"/, with: "")
        }
        #expect(told != later && undated(told) == undated(later))
    }

    @Test func anErasedSessionTakesItsFiguresAway() throws {
        // Goal: nothing rests on what is not here. Method: the 2000 m that zones rest on is erased.
        let pieces = Self.athlete()
        let name = try #require(MadeRower.training(pieces).zones.value?.basis.inputs.first)
        let left = pieces.filter { $0.figures.name != name }
        #expect(!MadeRower.told(left).contains(name.session))
        #expect(AthleteTraining([], by: .week).machines.isEmpty)
    }
}
