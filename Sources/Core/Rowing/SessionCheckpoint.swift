import Bytes
import PM5Codec
import Timeline

/// What a session machine must remember over a death of the gateway, in a few dozen bytes.
///
/// Times are kept as ages, so that it can be taken up on another boot's clock. Layout: version,
/// flags, then varints in the order of `code`; texts carry their length, packets the way they
/// came. A version that this code does not know does not decode: the session is then lost, not
/// misread.
package struct SessionCheckpoint: Equatable, Sendable {
    /// A layout that changes takes the next three numbers. Each version has its fields behind those of
    /// the one before; the lowest that has all that is to be stored is written, so that an older gateway
    /// can go on with a session, too.
    private static let version: UInt8 = 2
    /// Has a target.
    private static let versionWithTarget: UInt8 = 3
    /// Has equal intervals that were put on the monitor.
    private static let versionWithProgram: UInt8 = 4

    /// When it was taken, on the clock of that boot.
    package var at = BootInstant(nanoseconds: 0)
    var head = SessionHead()
    var phase = PiecePhase.waiting
    var isPaused = false
    /// What was being waited out when it was taken: since when the monitor had not been heard.
    var outageSince: BootInstant?
    var ledger = IntervalHistory()
    var strokes = StrokePosition()
    var releasedSplit = 0
    var totals = SessionTotals()
    var machine: ErgMachineType?
    var main: WorkoutSummary?
    var additional: AdditionalWorkoutSummary?
    var second: WorkoutSummary2?
    /// Whether the monitor's summary says something that no summary has told yet.
    var hasNews = false
    /// Whether strokes may be missing that have no number: at all, and in what is being waited out.
    var hasUncounted = false
    var isOutageUncounted = false
    /// What its strokes are held against, and came to so far.
    var targets = WorkoutTargets()
    var targetTotals = TargetTotals()
    /// What the next session is held against.
    var aim: TargetAim?
    /// Equal intervals that were put on the monitor.
    var program: Workout?

    /// Where the numbering of strokes stands.
    struct StrokePosition: Equatable {
        var leg = 0
        var base = 0
        var released = 0
        /// Above `released` where a stroke was under way.
        var highest = 0
        var elapsedCentiseconds: UInt32 = 0
    }

    /// The name that the session goes on under.
    package var session: SessionID { head.id }
    /// How the session began, for whoever goes on with it; nil when there is none to go on with.
    package var beginning: SessionEdge? {
        guard head.stage == .open || head.stage == .ending else { return nil }
        return SessionEdge(
            kind: .started, session: head.id, startedAt: head.startedAt, workout: head.workout,
            at: at)
    }
    /// Whether the session was under way.
    package var isOpen: Bool { head.stage == .open }
}

// MARK: - Bytes

/// Under 200 bytes; decoding gives the same checkpoint back, its times to the millisecond, and nil
/// for bytes of another version.
extension SessionCheckpoint: ByteCodable {
    package static var blank: SessionCheckpoint { SessionCheckpoint() }

    package mutating func code(with coder: inout ByteCoder) {
        let hasTarget = !targets.isEmpty || aim != nil
        let hasProgram = program != nil || head.workout.repetition != nil
        var version =
            hasProgram
            ? Self.versionWithProgram : hasTarget ? Self.versionWithTarget : Self.version
        version.code(with: &coder)
        guard (Self.version...Self.versionWithProgram).contains(version) else {
            return coder.refuse()
        }
        var flags = [
            head.isComplete, isPaused, outageSince != nil, machine != nil, hasNews, hasUncounted,
            isOutageUncounted, !totals.areCaloriesCertain,
        ]
        coder.flags(&flags)
        (isPaused, hasNews, hasUncounted) = (flags[1], flags[4], flags[5])
        isOutageUncounted = flags[6]
        phase.code(with: &coder)
        var (name, stage, revision) = (head.id.text, head.stage.number, head.revision)
        name.code(with: &coder)
        coder.milliseconds(&at)
        coder.count(&stage)
        coder.count(&revision)
        var (startedAt, endedAt, since) = (head.startedAt, head.endedAt, outageSince ?? at)
        coder.age(&startedAt, at: at)
        if stage > 0 { coder.age(&endedAt, at: at) }
        if flags[2] {
            coder.age(&since, at: at)
            outageSince = since
        }
        var workout = head.workout
        workout.codeShown(with: &coder)
        head = SessionHead(
            id: SessionID(name), startedAt: startedAt, workout: workout,
            stage: SessionHead.Stage(number: stage), endedAt: endedAt,
            isComplete: flags[0], revision: revision)
        ledger.code(with: &coder)
        coder.count(&strokes.leg)
        coder.count(&strokes.base)
        coder.count(&strokes.released)
        coder.count(&strokes.highest)
        coder.count(&strokes.elapsedCentiseconds)
        coder.count(&releasedSplit)
        totals.code(with: &coder)
        if flags[7] { totals.loseCalories() }
        if flags[3] {
            var type = machine ?? .modelD
            coder.code(&type)
            machine = type
        }
        let hasPace = main?.averagePaceDecisecondsPer500m != nil
        coder.packet(&main, hasPace ? .dedicated : .multiplexed)
        coder.packet(&additional, additional?.splitType != nil ? .dedicated : .multiplexed)
        coder.packet(&second, .multiplexed)
        guard version >= Self.versionWithTarget else { return }
        targets.code(with: &coder)
        targetTotals.code(with: &coder)
        aim.code(with: &coder)
        guard version >= Self.versionWithProgram else { return }
        program.code(with: &coder)
        var repetition = head.workout.repetition
        repetition.code(with: &coder)
        head.setRepetition(repetition)
    }
}

/// Without a session there is a checkpoint only where something was put on the monitor for the next.
extension SessionHead.Stage {
    private static let numbers: [SessionHead.Stage] = [.open, .ending, .closed, .absent]

    fileprivate var number: Int { Self.numbers.firstIndex(of: self) ?? 2 }

    fileprivate init(number: Int) {
        self = Self.numbers.indices.contains(number) ? Self.numbers[number] : .closed
    }
}

/// The repetition of a head's workout stands behind all that older versions have.
extension Workout: ByteCodable {
    package static var blank: Workout { Workout(type: .justRowWithoutSplits, target: .none) }

    package mutating func code(with coder: inout ByteCoder) {
        codeShown(with: &coder)
        repetition.code(with: &coder)
    }

    /// What the monitor shows.
    fileprivate mutating func codeShown(with coder: inout ByteCoder) {
        coder.code(&type)
        target.code(with: &coder)
    }
}

/// Each number is one more than it is, and 0 where there is none.
extension Workout.Repetition: ByteCodable {
    package static var blank: Workout.Repetition { Workout.Repetition(count: nil, rest: .undefined) }

    package mutating func code(with coder: inout ByteCoder) {
        var number = count.map { $0 + 1 } ?? 0
        var seconds = if case .seconds(let seconds) = rest { Int(seconds) + 1 } else { 0 }
        coder.count(&number)
        coder.count(&seconds)
        guard coder.isReading else { return }
        guard number <= WorkoutProgram.maximumIntervals + 1,
            seconds <= WorkoutProgram.maximumRestSeconds + 1
        else { return coder.refuse() }
        count = number > 0 ? number - 1 : nil
        rest = seconds > 0 ? .seconds(UInt16(seconds - 1)) : .undefined
    }
}

/// Both parts of it behind each other.
extension TargetAim: ByteCodable {
    package static var blank: TargetAim {
        TargetAim(
            targets: WorkoutTargets(), workout: .blank)
    }

    package mutating func code(with coder: inout ByteCoder) {
        targets.code(with: &coder)
        workout.codeShown(with: &coder)
    }
}

extension PiecePhase {
    /// A transition says nothing for itself and is never kept.
    private static let kept: [PiecePhase] = [.waiting, .working, .resting, .over]

    fileprivate mutating func code(with coder: inout ByteCoder) {
        var number = Self.kept.firstIndex(of: self) ?? 1
        coder.count(&number)
        guard Self.kept.indices.contains(number) else { return coder.refuse() }
        self = Self.kept[number]
    }
}

extension Workout.Target {
    mutating func code(with coder: inout ByteCoder) {
        var (kind, size): (Int, Int64) =
            switch self {
            case .none: (0, 0)
            case .distance(let length): (1, length.millimeters)
            case .time(let length): (2, length.wholeMilliseconds)
            case .calories(let count): (3, Int64(count))
            case .wattMinutes(let count): (4, Int64(count))
            }
        coder.count(&kind)
        if kind > 0 { coder.count(&size) }
        switch kind {
        case 0: self = .none
        case 1: self = .distance(Meters(millimeters: size))
        case 2: self = .time(.milliseconds(size))
        case 3: self = .calories(Int(size))
        case 4: self = .wattMinutes(Int(size))
        default: coder.refuse()
        }
    }
}

// MARK: - Numbers of checkpoints

extension ByteCoder {
    /// A number that is never negative, and below what any session can reach.
    ///
    /// The limit leaves room for the products that are made of them: nanoseconds of an age in
    /// milliseconds, and the time for 500 m.
    mutating func count<Number: FixedWidthInteger>(_ value: inout Number) {
        field(
            &value, write: { $0.varint(UInt64(clamping: $1)) },
            read: { $0.varint().flatMap { $0 < 1 << 40 ? Number(clamping: $0) : nil } })
    }

    fileprivate mutating func code(_ value: inout some WireEnumeration) {
        field(&value, write: { $0.code($1) }, read: { try? $0.code() })
    }

    fileprivate mutating func milliseconds(_ instant: inout BootInstant) {
        field(
            &instant, write: { $0.varint($1.nanoseconds / 1_000_000) },
            read: { reader in
                reader.varint().flatMap {
                    $0 < UInt64(Int64.max) / 1_000_000
                        ? BootInstant(nanoseconds: $0 * 1_000_000) : nil
                }
            })
    }

    /// An instant by the time from there to `now`.
    fileprivate mutating func age(_ instant: inout BootInstant, at now: BootInstant) {
        var milliseconds = instant.duration(to: now).wholeMilliseconds
        count(&milliseconds)
        if isReading { instant = now.earlier(by: .milliseconds(milliseconds)) }
    }

    /// 0 for none, else the way it came (1 dedicated, 2 multiplexed) and its bytes: the two layouts
    /// do not say the same.
    fileprivate mutating func packet<Payload: CharacteristicPayload>(
        _ payload: inout Payload?, _ carrier: Carrier
    ) {
        var way: UInt8 = payload == nil ? 0 : carrier == .dedicated ? 1 : 2
        way.code(with: &self)
        guard way > 0 else { return }
        field(
            &payload, write: { $1?.encode(into: &$0, carrier: carrier) },
            read: { reader in
                (try? Payload(decoding: &reader, carrier: way == 1 ? .dedicated : .multiplexed))
                    .map { .some($0) }
            })
    }
}
