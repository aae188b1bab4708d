import PM5Codec
import Timeline

/// What becomes of a session whose monitor is away. Changes `link`, `monitor`, `curves`,
/// `program`, and of the session its gaps and its end.
extension SessionMachine {
    /// How long a session is held open for a monitor that is gone, from the moment its link closed. A
    /// link that falls silent (`LinkSilence`) or that nobody uses is closed first. No other limit of
    /// time ends a session.
    package static let absenceLimit = Duration.seconds(600)

    /// Subscriptions stand. `machine` is what the monitor says it is mounted on, where it does.
    package mutating func linkOpened(
        at now: BootInstant, machine: ErgMachineType? = nil, into events: inout [SessionEvent]
    ) {
        link.open(isReturning: isOpen)
        monitor.note(machine)
        settle(at: now, into: &events)
    }

    /// The link is gone. A session under way stays open until the monitor is back or long gone.
    package mutating func linkClosed(at now: BootInstant, into events: inout [SessionEvent]) {
        takeUnseen(before: nil, at: now, into: &events)
        if isCurrent, !link.isReturning { flush(at: now, into: &events) }
        if isOpen { session.gaps.lose(since: link.lastHeard, at: now) }
        link.close()
        monitor.closeLink()
        curves.reset()
        settle(at: now, into: &events)
    }

    /// The monitor accepted the command to end its piece, which its next statuses will show.
    package mutating func terminationAccepted(at now: BootInstant) { session.terminate(at: now) }

    /// The monitor without a link is left to somebody else, who may keep it for hours.
    ///
    /// A session that is over is closed at once, since no summary can come, and so is one that the
    /// monitor was just told to end: it ends where that was accepted, and what happened since the
    /// monitor was last heard is declared as a gap. A piece under way stays open.
    package mutating func monitorReleased(at now: BootInstant, into events: inout [SessionEvent]) {
        guard !link.isOpen else { return }
        if isCurrent, let terminated = session.terminated, let outage = session.gaps.outage,
            terminated.duration(to: outage.waiting) <= WorkoutProcedure.readyLimit
        {
            session.gaps.giveUp()
            session.end(at: max(outage.since, terminated), noticed: now, isComplete: false)
        }
        guard !isOpen else { return }
        link.letGo()
        program = nil
        guard isCurrent else { return }
        close(at: now, into: &events)
        publishState(into: &events)
    }

    /// Ends a session for which nobody waits any longer.
    mutating func endAbsence(at now: BootInstant) {
        guard isOpen, let outage = session.gaps.outage, outage.returned == nil,
            outage.waiting.duration(to: now) >= Self.absenceLimit
        else { return }
        session.gaps.giveUp()
        session.end(at: outage.since, noticed: outage.since, isComplete: false)
    }

    /// The first status after an absence decides whether the session goes on.
    mutating func comeBack(_ packet: GeneralStatus, at now: BootInstant) {
        guard link.isReturning else { return }
        link.endReturn()
        guard isOpen, let outage = session.gaps.outage else { return }
        let away = outage.isTimed ? link.lastStatus.duration(to: now) : nil
        if !isEarlyOfAnother(packet), session.isSamePiece(packet, after: away) {
            rejoin(packet, after: away, at: now)
        } else {
            session.gaps.giveUp(returned: now)
            session.end(at: outage.since, noticed: outage.since, isComplete: false)
        }
    }

    /// Whether what came on this link before the status tells of a piece behind the one that was left:
    /// a result and more, or strokes that were told.
    private func isEarlyOfAnother(_ packet: GeneralStatus) -> Bool {
        let isInterval = session.ledger.isInterval
        if packet.phase != .over, link.early.result != nil { return true }
        if link.early.hasStrokeBehindResult { return true }
        if link.early.hasNext(isInterval: isInterval, before: packet) { return true }
        // The last one may come once more, with its recovery.
        guard !isInterval, let count = link.early.firstStroke?.packet.strokeCount else {
            return false
        }
        return strokes.isTold(count) && strokes.isTold(count &+ 1)
    }

    mutating func rejoin(_ packet: GeneralStatus, after away: Duration?, at now: BootInstant) {
        let isOfLeg = strokes.leg == session.ledger.leg.serial
        let lastStroke = isOfLeg ? Int64(strokes.lastElapsedCentiseconds) : 0
        session.rejoin(packet, after: away, lastStroke: lastStroke, at: now)
    }
}

extension Session {
    /// Status packets are up to a second old, and so is what we last heard.
    private static let slack: Int64 = 500

    /// Whether the monitor can have come from where we lost it to what it shows now.
    ///
    /// - Parameter away: nil where nobody knows.
    fileprivate func isSamePiece(_ packet: GeneralStatus, after away: Duration?) -> Bool {
        guard packet.phase != .waiting, head.workout.admits(packet) else { return false }
        let passed = away.map { $0.wholeMilliseconds / 10 }
        let limit = (passed ?? IntervalHistory.longestPiece) + Self.slack
        let gained = Int64(packet.elapsedCentiseconds) - ledger.leg.elapsed
        if !ledger.isInterval {
            let rowed = Int64(packet.distanceDecimeters) - ledger.distance
            return (0...limit).contains(gained) && isClockRight(packet, gained, after: passed)
                && (0...limit * IntervalHistory.fastestMetersPerSecond / 10).contains(rowed)
        }
        let finished = Int64(packet.totalWorkDistanceMeters) - Int64(ledger.reportedMeters)
        let leg = ledger.leg
        if packet.phase == .working, finished == 0, !leg.isClosed {
            // It is in the same interval.
            return gained + IntervalHistory.jitterCentiseconds >= 0
                && isClockRight(packet, gained, after: passed)
        }
        // An interval that is over has added what was rowed of it, at least.
        let isOver = finished > 0 || packet.workoutState == .intervalRest
        let least = isOver && !leg.isClosed ? leg.distance / 10 - 1 : 0
        let most = limit * IntervalHistory.fastestMetersPerSecond / 100 + leg.distance / 10 + 2
        return least <= finished && finished <= most
            && (packet.phase != .working || Int64(packet.elapsedCentiseconds) <= limit)
    }

    /// Whether the clock of a piece or an interval, which stands still for nobody but in a just row,
    /// shows what it must; nobody asks where there was no time for another piece.
    private func isClockRight(
        _ packet: GeneralStatus, _ gained: Int64, after passed: Int64?
    ) -> Bool {
        guard packet.phase == .working, !head.workout.type.isJustRow, let passed else {
            return true
        }
        return abs(gained - passed) <= Self.slack
            || !ledger.hadTimeForAnother(
                in: passed, meters: packet.totalWorkDistanceMeters,
                elapsed: Int64(packet.elapsedCentiseconds))
    }
}
