import PM5Codec
import Timeline

/// Handles a session whose link is closed. Changes `link`, `monitor`, `curves`, `programmedWorkout`, and
/// the session's gaps and end.
extension SessionMachine {
    /// How long a session stays open after its link closed. No other time limit ends a session. A silent
    /// (`LinkTimeouts`) or unused link is closed first.
    package static let absenceLimit = Duration.seconds(600)

    /// The subscriptions are active. `machine` is the machine type that the monitor reports, if any.
    package mutating func linkOpened(
        at now: BootInstant, machine: ErgMachineType? = nil, into events: inout [SessionEvent]
    ) {
        link.noteLinkOpened(isReturning: isOpen)
        monitor.note(machine)
        publishDue(at: now, into: &events)
    }

    /// The link closed. An open session stays open for `absenceLimit`.
    package mutating func linkClosed(at now: BootInstant, into events: inout [SessionEvent]) {
        recoverUnseenPieces(before: nil, at: now, into: &events)
        if isCurrent, !link.isReturning { flush(at: now, into: &events) }
        if isOpen { session.gaps.beginOutage(since: link.lastReceived, at: now) }
        link.noteLinkClosed()
        monitor.closeLink()
        curves.reset()
        publishDue(at: now, into: &events)
    }

    /// The monitor accepted the command to end its piece. Its next statuses show the end.
    package mutating func terminationAccepted(at now: BootInstant) { session.terminate(at: now) }

    /// The monitor, which has no link, was released to another device, perhaps for hours.
    ///
    /// No summary can arrive any more, so a session that is over is closed at once. The same applies to a
    /// session that was just terminated: it ends when the monitor accepted the command. The time since the
    /// last value becomes a gap. A piece in progress stays open.
    package mutating func monitorReleased(at now: BootInstant, into events: inout [SessionEvent]) {
        guard !link.isOpen else { return }
        if isCurrent, let terminated = session.terminated, let outage = session.gaps.outage,
            terminated.duration(to: outage.waiting) <= WorkoutProcedure.readyLimit
        {
            session.gaps.abandon()
            session.end(at: max(outage.since, terminated), noticed: now, isComplete: false)
        }
        guard !isOpen else { return }
        link.forgetStatus()
        programmedWorkout = nil
        guard isCurrent else { return }
        close(at: now, into: &events)
        publishState(into: &events)
    }

    /// Ends a session whose monitor was absent for `absenceLimit`.
    mutating func endAfterAbsence(at now: BootInstant) {
        guard isOpen, let outage = session.gaps.outage, outage.returned == nil,
            outage.waiting.duration(to: now) >= Self.absenceLimit
        else { return }
        session.gaps.abandon()
        session.end(at: outage.since, noticed: outage.since, isComplete: false)
    }

    /// Decides with the first status after an absence whether the session continues.
    mutating func handleReturn(_ packet: GeneralStatus, at now: BootInstant) {
        guard link.isReturning else { return }
        link.endReturn()
        guard isOpen, let outage = session.gaps.outage else { return }
        let away = outage.isTimed ? link.sinceLastStatus(at: now) : nil
        if !belongsToNextPiece(packet), session.isSamePiece(packet, after: away) {
            rejoin(packet, after: away?.upperBound, at: now)
        } else {
            session.gaps.abandon(returned: now)
            session.end(at: outage.since, noticed: outage.since, isComplete: false)
        }
    }

    /// Whether the packets before this first status show a piece after the absent one: a result and later
    /// packets, or strokes that were already released.
    private func belongsToNextPiece(_ packet: GeneralStatus) -> Bool {
        let isInterval = session.intervals.isInterval
        if packet.phase != .over, link.early.result != nil { return true }
        if link.early.hasStrokeAfterResult { return true }
        if link.early.hasNext(isInterval: isInterval, before: packet) { return true }
        // The last stroke may be repeated with its recovery.
        guard !isInterval, let count = link.early.firstStroke?.packet.strokeCount else {
            return false
        }
        return strokes.isReleased(count) && strokes.isReleased(count &+ 1)
    }

    mutating func rejoin(_ packet: GeneralStatus, after away: Duration?, at now: BootInstant) {
        let isOfLeg = strokes.leg == session.intervals.leg.serial
        let lastStroke = isOfLeg ? Int64(strokes.lastElapsedCentiseconds) : 0
        session.rejoin(packet, after: away, lastStroke: lastStroke, at: now)
    }
}

extension Session {
    /// A status can be a second old, and so can the last one before the absence.
    private static let toleranceCentiseconds: Int64 = 500

    /// Whether the monitor can have come from its last known values to those in `packet`.
    ///
    /// - Parameter away: the time since those values, within limits; nil if unknown.
    fileprivate func isSamePiece(
        _ packet: GeneralStatus, after away: ClosedRange<Duration>?
    ) -> Bool {
        guard packet.phase != .waiting, head.workout.admits(packet) else { return false }
        let passed = away.map {
            $0.lowerBound.wholeMilliseconds / 10...$0.upperBound.wholeMilliseconds / 10
        }
        let longest = passed?.upperBound ?? IntervalHistory.longestPiece
        let limit = longest + Self.toleranceCentiseconds
        let gained = Int64(packet.elapsedCentiseconds) - intervals.leg.elapsed
        if !intervals.isInterval {
            let gainedDecimeters = Int64(packet.distanceDecimeters) - intervals.totalDistance
            return (0...limit).contains(gained) && isClockRight(packet, gained, after: passed)
                && (0...limit * IntervalHistory.fastestMetersPerSecond / 10).contains(gainedDecimeters)
        }
        let finished = Int64(packet.totalWorkDistanceMeters) - Int64(intervals.reportedMeters)
        let leg = intervals.leg
        if packet.phase == .working, finished == 0, !leg.isClosed {
            // The same interval continues.
            return gained + IntervalHistory.jitterCentiseconds >= 0
                && isClockRight(packet, gained, after: passed)
        }
        // A finished interval has added at least the distance that was received.
        let isOver = finished > 0 || packet.workoutState == .intervalRest
        let least = isOver && !leg.isClosed ? leg.distance / 10 - 1 : 0
        let most = limit * IntervalHistory.fastestMetersPerSecond / 100 + leg.distance / 10 + 2
        return least <= finished && finished <= most
            && (packet.phase != .working || Int64(packet.elapsedCentiseconds) <= limit)
    }

    /// Whether the time of the piece or interval matches the absence. Only in a just row can the time stand
    /// still. Always true if the absence was too short for another piece.
    private func isClockRight(
        _ packet: GeneralStatus, _ gained: Int64, after passed: ClosedRange<Int64>?
    ) -> Bool {
        guard packet.phase == .working, !head.workout.type.isJustRow, let passed else {
            return true
        }
        let expected =
            passed.lowerBound - Self.toleranceCentiseconds...passed.upperBound
            + Self.toleranceCentiseconds
        return expected.contains(gained)
            || !intervals.isLongEnoughForAnotherPiece(
                in: passed.upperBound, meters: packet.totalWorkDistanceMeters,
                elapsed: Int64(packet.elapsedCentiseconds))
    }
}
