import PM5Codec
import Timeline

/// Pieces of which no status has told before they were over. They lie inside a time without one, since a
/// monitor may be too busy for any while somebody rows a hundred metres, or they were over before a
/// link that came back had told its first one. What came of them waited in `link.early`; here they get a
/// session. Changes `link` by taking it out, and `session`.
extension SessionMachine {
    /// Takes the pieces of which `packet`, the first status since, says nothing, or says the end.
    ///
    /// The last of them is left open: the status, or the monitor's absence, ends it. nil stands for a
    /// link that is gone.
    mutating func takeUnseen(
        before packet: GeneralStatus?, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard hasUnseen(before: packet, at: now) else { return }
        let (isNewLink, opening) = (monitor.status == nil, opening(before: packet))
        let phase = packet?.workoutState.phase
        var (rest, hasUnseen) = (link.takeEarly()[...], false)
        while let piece = rest.unseenPiece(
            before: packet, isInterval: opening.workoutType.isInterval,
            isJoined: isNewLink && !hasUnseen)
        {
            let first = rest[piece.lowerBound]
            endUnseen(at: first.at)
            for entry in rest[..<piece.lowerBound] {
                if entry.packet.isOfSummary {
                    takeSummary(entry.packet, at: entry.at)
                } else {
                    count(.stray)
                }
            }
            if hasUnseen || !isOfGivenUp(first) {
                start(opening, with: first, isJoined: isNewLink && !hasUnseen, into: &events)
            }
            for entry in rest[piece] {
                take(entry.packet, at: entry.at, into: &events)
                session.prolong(until: entry.at)
                settle(at: entry.at, into: &events)
            }
            (rest, hasUnseen) = (rest[piece.upperBound...], true)
        }
        // What the status does not end has ended where its result came, or another piece began.
        let end = rest.first {
            $0.packet.strokeCount == 1 || phase != .over && $0.packet.isOfSummary
        }
        let goesOn = end == nil && packet.map(session.ledger.goesOn) ?? true
        if end != nil || hasUnseen && !goesOn { endUnseen(at: end?.at ?? now) }
        link.putBack(rest)
    }

    private func hasUnseen(before packet: GeneralStatus?, at now: BootInstant) -> Bool {
        guard !link.isReturning else { return false }
        // Of a session that goes on, the strokes before the first status are its own.
        if monitor.status == nil { return !isOpen && link.early.firstStroke != nil }
        return (packet == nil || link.isStarved(at: now)) && link.early.hasBeginning
    }

    /// Whether a stroke is of the session that was given up for the status that it waited for.
    private func isOfGivenUp(_ entry: EarlyPackets.Entry) -> Bool {
        guard session.head.stage == .ending, let count = entry.packet.strokeCount else {
            return false
        }
        let elapsed = entry.packet.pieceCentiseconds ?? 0
        guard session.ledger.isInterval else {
            return !strokes.isTold(count) && elapsed >= strokes.lastElapsedCentiseconds
        }
        let away = link.lastStatus.duration(to: entry.at).wholeMilliseconds / 10
        return !session.ledger.hadTimeForAnother(in: away, elapsed: Int64(elapsed))
    }

    /// - Parameter isJoined: strokes before `first` may have been made while the link was away.
    private mutating func start(
        _ opening: GeneralStatus, with first: EarlyPackets.Entry, isJoined: Bool,
        into events: inout [SessionEvent]
    ) {
        var opening = opening
        if isJoined { opening.elapsedCentiseconds = first.packet.pieceCentiseconds ?? 0 }
        start(opening, at: first.at, into: &events)
        if isJoined, session.ledger.isInterval { session.missBeginning(since: first.at) }
    }

    /// Takes a piece of which only the end is known: the first status of a link shows it, and the
    /// monitor waited for a rower, or was in another piece, when it was last heard; or its result came.
    mutating func takeUnheard(
        before packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard monitor.status == nil, !isOpen else { return }
        let result = link.early.result.flatMap { session.belongs($0.packet) ? nil : $0 }
        let isOver = packet.phase == .over && (result != nil || isAnotherEnd(packet, at: now))
        guard let end = isOver ? now : result?.at else { return }
        let elapsed = isOver ? packet.elapsedCentiseconds : result?.packet.elapsedCentiseconds ?? 0
        let begun = end.earlier(by: .centiseconds(elapsed))
        // What waits is of this piece, not of the session that is closed here.
        let early = link.takeEarly()
        start(opening(before: packet), at: begun, into: &events)
        link.putBack(early[...])
        session.gaps.lose(since: begun, at: end)
        if isOver {
            rejoin(packet, after: begun.duration(to: now), at: now)
        } else {
            session.gaps.giveUp(returned: end)
            session.end(at: end, noticed: now, isComplete: false)
        }
    }

    /// Whether a piece whose end is shown was rowed since the monitor was last heard.
    private func isAnotherEnd(_ packet: GeneralStatus, at now: BootInstant) -> Bool {
        let wasHeard = link.lastStatus.nanoseconds > 0
        let away = link.lastStatus.duration(to: now)
        return (wasHeard && monitor.phase == .waiting || session.gaps.isGivenUp(at: now))
            && packet.elapsedCentiseconds > 0 && .centiseconds(packet.elapsedCentiseconds) <= away
    }

    private mutating func endUnseen(at now: BootInstant) {
        session.end(at: endOfStarved(at: now), noticed: now, isComplete: false)
    }

    /// What a status would have said as the piece began: the workout that the monitor shows at its end,
    /// or else the one that it showed before.
    private func opening(before packet: GeneralStatus?) -> GeneralStatus {
        let isOfEnd = packet?.workoutState.phase == .over
        var opening = (isOfEnd ? packet : monitor.status) ?? packet ?? .blank
        if opening.workoutType == .menu { opening = .blank }
        (opening.elapsedCentiseconds, opening.distanceDecimeters) = (0, 0)
        opening.totalWorkDistanceMeters = 0
        return opening
    }
}
