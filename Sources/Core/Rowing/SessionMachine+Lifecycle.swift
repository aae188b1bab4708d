import PM5Codec
import Timeline

/// Begins, ends and closes sessions. Changes `session`, `strokes`, `curves`, `joiner`, and the status in
/// `monitor` and `link`.
extension SessionMachine {
    mutating func receive(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        let next = monitor.update(with: packet)
        clearProgrammedWorkout(unlessShownBy: packet)
        let end = pieceEnd(at: now)
        switch next {
        case .working: work(packet, end: end, at: now, into: &events)
        case .resting: session.rest(packet, at: now)
        case .over: session.finish(packet, at: end, noticed: now)
        case .waiting: session.end(at: end, noticed: now, isComplete: false)
        case .unchanged: break
        }
    }

    /// Returns when a piece that is over by now ended. If statuses were missing for long, that is the time
    /// of the last received value.
    func pieceEnd(at now: BootInstant) -> BootInstant {
        guard !link.isReturning, link.isStatusStale(at: now) else { return now }
        return min(now, max(link.lastStatus, session.gaps.lastStroke))
    }

    private mutating func work(
        _ packet: GeneralStatus, end: BootInstant, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        if isOpen, !session.continues(packet) {
            session.end(at: end, noticed: now, isComplete: false)
        }
        guard isOpen else {
            let isEvident = packet.rowingState == .active || link.early.hasStroke(of: packet)
            if isEvident { start(packet, at: now, into: &events) }
            return
        }
        session.work(packet, at: now)
    }

    mutating func start(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        if isCurrent { close(at: now, into: &events) }
        let isWhole = link.early.hasBeginning(of: packet)
        session = Session(
            makeSessionID(), packet, of: workout(shownBy: packet), isWhole: isWhole, at: now)
        applyPendingTargets(for: packet)
        publishTransition(.started, at: now, into: &events)
    }

    /// Publishes all remaining events of a session that is over, including its summary.
    mutating func close(at now: BootInstant, into events: inout [SessionEvent]) {
        processEarlySummaries()
        flush(at: now, into: &events)
        session.gaps.resolveSilence(before: nil)
        if session.gaps.outage != nil || strokes.released < strokes.highest {
            let missing = strokes.released + 1..<max(strokes.released, strokes.highest) + 1
            session.declareGap(ofStrokes: missing, until: now, at: now, into: &events)
        }
        session.declareGapOfMissingSplits(at: now, into: &events)
        publishTransition(.ended, at: now, into: &events)
        session.close()
        publishSummary(at: now, into: &events)
        strokes.reset()
        curves.reset()
        joiner.reset()
    }

    /// Releases the current strokes and the current split as they are.
    mutating func flush(at now: BootInstant, into events: inout [SessionEvent]) {
        releaseStrokes(at: now, flush: true, into: &events)
        session.releaseSplit(at: now, flush: true, into: &events)
    }

    mutating func publishTransition(
        _ kind: SessionTransition.Kind, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        session.note(monitor.machine)
        let head = session.head
        var edge = SessionTransition(
            kind: kind, session: head.id, startedAt: head.startedAt, workout: head.workout, at: now)
        edge.machine = session.machine
        if kind == .ended, strokes.highest > 0, !session.gaps.hasUncounted {
            edge.monitorStrokes = strokes.highest
        }
        events.append(.session(edge))
    }
}
