import PM5Simulator
import Rowing
import TestSupport
import Timeline

@testable import PM5Codec

/// The notifications of a simulated erg over a whole piece, for replay with changes.
struct NotificationTrace {
    struct Value {
        var at: Int
        let id: CharacteristicID
        let bytes: [UInt8]
    }

    private(set) var values: [Value] = []
    private(set) var truth: [TruthRecord] = []
    /// When each piece began, in milliseconds.
    private(set) var beginnings: [Int] = []

    /// Rows `workout` to its end and ten more seconds, or repeatedly for the given milliseconds. Each
    /// characteristic is subscribed separately.
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

    /// If no value arrives for this time, in milliseconds, the reader is stalled: no monitor is silent for
    /// so long.
    private var standstill = 2000

    /// The characteristics of the rowing service with their own notifications.
    static let characteristics = MonitorGeneration.new.notifying.filter {
        $0 != .multiplexed && $0 != .csafeOut
    }

    /// Removes some characteristics.
    func without(_ lost: Set<CharacteristicID>) -> NotificationTrace {
        var other = self
        other.values.removeAll { lost.contains($0.id) }
        return other
    }

    /// Removes the timed values in these milliseconds, as if the monitor were busy.
    func withoutTimedValues(_ range: Range<Int>) -> NotificationTrace {
        var other = self
        other.standstill = .max
        other.values.removeAll { value in
            let number = value.id == .multiplexed ? UInt16(value.bytes[0]) : value.id.rawValue
            return range.contains(value.at)
                && BusyMonitorTests.timed.contains(CharacteristicID(rawValue: number))
        }
        return other
    }

    /// Moves some characteristics into 0x0080, where their layouts differ.
    func carried(multiplexing multiplexed: Set<CharacteristicID>) throws -> NotificationTrace {
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
            // A dedicated packet has these fields in another characteristic.
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

    /// Delays some characteristics, each in its own order.
    func late(by delays: [CharacteristicID: ClosedRange<Int>], seed: UInt64) -> NotificationTrace {
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

    /// Delays all values in a range, and then delivers them one characteristic after the other.
    func stalled(_ range: Range<Int>, seed: UInt64) -> NotificationTrace {
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

    /// Replays all values into a machine, from connection to twenty seconds after the last value.
    func replayed() -> MachineHarness {
        var harness = MachineHarness(at: 60_000)
        for value in values { deliver(value, &harness) }
        harness.wait(20_000)
        return harness
    }

    /// Replays with the link lost in these milliseconds.
    func replayed(outage: Range<Int>) -> MachineHarness {
        var harness = MachineHarness(at: 60_000)
        var isDisconnected = false
        for value in values {
            if outage.contains(value.at) != isDisconnected {
                harness.wait(max(0, 60_000 + value.at - harness.now))
                if isDisconnected { harness.linkOpens() } else { harness.linkCloses() }
                isDisconnected.toggle()
            }
            if !isDisconnected { deliver(value, &harness) }
        }
        harness.wait(20_000)
        return harness
    }

    /// The number of the piece at this time of a replay, from 1.
    func piece(at instant: BootInstant) -> Int {
        beginnings.count { 60_000 + $0 <= instant.signedMilliseconds }
    }

    /// Advances the time to a value and delivers it.
    func deliver(_ value: Value, _ harness: inout MachineHarness) {
        let wait = max(0, 60_000 + value.at - harness.now)
        // A stalled reader does not tick either.
        if wait < standstill { harness.wait(wait) } else { harness.now += wait }
        harness.send(value.id, value.bytes)
    }
}

/// The content of a session, without values that depend on the moment of reading.
struct SessionContent: Equatable {
    var strokes: [Stroke]
    var splits: [Split]
    var curves: [Int]
    var results: [Summary]
    var edges: [SessionTransition.Kind]
    var gaps: [ClosedRange<Int>?]

    init(_ harness: MachineHarness) {
        let moment = BootInstant(nanoseconds: 0)
        strokes = harness.strokes.map { published in
            var stroke = published
            stroke.at = moment
            // From the last status read.
            (stroke.strokeRate, stroke.pace, stroke.heartRate, stroke.calories) =
                (nil, nil, nil, nil)
            stroke.interval = nil
            return stroke
        }
        splits = harness.splits.map { published in
            var split = published
            split.at = moment
            split.averageHeartRate = nil
            return split
        }
        curves = harness.curves.map(\.stroke)
        results = harness.summaries.map { published in
            var summary = published
            (summary.at, summary.startedAt, summary.endedAt) = (moment, moment, moment)
            // Tallies of the status values during work.
            (summary.averageHeartRate, summary.minimumHeartRate) = (nil, nil)
            (summary.maximumHeartRate, summary.endingHeartRate) = (nil, nil)
            summary.averageDragFactor = nil
            return summary
        }
        edges = harness.edges.map(\.kind)
        gaps = (harness.gaps + harness.splitGaps).map(\.strokes)
    }

    /// Describes the differences between two sessions.
    func differences(from other: SessionContent) -> [String] {
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
