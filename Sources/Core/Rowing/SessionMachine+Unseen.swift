import PM5Codec
import Timeline

/// Creates sessions for pieces that were over before a status showed them. A busy monitor may send no
/// status for as long as a rower needs for a hundred metres. A piece may also end before the first status
/// of a link. The packets of such pieces wait in `link.early`. Changes `link` and `session`.
extension SessionMachine {
    /// Recovers the pieces before `packet`, the first status since, unless it shows them in progress.
    ///
    /// The last one stays open. The status, or the absence of the monitor, ends it. A nil `packet` means
    /// that the link closed.
    mutating func recoverUnseenPieces(
        before packet: GeneralStatus?, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard hasUnseen(before: packet, at: now) else { return }
        let (isNewLink, opening) = (monitor.status == nil, opening(before: packet))
        let phase = packet?.workoutState.phase
        var (rest, hasUnseen) = (link.drainEarly()[...], false)
        while let piece = rest.unseenPiece(
            before: packet, isInterval: opening.workoutType.isInterval,
            isJoined: isNewLink && !hasUnseen)
        {
            let first = rest[piece.lowerBound]
            endUnseen(at: first.at)
            for entry in rest[..<piece.lowerBound] {
                if entry.packet.isSummaryPacket {
                    processSummary(entry.packet, at: entry.at)
                } else {
                    count(.stray)
                }
            }
            if hasUnseen || !belongsToAbandonedSession(first) {
                start(opening, with: first, isJoined: isNewLink && !hasUnseen, into: &events)
            }
            for entry in rest[piece] {
                process(entry.packet, at: entry.at, into: &events)
                session.prolong(until: entry.at)
                publishDue(at: entry.at, into: &events)
            }
            (rest, hasUnseen) = (rest[piece.upperBound...], true)
        }
        // If the status does not end the piece, it ended with its result or before the next piece.
        let end = rest.first {
            $0.packet.strokeCount == 1 || phase != .over && $0.packet.isSummaryPacket
        }
        let canContinue = end == nil && packet.map(session.intervals.canContinue) ?? true
        if end != nil || hasUnseen && !canContinue { endUnseen(at: end?.at ?? now) }
        link.prepend(rest)
    }

    private func hasUnseen(before packet: GeneralStatus?, at now: BootInstant) -> Bool {
        guard !link.isReturning else { return false }
        // If a session is open, strokes before the first status belong to it.
        if monitor.status == nil { return !isOpen && link.early.firstStroke != nil }
        return (packet == nil || link.isStatusStale(at: now)) && link.early.hasBeginning
    }

    /// Whether a stroke belongs to the session that was abandoned while it waited for a status.
    private func belongsToAbandonedSession(_ entry: EarlyPackets.Entry) -> Bool {
        guard session.head.stage == .ending, let count = entry.packet.strokeCount else {
            return false
        }
        let elapsed = entry.packet.pieceCentiseconds ?? 0
        guard session.intervals.isInterval else {
            return !strokes.isReleased(count) && elapsed >= strokes.lastElapsedCentiseconds
        }
        let away = link.lastStatus.duration(to: entry.at).wholeMilliseconds / 10
        return !session.intervals.isLongEnoughForAnotherPiece(in: away, elapsed: Int64(elapsed))
    }

    /// - Parameter isJoined: whether strokes before `first` may have been missed while the link was closed.
    private mutating func start(
        _ opening: GeneralStatus, with first: EarlyPackets.Entry, isJoined: Bool,
        into events: inout [SessionEvent]
    ) {
        var opening = opening
        if isJoined { opening.elapsedCentiseconds = first.packet.pieceCentiseconds ?? 0 }
        start(opening, at: first.at, into: &events)
        if isJoined, session.intervals.isInterval { session.markBeginningMissed(since: first.at) }
    }

    /// Recovers a piece of which only the end is known. Either the first status of a link shows an end, and
    /// the monitor was waiting or in another piece before. Or the result of the piece arrived.
    mutating func recoverPieceFromEnd(
        before packet: GeneralStatus, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard monitor.status == nil, !isOpen else { return }
        let result = link.early.result.flatMap { session.belongs($0.packet) ? nil : $0 }
        let isOver = packet.phase == .over && (result != nil || isAnotherEnd(packet, at: now))
        guard let end = isOver ? now : result?.at else { return }
        let elapsed = isOver ? packet.elapsedCentiseconds : result?.packet.elapsedCentiseconds ?? 0
        let begun = end.earlier(by: .centiseconds(elapsed))
        // The buffered packets belong to this piece, not to the session that is closed here.
        let early = link.drainEarly()
        start(opening(before: packet), at: begun, into: &events)
        link.prepend(early[...])
        session.gaps.beginOutage(since: begun, at: end)
        if isOver {
            rejoin(packet, after: begun.duration(to: now), at: now)
        } else {
            session.gaps.abandon(returned: end)
            session.end(at: end, noticed: now, isComplete: false)
        }
    }

    /// Whether the piece whose end is shown was rowed since the last status.
    private func isAnotherEnd(_ packet: GeneralStatus, at now: BootInstant) -> Bool {
        let hasReceivedStatus = link.lastStatus.nanoseconds > 0
        let away = link.lastStatus.duration(to: now)
        return (hasReceivedStatus && monitor.phase == .waiting || session.gaps.isAbandoned(at: now))
            && packet.elapsedCentiseconds > 0 && .centiseconds(packet.elapsedCentiseconds) <= away
    }

    private mutating func endUnseen(at now: BootInstant) {
        session.end(at: pieceEnd(at: now), noticed: now, isComplete: false)
    }

    /// The status that would have begun the piece: with the workout at its end, or else the workout before
    /// it.
    private func opening(before packet: GeneralStatus?) -> GeneralStatus {
        let isOfEnd = packet?.workoutState.phase == .over
        var opening = (isOfEnd ? packet : monitor.status) ?? packet ?? .blank
        if opening.workoutType == .menu { opening = .blank }
        (opening.elapsedCentiseconds, opening.distanceDecimeters) = (0, 0)
        opening.totalWorkDistanceMeters = 0
        return opening
    }
}
