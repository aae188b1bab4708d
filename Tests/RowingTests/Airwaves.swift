import PM5Simulator
import Rowing
import TestSupport
import Timeline

@testable import PM5Codec

/// What a simulated erg sent over a whole piece, to be heard once more in other ways.
struct Airwaves {
    struct Value {
        var at: Int
        let id: CharacteristicID
        let bytes: [UInt8]
    }

    private(set) var values: [Value] = []
    private(set) var truth: [TruthRecord] = []
    /// When each piece began, in milliseconds.
    private(set) var beginnings: [Int] = []

    /// Rows `workout` to its end and ten seconds more, or again and again for so many milliseconds,
    /// each characteristic subscribed by itself.
    init(_ workout: String, seed: UInt64, repeatingFor time: Int? = nil) throws {
        var erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: .new),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed,
            repeats: time != nil)
        erg.setConnected(true)
        for id in Self.characteristics { erg.setSubscribed(true, to: id) }
        let limit = time ?? 3 * 3600 * 1000
        var end = limit
        while erg.now < end {
            if erg.isDone, end == limit { end = erg.now + 10_000 }
            for output in erg.step(to: min(erg.nextMilliseconds, end)) {
                switch output {
                case .notification(let id, let bytes):
                    values.append(Value(at: erg.now, id: id, bytes: bytes))
                case .truth(let record): truth.append(record)
                }
            }
        }
        let edges = truth.filter { $0.kind == .session }
        beginnings = Dictionary(grouping: edges) { $0["session"] ?? 0 }.values
            .compactMap { $0.compactMap { $0["at_s"] }.min().map { Int($0 * 1000) } }.sorted()
    }

    /// A reader to whom nothing comes for as long stands still, in milliseconds: no monitor is silent.
    private var standstill = 2000

    /// Those of the rowing service that have a notification of their own.
    static let characteristics = MonitorGeneration.new.notifying.filter {
        $0 != .multiplexed && $0 != .csafeOut
    }

    /// The same with some characteristics lost.
    func without(_ lost: Set<CharacteristicID>) -> Airwaves {
        var other = self
        other.values.removeAll { lost.contains($0.id) }
        return other
    }

    /// The same as a monitor sends it that is too busy for its timed values in these milliseconds.
    func starved(_ range: Range<Int>) -> Airwaves {
        var other = self
        other.standstill = .max
        other.values.removeAll { value in
            let number = value.id == .multiplexed ? UInt16(value.bytes[0]) : value.id.rawValue
            return range.contains(value.at)
                && StarvedStatusTests.timed.contains(CharacteristicID(rawValue: number))
        }
        return other
    }

    /// The same piece with some characteristics inside 0x0080, where their layouts are other ones.
    func carried(multiplexing multiplexed: Set<CharacteristicID>) throws -> Airwaves {
        var other = self
        other.values = []
        var (work, watts): (UInt16?, UInt16?)
        for value in values {
            let decoded = try value.bytes.withUnsafeBytes {
                try PM5Codec.Notification(characteristic: value.id, bytes: $0)
            }
            if case .strokeData(let packet) = decoded { work = packet.workPerStrokeDecijoules }
            if case .additionalStatus2(let packet) = decoded { watts = packet.averagePowerWatts }
            guard multiplexed.contains(value.id) else {
                other.values.append(value)
                continue
            }
            var payload = decoded.payload
            // What another characteristic tells when dedicated.
            if case .additionalStrokeData(var packet) = decoded {
                packet.workPerStrokeDecijoules = work
                payload = packet
            } else if case .additionalStatus1(var packet) = decoded {
                packet.averagePowerWatts = watts
                payload = packet
            }
            other.append(payload, at: value.at)
            if case .workoutSummary(let packet) = decoded {
                let pace = packet.averagePaceDecisecondsPer500m ?? .max
                other.append(
                    WorkoutSummary2(logged: packet.logged, averagePaceDecisecondsPer500m: pace),
                    at: value.at)
            }
        }
        return other
    }

    private mutating func append(_ payload: some CharacteristicPayload, at time: Int) {
        values.append(
            Value(
                at: time, id: .multiplexed,
                bytes: Array(payload.notificationBytes(carrier: .multiplexed).prefix(20))))
    }

    /// The same values as a reader gets them who is late for some characteristics, each of which
    /// keeps its order.
    func late(by delays: [CharacteristicID: ClosedRange<Int>], seed: UInt64) -> Airwaves {
        var random = TestSupport.SeededGenerator(seed: seed)
        var latest: [CharacteristicID: Int] = [:]
        var late = self
        for index in late.values.indices {
            let id = late.values[index].id
            let delay = delays[id].map { Int.random(in: $0, using: &random) } ?? 0
            let at = max(late.values[index].at + delay, latest[id] ?? 0)
            late.values[index].at = at
            latest[id] = at
        }
        let order = late.values.indices.sorted {
            (late.values[$0].at, $0) < (late.values[$1].at, $1)
        }
        late.values = order.map { late.values[$0] }
        return late
    }

    /// The same values as a reader gets them who stood still for a while, and then finds one socket
    /// after the other full.
    func stalled(_ range: Range<Int>, seed: UInt64) -> Airwaves {
        var random = TestSupport.SeededGenerator(seed: seed)
        let ids = Self.characteristics.shuffled(using: &random)
        let missed = values.filter { range.contains($0.at) }.map { value in
            var late = value
            late.at = range.upperBound
            return late
        }
        var other = self
        other.values =
            values.filter { $0.at < range.lowerBound }
            + ids.flatMap { id in missed.filter { $0.id == id } }
            + values.filter { $0.at >= range.upperBound }
        return other
    }

    /// Everything a machine makes of it, from connection to twenty seconds after the last value.
    func folded() -> Fold {
        var fold = Fold(at: 60_000)
        for value in values { hear(value, &fold) }
        fold.wait(20_000)
        return fold
    }

    /// The same with the link lost in these milliseconds.
    func folded(deaf: Range<Int>) -> Fold {
        var fold = Fold(at: 60_000)
        var isDeaf = false
        for value in values {
            if deaf.contains(value.at) != isDeaf {
                fold.wait(max(0, 60_000 + value.at - fold.now))
                if isDeaf { fold.linkOpens() } else { fold.linkCloses() }
                isDeaf.toggle()
            }
            if !isDeaf { hear(value, &fold) }
        }
        fold.wait(20_000)
        return fold
    }

    /// Which piece was rowed at a moment of a fold, from 1.
    func piece(at instant: BootInstant) -> Int {
        beginnings.count { 60_000 + $0 <= instant.signedMilliseconds }
    }

    /// Lets time pass up to a value, and the fold take it.
    func hear(_ value: Value, _ fold: inout Fold) {
        let wait = max(0, 60_000 + value.at - fold.now)
        // Who stands still does not tick either.
        if wait < standstill { fold.wait(wait) } else { fold.now += wait }
        fold.send(value.id, value.bytes)
    }
}

/// What a session was, without what depends on the moment at which a value was read.
struct Essence: Equatable {
    var strokes: [Stroke]
    var splits: [Split]
    var curves: [Int]
    var results: [Summary]
    var edges: [SessionEdge.Kind]
    var gaps: [ClosedRange<Int>?]

    init(_ fold: Fold) {
        let moment = BootInstant(nanoseconds: 0)
        strokes = fold.strokes.map { told in
            var stroke = told
            stroke.at = moment
            // Of the status that was read last.
            (stroke.strokeRate, stroke.pace, stroke.heartRate, stroke.calories) =
                (nil, nil, nil, nil)
            stroke.interval = nil
            return stroke
        }
        splits = fold.splits.map { told in
            var split = told
            split.at = moment
            split.averageHeartRate = nil
            return split
        }
        curves = fold.curves.map(\.stroke)
        results = fold.summaries.map { told in
            var summary = told
            (summary.at, summary.startedAt, summary.endedAt) = (moment, moment, moment)
            // Tallies of the status values that fell into the work.
            (summary.averageHeartRate, summary.minimumHeartRate) = (nil, nil)
            (summary.maximumHeartRate, summary.endingHeartRate) = (nil, nil)
            summary.averageDragFactor = nil
            return summary
        }
        edges = fold.edges.map(\.kind)
        gaps = (fold.gaps + fold.splitGaps).map(\.strokes)
    }

    /// What two sessions differ in, in words.
    func differences(from other: Essence) -> [String] {
        var found: [String] = []
        for (index, pair) in zip(strokes, other.strokes).enumerated() where pair.0 != pair.1 {
            found.append("stroke \(index): \(pair.0), not \(pair.1)")
        }
        for (index, pair) in zip(splits, other.splits).enumerated() where pair.0 != pair.1 {
            found.append("split \(index): \(pair.0), not \(pair.1)")
        }
        for (index, pair) in zip(results, other.results).enumerated() where pair.0 != pair.1 {
            found.append("summary \(index): \(pair.0), not \(pair.1)")
        }
        if found.isEmpty, self != other {
            found.append(
                "\(strokes.count) of \(other.strokes.count) strokes, curves \(curves), "
                    + "edges \(edges), gaps \(gaps)")
        }
        return found
    }
}
