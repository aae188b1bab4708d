import Bytes
import PM5Codec
import Timeline

/// The state of a session machine that survives a crash of the gateway, in a few dozen bytes.
///
/// Times are stored as ages, so that another boot can restore them. Layout: version, flags, then varints in
/// the order of `code`. Strings have a length prefix; packets are stored in their original layout. An
/// unknown version does not decode: the session is then lost, but not misread.
package struct SessionCheckpoint: Equatable, Sendable {
    /// A changed layout takes the next numbers. Each version adds its fields at the end. A checkpoint
    /// uses the lowest version that has all its fields, so that an older gateway can also continue a
    /// session.
    private static let version: UInt8 = 2
    /// Adds a target.
    private static let versionWithTarget: UInt8 = 3
    /// Adds equal intervals that the gateway programmed.
    private static let versionWithProgram: UInt8 = 4
    /// Adds whether a phone set the workouts.
    private static let versionWithPhone: UInt8 = 5
    /// Adds the entry in the monitor's log.
    private static let versionWithLog: UInt8 = 6

    /// When it was created, on the clock of that boot.
    package var at = BootInstant(nanoseconds: 0)
    var head = SessionHead()
    var phase = PiecePhase.waiting
    var isPaused = false
    /// When the current outage began, if there was one.
    var outageSince: BootInstant?
    var intervals = IntervalHistory()
    var strokes = StrokePosition()
    var releasedSplit = 0
    var totals = SessionTotals()
    var machine: ErgMachineType?
    var main: WorkoutSummary?
    var additional: AdditionalWorkoutSummary?
    var second: WorkoutSummary2?
    var log: LoggedWorkout?
    /// Whether the monitor's summary has content that is not published yet.
    var hasUnpublishedSummary = false
    /// Whether strokes without a number may be missing: at all, and in the current outage.
    var hasUncounted = false
    var isOutageUncounted = false
    /// The targets of its strokes, and their results so far.
    var targets = WorkoutTargets()
    var targetTotals = TargetTotals()
    /// The targets for the next session.
    var pendingTargets: PendingTargets?
    /// Equal intervals that the gateway programmed on the monitor, or the workout that a phone has set.
    var programmedWorkout: Workout?

    /// The state of the stroke numbering.
    struct StrokePosition: Equatable {
        var leg = 0
        var base = 0
        var released = 0
        /// Above `released` if a stroke was in progress.
        var highest = 0
        var elapsedCentiseconds: UInt32 = 0
    }

    /// The ID of the session.
    package var session: SessionID { head.id }
    /// The start of the session, for the process that continues it; nil if there is no session.
    package var beginning: SessionTransition? {
        guard head.stage == .open || head.stage == .ending else { return nil }
        return SessionTransition(
            kind: .started, session: head.id, startedAt: head.startedAt, workout: head.workout,
            at: at)
    }
    /// Whether the session was in progress.
    package var isOpen: Bool { head.stage == .open }
}

extension SessionMachine {
    /// The state to store with the events so far; nil without a session, a programmed workout, and targets
    /// for the next session.
    package func checkpoint(at now: BootInstant) -> SessionCheckpoint? {
        guard session.id != nil || programmed.targets != nil || programmed.workout != nil else { return nil }
        let summary = session.summary
        return SessionCheckpoint(
            at: now, head: session.head, phase: monitor.phase, isPaused: session.pauses.isPaused,
            outageSince: session.gaps.outage?.since, intervals: session.intervals.checkpointValue,
            strokes: .init(
                leg: strokes.leg, base: strokes.base, released: strokes.released,
                highest: strokes.highest, elapsedCentiseconds: strokes.lastElapsedCentiseconds),
            releasedSplit: session.splits.released, totals: session.totals.checkpointValue,
            machine: session.machine ?? monitor.machine, main: summary.main,
            additional: summary.additional,
            second: summary.second, log: summary.log, hasUnpublishedSummary: summary.unpublishedSince != nil,
            hasUncounted: session.gaps.hasUncounted,
            isOutageUncounted: session.gaps.outage?.isUncounted ?? false,
            targets: session.targets, targetTotals: session.targetTotals, pendingTargets: programmed.targets,
            programmedWorkout: programmed.workout)
    }
}

extension SessionCheckpoint {
    /// Returns the last events of a session that does not continue: its last gap, its end and its summary.
    /// Empty if they were published already.
    ///
    /// - Parameter away: time since the checkpoint; nil if no clock can measure it.
    package func endingEvents(awayFor away: Duration?, at now: BootInstant) -> [SessionEvent] {
        guard head.stage == .open || head.stage == .ending else { return [] }
        var machine = SessionMachine { [session] in session }
        var events: [SessionEvent] = []
        machine.resume(from: self, awayFor: away, at: now, into: &events)
        // The current state of the erg is published by the process that holds its link.
        events = []
        machine.endWithoutMonitor(at: now, into: &events)
        return events
    }
}

// MARK: - Bytes

/// Under 200 bytes. Decoding restores the checkpoint, with times to the millisecond. Decoding another
/// version returns nil.
extension SessionCheckpoint: ByteCodable {
    package static var blank: SessionCheckpoint { SessionCheckpoint() }

    package mutating func code(with coder: inout ByteCoder) {
        let hasTarget = !targets.isEmpty || pendingTargets != nil
        let hasProgram = programmedWorkout != nil || head.workout.repetition != nil
        let isFromPhone = head.workout.isSetByPhone || programmedWorkout?.isSetByPhone == true
        var version = hasTarget ? Self.versionWithTarget : Self.version
        if hasProgram { version = Self.versionWithProgram }
        if isFromPhone { version = Self.versionWithPhone }
        if log != nil { version = Self.versionWithLog }
        version.code(with: &coder)
        guard (Self.version...Self.versionWithLog).contains(version) else {
            return coder.refuse()
        }
        var flags = [
            head.isComplete, isPaused, outageSince != nil, machine != nil, hasUnpublishedSummary,
            hasUncounted, isOutageUncounted, !totals.areCaloriesCertain,
        ]
        coder.flags(&flags)
        (isPaused, hasUnpublishedSummary, hasUncounted) = (flags[1], flags[4], flags[5])
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
        intervals.code(with: &coder)
        coder.count(&strokes.leg)
        coder.count(&strokes.base)
        coder.count(&strokes.released)
        coder.count(&strokes.highest)
        coder.count(&strokes.elapsedCentiseconds)
        coder.count(&releasedSplit)
        totals.code(with: &coder)
        if flags[7] { totals.markCaloriesUncertain() }
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
        pendingTargets.code(with: &coder)
        guard version >= Self.versionWithProgram else { return }
        programmedWorkout.code(with: &coder)
        var repetition = head.workout.repetition
        repetition.code(with: &coder)
        head.setRepetition(repetition)
        guard version >= Self.versionWithPhone else { return }
        var phone = [head.workout.isSetByPhone, programmedWorkout?.isSetByPhone == true]
        coder.flags(&phone)
        head.setPhone(phone[0])
        programmedWorkout?.isSetByPhone = phone[1]
        guard version >= Self.versionWithLog else { return }
        coder.packet(&log, .dedicated)
    }
}

/// Without a session, a checkpoint exists only if a workout or target was set for the next one.
extension SessionHead.Stage {
    private static let numbers: [SessionHead.Stage] = [.open, .ending, .closed, .absent]

    fileprivate var number: Int { Self.numbers.firstIndex(of: self) ?? 2 }

    fileprivate init(number: Int) {
        self = Self.numbers.indices.contains(number) ? Self.numbers[number] : .closed
    }
}

/// The repetition of a head's workout, and who set it, follow the fields of older versions.
extension Workout: ByteCodable {
    package static var blank: Workout { Workout(type: .justRowWithoutSplits, target: .none) }

    package mutating func code(with coder: inout ByteCoder) {
        codeShown(with: &coder)
        repetition.code(with: &coder)
    }

    /// Codes the part that the monitor shows.
    fileprivate mutating func codeShown(with coder: inout ByteCoder) {
        coder.code(&type)
        target.code(with: &coder)
    }
}

/// Each number is stored plus one; 0 means none.
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

/// Stores both parts in sequence.
extension PendingTargets: ByteCodable {
    package static var blank: PendingTargets {
        PendingTargets(
            targets: WorkoutTargets(), workout: .blank)
    }

    package mutating func code(with coder: inout ByteCoder) {
        targets.code(with: &coder)
        workout.codeShown(with: &coder)
    }
}

extension PiecePhase {
    /// `unchanged` is never stored.
    private static let storable: [PiecePhase] = [.waiting, .working, .resting, .over]

    fileprivate mutating func code(with coder: inout ByteCoder) {
        var number = Self.storable.firstIndex(of: self) ?? 1
        coder.count(&number)
        guard Self.storable.indices.contains(number) else { return coder.refuse() }
        self = Self.storable[number]
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
    /// Codes a number between 0 and a limit that no session reaches.
    ///
    /// The limit prevents overflow in later products: nanoseconds of an age in milliseconds, and the time
    /// for 500 m.
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

    /// Codes an instant as its age at `now`.
    fileprivate mutating func age(_ instant: inout BootInstant, at now: BootInstant) {
        var milliseconds = instant.duration(to: now).wholeMilliseconds
        count(&milliseconds)
        if isReading { instant = now.earlier(by: .milliseconds(milliseconds)) }
    }

    /// Codes 0 for none, otherwise the carrier (1 dedicated, 2 multiplexed) and the bytes. The two layouts
    /// differ.
    fileprivate mutating func packet<Payload: CharacteristicPayload>(
        _ payload: inout Payload?, _ carrier: Carrier
    ) {
        var carrierCode: UInt8 = payload == nil ? 0 : carrier == .dedicated ? 1 : 2
        carrierCode.code(with: &self)
        guard carrierCode > 0 else { return }
        field(
            &payload, write: { $1?.encode(into: &$0, carrier: carrier) },
            read: { reader in
                (try? Payload(decoding: &reader, carrier: carrierCode == 1 ? .dedicated : .multiplexed))
                    .map { .some($0) }
            })
    }
}
