import PM5Codec
import Timeline

/// How a session begins, ends and is closed. Changes `session`, `strokes`, `curves`, `joiner`, and
/// what the status says of `monitor` and `link`.
extension SessionMachine {
    mutating func receive(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        let next = monitor.take(packet)
        forgetProgram(unlessShownBy: packet)
        let end = endOfStarved(at: now)
        switch next {
        case .working: work(packet, end: end, at: now, into: &events)
        case .resting: session.rest(packet, at: now)
        case .over: session.finish(packet, at: end, noticed: now)
        case .waiting: session.end(at: end, noticed: now, isComplete: false)
        case .unchanged: break
        }
    }

    /// When a piece that is over by now ended: where no status came for long, with what was heard last.
    func endOfStarved(at now: BootInstant) -> BootInstant {
        guard !link.isReturning, link.isStarved(at: now) else { return now }
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
        takeAim(for: packet)
        publishEdge(.started, at: now, into: &events)
    }

    /// Publishes all there is of a session that is over, its summary included.
    mutating func close(at now: BootInstant, into events: inout [SessionEvent]) {
        takeSummaries()
        flush(at: now, into: &events)
        session.gaps.passHole(before: nil)
        if session.gaps.outage != nil || strokes.released < strokes.highest {
            let missing = strokes.released + 1..<max(strokes.released, strokes.highest) + 1
            session.declareGap(ofStrokes: missing, until: now, at: now, into: &events)
        }
        session.declareLastSplits(at: now, into: &events)
        publishEdge(.ended, at: now, into: &events)
        session.close()
        publishSummary(at: now, into: &events)
        strokes.reset()
        curves.reset()
        joiner.reset()
    }

    /// Gives out the strokes and the split under way as they are.
    mutating func flush(at now: BootInstant, into events: inout [SessionEvent]) {
        releaseStrokes(at: now, flush: true, into: &events)
        session.releaseSplit(at: now, flush: true, into: &events)
    }

    mutating func publishEdge(
        _ kind: SessionEdge.Kind, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        session.note(monitor.machine)
        let head = session.head
        var edge = SessionEdge(
            kind: kind, session: head.id, startedAt: head.startedAt, workout: head.workout, at: now)
        edge.machine = session.machine
        if kind == .ended, strokes.highest > 0, !session.gaps.hasUncounted {
            edge.monitorStrokes = strokes.highest
        }
        events.append(.session(edge))
    }
}
