import Bytes
import PM5Codec
import Timeline

/// What a session machine must remember over a death of the gateway, in a few dozen bytes.
///
/// Times are kept as ages, so that it can be taken up on another boot's clock. Layout: version,
/// flags, then varints in the order of `encode`; texts carry their length, packets the way they
/// came. A version that this code does not know does not decode: the session is then lost, not
/// misread.
package struct SessionCheckpoint: Equatable, Sendable {
    private static let version: UInt8 = 2

    /// When it was taken, on the clock of that boot.
    package var at: BootInstant
    var head: SessionHead
    var phase: PiecePhase
    var isPaused: Bool
    /// What was being waited out when it was taken: since when the monitor had not been heard.
    var outageSince: BootInstant?
    var ledger: IntervalHistory
    var strokes: StrokePosition
    var releasedSplit: Int
    var totals: SessionTotals
    var machine: ErgMachineType?
    var main: WorkoutSummary?
    var additional: AdditionalWorkoutSummary?
    var second: WorkoutSummary2?
    /// Whether the monitor's summary says something that no summary has told yet.
    var hasNews: Bool
    /// Whether strokes may be missing that have no number: at all, and in what is being waited out.
    var hasUncounted: Bool
    var isOutageUncounted: Bool

    /// Where the numbering of strokes stands.
    struct StrokePosition: Equatable {
        var leg: Int
        var base: Int
        var released: Int
        /// Above `released` where a stroke was under way.
        var highest: Int
        var elapsedCentiseconds: UInt32
    }

    /// The name that the session goes on under.
    package var session: SessionID { head.id }
    /// Whether the session was under way.
    package var isOpen: Bool { head.stage == .open }
}

// MARK: - Bytes

extension SessionCheckpoint {
    /// Under 200 bytes; `init(decoding:)` gives the same checkpoint back, its times to the
    /// millisecond.
    package func encode() -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(Self.version)
        writer.flags([
            head.isComplete, isPaused, outageSince != nil, machine != nil, hasNews, hasUncounted,
            isOutageUncounted, !totals.areCaloriesCertain,
        ])
        writer.count(phase.number)
        writer.sized(head.id.text.utf8)
        writer.varint(at.nanoseconds / 1_000_000)
        writer.count(head.stage == .open ? 0 : head.stage == .ending ? 1 : 2)
        writer.count(head.revision)
        writer.age(head.startedAt, at)
        if head.stage != .open { writer.age(head.endedAt, at) }
        if let outageSince { writer.age(outageSince, at) }
        head.workout.encode(into: &writer)
        ledger.encode(into: &writer)
        writer.count(strokes.leg)
        writer.count(strokes.base)
        writer.count(strokes.released)
        writer.count(strokes.highest)
        writer.count(Int(strokes.elapsedCentiseconds))
        writer.count(releasedSplit)
        totals.encode(into: &writer)
        if let machine { writer.code(machine) }
        let hasPace = main?.averagePaceDecisecondsPer500m != nil
        writer.packet(main, hasPace ? .dedicated : .multiplexed)
        writer.packet(additional, additional?.splitType != nil ? .dedicated : .multiplexed)
        writer.packet(second, .multiplexed)
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
            let flags = reader.flags(8),
            let phase = reader.count().flatMap(PiecePhase.init(number:)),
            let name = reader.sized(),
            let milliseconds = reader.varint(), milliseconds < UInt64(Int64.max) / 1_000_000,
            let stage = reader.count(), let revision = reader.count()
        else { return nil }
        at = BootInstant(nanoseconds: milliseconds * 1_000_000)
        let id = SessionID(String(decoding: name, as: UTF8.self))
        guard let startedAt = reader.instant(before: at) else { return nil }
        let isOpen = stage == 0
        guard let endedAt = isOpen ? at : reader.instant(before: at) else { return nil }
        guard let since = flags[2] ? reader.instant(before: at) : at,
            let workout = Workout(decoding: &reader),
            let ledger = IntervalHistory(decoding: &reader),
            let position = reader.counts(5), let split = reader.count(),
            let totals = SessionTotals(decoding: &reader)
        else { return nil }
        head = SessionHead(
            id: id, startedAt: startedAt, workout: workout,
            stage: isOpen ? .open : stage == 1 ? .ending : .closed,
            endedAt: isOpen ? BootInstant(nanoseconds: 0) : endedAt, isComplete: flags[0],
            revision: revision)
        isPaused = flags[1]
        self.phase = phase
        outageSince = flags[2] ? since : nil
        hasNews = flags[4]
        (hasUncounted, isOutageUncounted) = (flags[5], flags[6])
        self.ledger = ledger
        strokes = StrokePosition(
            leg: position[0], base: position[1], released: position[2], highest: position[3],
            elapsedCentiseconds: UInt32(clamping: position[4]))
        releasedSplit = split
        self.totals = totals
        if flags[7] { self.totals.loseCalories() }
        do throws(DecodeError) {
            machine = flags[3] ? try reader.code() : nil
            main = try reader.packet()
            additional = try reader.packet()
            second = try reader.packet()
        } catch {
            return nil
        }
    }
}

extension PiecePhase {
    /// What stands for it in a checkpoint; a transition says nothing for itself and is never kept.
    fileprivate var number: Int {
        switch self {
        case .waiting: 0
        case .working, .unchanged: 1
        case .resting: 2
        case .over: 3
        }
    }

    fileprivate init?(number: Int) {
        guard
            let phase = [PiecePhase.waiting, .working, .resting, .over].first(where: {
                $0.number == number
            })
        else { return nil }
        self = phase
    }
}

extension Workout {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.code(type)
        target.encode(into: &writer)
    }

    fileprivate init?(decoding reader: inout ByteReader) {
        guard let type = try? reader.code(WorkoutType.self),
            let target = Target(decoding: &reader)
        else { return nil }
        self.init(type: type, target: target)
    }
}

extension Workout.Target {
    func encode(into writer: inout ByteWriter) {
        switch self {
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

    init?(decoding reader: inout ByteReader) {
        guard let kind = reader.count() else { return nil }
        guard kind > 0 else {
            self = .none
            return
        }
        guard let size = reader.count() else { return nil }
        switch kind {
        case 1: self = .distance(Meters(millimeters: Int64(size)))
        case 2: self = .time(.milliseconds(size))
        case 3: self = .calories(size)
        case 4: self = .wattMinutes(size)
        default: return nil
        }
    }
}

// MARK: - Numbers of checkpoints

extension ByteWriter {
    /// A number that is never negative.
    mutating func count(_ value: Int) { varint(UInt64(max(0, value))) }

    /// Up to eight flags in a byte, the first in the lowest bit.
    mutating func flags(_ flags: [Bool]) {
        var byte: UInt8 = 0
        for (bit, flag) in flags.enumerated() where flag { byte |= 1 << UInt8(bit) }
        uint8(byte)
    }

    fileprivate mutating func age(_ instant: BootInstant, _ now: BootInstant) {
        count(Int(instant.duration(to: now).wholeMilliseconds))
    }

    /// 0 for none, else the way it came (1 dedicated, 2 multiplexed) and its bytes: the two layouts
    /// do not say the same.
    fileprivate mutating func packet(
        _ payload: (some CharacteristicPayload)?, _ carrier: Carrier
    ) {
        guard let payload else { return uint8(0) }
        uint8(carrier == .dedicated ? 1 : 2)
        payload.encode(into: &self, carrier: carrier)
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

    /// `number` counts; nil where one of them is.
    mutating func counts(_ number: Int) -> [Int]? {
        var values: [Int] = []
        for _ in 0..<number {
            guard let value = count() else { return nil }
            values.append(value)
        }
        return values
    }

    /// The first flags of a byte, from its lowest bit; nil at the end of the bytes.
    mutating func flags(_ count: Int) -> [Bool]? {
        guard let byte = try? uint8() else { return nil }
        return (0..<count).map { byte & 1 << UInt8($0) != 0 }
    }

    fileprivate mutating func instant(before now: BootInstant) -> BootInstant? {
        count().map { now.advanced(by: .zero - .milliseconds($0)) }
    }

    fileprivate mutating func packet<Payload: CharacteristicPayload>() throws(DecodeError)
        -> Payload?
    {
        let way = try uint8()
        guard way > 0 else { return nil }
        return try Payload(decoding: &self, carrier: way == 1 ? .dedicated : .multiplexed)
    }
}
