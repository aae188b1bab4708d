import PM5Codec
import Timeline

/// How a session begins, ends and is closed. Changes `session`, `strokes`, `curves`, `joiner`, and
/// what the status says of `monitor` and `link`.
extension SessionMachine {
    mutating func receive(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        let next = monitor.take(packet)
        if link.isReturning {
            link.endReturn()
            comeBack(packet, next, at: now)
        }
        switch next {
        case .working: work(packet, at: now, into: &events)
        case .resting: if isOpen { session.ledger.rest(packet) }
        case .over: session.finish(packet, at: now)
        case .waiting: session.end(at: now, isComplete: false)
        case .unchanged: break
        }
    }

    private mutating func work(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        if isOpen, !session.continues(packet) { session.end(at: now, isComplete: false) }
        guard isOpen else {
            let isEvident =
                packet.rowingState == .active || strokes.hasFresh(at: now)
                || link.early.hasStroke(of: packet)
            if isEvident { start(packet, at: now, into: &events) }
            return
        }
        session.work(packet, at: now)
    }

    private mutating func start(
        _ packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        if isCurrent { close(at: now, into: &events) }
        strokes.begin(at: now, elapsedCentiseconds: packet.elapsedCentiseconds)
        session = Session(makeSessionID(), packet, at: now)
        publishEdge(.started, at: now, into: &events)
    }

    /// Publishes all there is of a session that is over, its summary included.
    mutating func close(at now: BootInstant, into events: inout [SessionEvent]) {
        flush(at: now, into: &events)
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
        let head = session.head
        var edge = SessionEdge(
            kind: kind, session: head.id, startedAt: head.startedAt, workout: head.workout, at: now)
        edge.machine = monitor.machine
        if kind == .ended, strokes.highest > 0 { edge.monitorStrokes = strokes.highest }
        events.append(.session(edge))
    }
}
