import Bytes
import Timeline

/// The form in which a store keeps the metrics of a session. Changes every field but the name.
extension PieceMetrics {
    /// Codes all fields except the name, and the day, which depends on the club's calendar.
    package mutating func code(with coder: inout ByteCoder, in calendar: ClubCalendar) {
        machine.code(with: &coder)
        isMachineRecorded.code(with: &coder)
        startedAt.code(with: &coder)
        total.code(with: &coder)
        strokeCount.code(with: &coder)
        work.code(with: &coder)
        poweredCentiseconds.code(with: &coder)
        preset.code(with: &coder)
        coder.list(&faults, blank: .gap) { $0.choice(&$1, among: RankingFault.allCases) }
        for event in RankedEvent.all { efforts[event].code(with: &coder) }
        structure.code(with: &coder)
        if coder.isReading { startedOn = calendar.day(of: startedAt) }
    }
}

extension MachineKind: ByteCodable {
    package static var blank: MachineKind { .rower }
    package mutating func code(with coder: inout ByteCoder) { coder.choice(&self, among: Self.allCases) }
}

extension RankedEvent: ByteCodable {
    package static var blank: RankedEvent { .metres(2000) }
    package mutating func code(with coder: inout ByteCoder) { coder.choice(&self, among: Self.all) }
}

extension WorkPoint: ByteCodable {
    package static var blank: WorkPoint { WorkPoint(centiseconds: 0, decimetres: 0) }
    package mutating func code(with coder: inout ByteCoder) {
        centiseconds.code(with: &coder)
        decimetres.code(with: &coder)
    }
}

extension EffortWindow: ByteCodable {
    package static var blank: EffortWindow { EffortWindow() }

    private init() { (centiseconds, decimetres, from) = (0, 0, 0) }

    package mutating func code(with coder: inout ByteCoder) {
        centiseconds.code(with: &coder)
        decimetres.code(with: &coder)
        from.code(with: &coder)
    }
}

extension PieceStructure {
    fileprivate mutating func code(with coder: inout ByteCoder) {
        coder.choice(&shape, among: [.piece, .intervals])
        coder.list(&parts, blank: Part(centiseconds: 0, decimetres: 0)) { coder, part in
            part.centiseconds.code(with: &coder)
            part.decimetres.code(with: &coder)
            part.kilocalories.code(with: &coder)
        }
    }
}

extension WorkoutResult: ByteCodable {
    package static var blank: WorkoutResult { WorkoutResult([], isIntervals: false) }

    package mutating func code(with coder: inout ByteCoder) {
        var (parts, isIntervals, isComplete, inTarget) = (parts, isIntervals, isComplete, inTarget)
        coder.list(&parts, blank: Part(.metres(0), result: .blank)) { coder, part in
            part.extent.code(with: &coder)
            part.restSeconds.code(with: &coder)
            part.result.code(with: &coder)
        }
        isIntervals.code(with: &coder)
        isComplete.code(with: &coder)
        inTarget.code(with: &coder)
        guard coder.isReading else { return }
        self = WorkoutResult(parts, isIntervals: isIntervals, isComplete: isComplete, inTarget: inTarget)
    }
}

extension WorkoutResult.Extent {
    fileprivate mutating func code(with coder: inout ByteCoder) {
        var (isTime, length) =
            switch self {
            case .metres(let metres): (false, metres)
            case .seconds(let seconds): (true, seconds)
            }
        isTime.code(with: &coder)
        length.code(with: &coder)
        self = isTime ? .seconds(length) : .metres(length)
    }
}
