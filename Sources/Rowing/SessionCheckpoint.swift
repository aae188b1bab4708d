import PM5Codec

/// What a session machine must remember over a death of the gateway, in a few dozen bytes.
///
/// Times are kept as ages, so that it can be taken up on another boot's clock. Layout: version,
/// flags, then varints in the order of `encode`; texts and packets carry their length. A version
/// that this code does not know does not decode: the session is then lost, not misread.
package struct SessionCheckpoint: Equatable, Sendable {
    private static let version: UInt8 = 1

    /// When it was taken, on the clock of that boot.
    package var at: BootInstant
    var head: SessionMachine.Head
    var phase: PiecePhase
    var isPaused: Bool
    /// What was being waited out when it was taken: since when the monitor had not been heard.
    var outageSince: BootInstant?
    var ledger: IntervalLedger
    var strokes: StrokePosition
    var releasedSplit: Int
    var totals: SessionTotals
    var machine: ErgMachineType?
    var main: WorkoutSummary?
    var additional: AdditionalWorkoutSummary?

    /// Where the numbering of strokes stands.
    struct StrokePosition: Equatable {
        var leg: Int
        var base: Int
        var released: Int
        var elapsedCentiseconds: UInt32
    }

    package var session: SessionID { head.id }
    /// Whether the session was under way.
    package var isOpen: Bool { head.phase == .open }
}

// MARK: - Bytes

extension SessionCheckpoint {
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(Self.version)
        writer.flags([
            head.isComplete, isPaused, phase == .resting, outageSince != nil, machine != nil,
            main != nil, additional != nil,
        ])
        writer.sized(head.id.text.utf8)
        writer.varint(at.nanoseconds / 1_000_000)
        writer.count(head.phase == .open ? 0 : head.phase == .ending ? 1 : 2)
        writer.count(head.revision)
        writer.age(head.started, at)
        if head.phase != .open { writer.age(head.ended, at) }
        if let outageSince { writer.age(outageSince, at) }
        head.workout.encode(into: &writer)
        ledger.encode(into: &writer)
        writer.count(strokes.leg)
        writer.count(strokes.base)
        writer.count(strokes.released)
        writer.count(Int(strokes.elapsedCentiseconds))
        writer.count(releasedSplit)
        totals.encode(into: &writer)
        if let machine { writer.code(machine) }
        if let main { main.encode(into: &writer, carrier: .dedicated) }
        if let additional { additional.encode(into: &writer, carrier: .dedicated) }
        return writer.bytes
    }

    /// nil for bytes of another version, and for damaged ones.
    package init?(decoding bytes: [UInt8]) {
        let read = bytes.withUnsafeBytes { buffer -> SessionCheckpoint? in
            var reader = ByteReader(buffer)
            return SessionCheckpoint(&reader)
        }
        guard let read else { return nil }
        self = read
    }

    private init?(_ reader: inout ByteReader) {
        guard let version = try? reader.uint8(), version == Self.version,
            let flags = reader.flags(7), let name = reader.sized(),
            let milliseconds = reader.varint(), milliseconds < UInt64(Int64.max) / 1_000_000,
            let stage = reader.count(), let revision = reader.count()
        else { return nil }
        at = BootInstant(nanoseconds: milliseconds * 1_000_000)
        let id = SessionID(String(decoding: name, as: UTF8.self))
        guard let started = reader.instant(before: at) else { return nil }
        let isOpen = stage == 0
        guard let ended = isOpen ? at : reader.instant(before: at) else { return nil }
        guard let since = flags[3] ? reader.instant(before: at) : at,
            let workout = Workout(decoding: &reader),
            let ledger = IntervalLedger(decoding: &reader),
            let leg = reader.count(), let base = reader.count(), let released = reader.count(),
            let elapsed = reader.count(), let split = reader.count(),
            let totals = SessionTotals(decoding: &reader)
        else { return nil }
        head = SessionMachine.Head(
            id: id, started: started, workout: workout,
            phase: isOpen ? .open : stage == 1 ? .ending : .closed,
            ended: isOpen ? BootInstant(nanoseconds: 0) : ended, isComplete: flags[0],
            revision: revision)
        isPaused = flags[1]
        phase = flags[2] ? .resting : .working
        outageSince = flags[3] ? since : nil
        self.ledger = ledger
        strokes = StrokePosition(
            leg: leg, base: base, released: released,
            elapsedCentiseconds: UInt32(clamping: elapsed))
        releasedSplit = split
        self.totals = totals
        do throws(DecodeError) {
            machine = flags[4] ? try reader.code() : nil
            main = flags[5] ? try WorkoutSummary(decoding: &reader, carrier: .dedicated) : nil
            additional =
                flags[6]
                ? try AdditionalWorkoutSummary(decoding: &reader, carrier: .dedicated) : nil
        } catch {
            return nil
        }
    }
}

extension Workout {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.code(type)
        switch target {
        case .none: writer.count(0)
        case .distance(let length):
            writer.count(1)
            writer.count(Int(length.millimeters))
        case .time(let length):
            writer.count(2)
            writer.count(Int(length.wholeMilliseconds))
        case .calories(let count):
            writer.count(3)
            writer.count(count)
        case .wattMinutes(let count):
            writer.count(4)
            writer.count(count)
        }
    }

    fileprivate init?(decoding reader: inout ByteReader) {
        guard let type = try? reader.code(WorkoutType.self), let kind = reader.count() else {
            return nil
        }
        self.type = type
        guard kind > 0 else {
            target = .none
            return
        }
        guard let size = reader.count() else { return nil }
        switch kind {
        case 1: target = .distance(Meters(millimeters: Int64(size)))
        case 2: target = .time(.milliseconds(size))
        case 3: target = .calories(size)
        case 4: target = .wattMinutes(size)
        default: return nil
        }
    }
}

extension SessionTotals {
    fileprivate func encode(into writer: inout ByteWriter) {
        for value in [
            strokes, splits, maximumWatts, heartRate.sum, heartRate.count, Int(heartRate.minimum),
            Int(heartRate.maximum), Int(heartRate.last), calories.finished, calories.present,
            dragFactor.sum, dragFactor.weight, strokePower.sum, strokePower.weight,
            intervalPower.sum, intervalPower.weight, reportedWatts, restSeconds, restMeters,
        ] { writer.count(value) }
    }

    fileprivate init?(decoding reader: inout ByteReader) {
        var values: [Int] = []
        for _ in 0..<19 {
            guard let value = reader.count() else { return nil }
            values.append(value)
        }
        (strokes, splits, maximumWatts) = (values[0], values[1], values[2])
        heartRate = HeartRateTally(
            sum: values[3], count: values[4], minimum: UInt8(clamping: values[5]),
            maximum: UInt8(clamping: values[6]), last: UInt8(clamping: values[7]))
        calories = RunningTotal(finished: values[8], present: values[9])
        dragFactor = WeightedMean(sum: values[10], weight: values[11])
        strokePower = WeightedMean(sum: values[12], weight: values[13])
        intervalPower = WeightedMean(sum: values[14], weight: values[15])
        (reportedWatts, restSeconds, restMeters) = (values[16], values[17], values[18])
    }
}

// MARK: - Numbers of checkpoints

extension ByteWriter {
    /// A number that is never negative.
    mutating func count(_ value: Int) { varint(UInt64(max(0, value))) }

    /// Up to eight flags in a byte, the first in the lowest bit.
    fileprivate mutating func flags(_ flags: [Bool]) {
        var byte: UInt8 = 0
        for (bit, flag) in flags.enumerated() where flag { byte |= 1 << UInt8(bit) }
        uint8(byte)
    }

    fileprivate mutating func age(_ instant: BootInstant, _ now: BootInstant) {
        count(Int(instant.duration(to: now).wholeMilliseconds))
    }
}

extension ByteReader {
    /// nil at the end of the bytes, and for numbers that no session can reach.
    ///
    /// The limit leaves room for the products that are made of them: nanoseconds of an age in
    /// milliseconds, and the time for 500 m.
    mutating func count() -> Int? {
        guard let value = varint(), value < 1 << 40 else { return nil }
        return Int(value)
    }

    fileprivate mutating func flags(_ count: Int) -> [Bool]? {
        guard let byte = try? uint8() else { return nil }
        return (0..<count).map { byte & 1 << UInt8($0) != 0 }
    }

    fileprivate mutating func instant(before now: BootInstant) -> BootInstant? {
        count().map { now.advanced(by: .zero - .milliseconds($0)) }
    }
}
