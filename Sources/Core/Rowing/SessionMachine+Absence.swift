import PM5Codec
import Timeline

/// What becomes of a session whose monitor is away. Changes `link`, `monitor`, `curves`, and of the
/// session its gaps and its end.
extension SessionMachine {
    /// How long a session is held open for a monitor that is gone.
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
        guard !link.isOpen, isCurrent else { return }
        if let terminated = session.terminated, let outage = session.gaps.outage,
            terminated.duration(to: outage.waiting) <= WorkoutProcedure.readyLimit
        {
            session.gaps.giveUp()
            session.end(at: max(outage.since, terminated), noticed: now, isComplete: false)
        }
        guard !isOpen else { return }
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
    mutating func comeBack(_ packet: GeneralStatus, _ next: PiecePhase, at now: BootInstant) {
        guard isOpen, let outage = session.gaps.outage else { return }
        let away = outage.isTimed ? link.lastStatus.duration(to: now) : Session.longestPiece
        if session.isSamePiece(packet, next, after: away) {
            let isOfLeg = strokes.leg == session.ledger.leg.serial
            let lastStroke = isOfLeg ? Int64(strokes.lastElapsedCentiseconds) : 0
            session.rejoin(packet, lastStroke: lastStroke, at: now)
        } else {
            session.gaps.giveUp(returned: now)
            session.end(at: outage.since, noticed: outage.since, isComplete: false)
        }
    }
}

extension Session {
    /// Faster than any rower; what a monitor cannot have gained in a time is another piece.
    private static let fastestMetersPerSecond: Int64 = 8
    /// Status packets are up to a second old, and so is what we last heard.
    private static let slack = Duration.seconds(5)
    fileprivate static let longestPiece = Duration.seconds(24 * 3600)

    /// Whether the monitor can have come from where we lost it to what it shows now.
    fileprivate func isSamePiece(
        _ packet: GeneralStatus, _ next: PiecePhase, after away: Duration
    ) -> Bool {
        guard next != .waiting, head.workout.admits(packet) else { return false }
        let limit = (away + Self.slack).wholeMilliseconds / 10
        if !ledger.isInterval {
            let gained = Int64(packet.elapsedCentiseconds) - ledger.elapsed
            let rowed = Int64(packet.distanceDecimeters) - ledger.distance
            return (0...limit).contains(gained)
                && (0...limit * Self.fastestMetersPerSecond / 10).contains(rowed)
        }
        let finished = Int64(packet.totalWorkDistanceMeters) - Int64(ledger.reportedMeters)
        // An interval that is over adds to the distance; a restart without is that of a new piece.
        let hasRestarted =
            Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
            < ledger.leg.elapsed
        if next == .working, hasRestarted, finished == 0, !ledger.leg.isClosed { return false }
        let most = limit * Self.fastestMetersPerSecond / 100 + ledger.leg.distance / 10 + 2
        return (0...most).contains(finished)
    }
}
