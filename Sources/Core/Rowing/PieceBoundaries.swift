import PM5Codec
import Timeline

/// Decides to which piece a packet or status belongs. Changes nothing.
///
/// Packets of strokes and results can arrive before the status that shows their piece, or after its statuses
/// were lost. Then the numbers and times in them decide.
extension SessionMachine {
    // MARK: - Packets

    /// Whether a packet has to wait for the next status, because only that status shows its piece.
    ///
    /// Strokes and results can arrive before the status that begins or ends their piece, or after its
    /// statuses were lost. *Unexplained* packets arrive before the first status of a link. An *unseen*
    /// piece has strokes but no status.
    func mustAwaitStatus(_ notification: Notification, at now: BootInstant) -> Bool {
        let isUnexplained = monitor.status == nil
        if notification.isSummaryPacket {
            // A result after strokes of an unseen piece belongs to that piece.
            let isOfUnseen = isUnexplained && !session.hasResult(notification.logged)
            let isUnseen =
                session.head.stage != .ending && (isOfUnseen || link.early.hasBeginning)
            return (isOpen || isUnseen) && (isUnexplained || link.isStatusStale(at: now))
        }
        guard !isUnexplained else { return true }
        if notification.strokeCount == 0 { return false }
        switch session.head.stage {
        case .open: return link.mayHaveMissedEnd(at: now) && startsNextPiece(notification)
        case .absent, .closed: return true
        case .ending:
            // A force curve has no stroke number. It belongs to the next piece if that piece's stroke 1 has
            // arrived.
            guard let count = notification.strokeCount else { return link.early.hasBeginning }
            // A stroke with a number that was published already belongs to the next piece, which counts from 1.
            return strokes.isReleased(count) || isAfterEnd(notification, at: now)
        }
    }

    /// Whether the piece in the last status, and the piece of the packet, both began after the end of the
    /// session.
    ///
    /// Both checks are needed. An interval that was stopped after one stroke and the next piece both have a
    /// stroke 1, so the number does not decide.
    private func isAfterEnd(_ notification: Notification, at now: BootInstant) -> Bool {
        guard let status = monitor.status, status.workoutState.phase != .over,
            let elapsed = notification.pieceCentiseconds
        else { return false }
        let screenBegan = link.lastStatus.earlier(by: .centiseconds(status.elapsedCentiseconds))
        let packetBegan = now.earlier(by: .centiseconds(elapsed))
        return min(screenBegan, packetBegan) > session.head.endedAt
    }

    /// Whether stroke numbers restarted in a piece without intervals.
    private func startsNextPiece(_ notification: Notification) -> Bool {
        guard !session.intervals.isInterval else { return false }
        switch notification {
        case _ where link.early.hasStrokes: return true
        case .strokeData(let packet):
            return strokes.isRestart(
                count: packet.strokeCount, elapsedCentiseconds: packet.elapsedCentiseconds,
                isPower: false)
        case .additionalStrokeData(let packet):
            return strokes.isRestart(
                count: packet.strokeCount, elapsedCentiseconds: packet.elapsedCentiseconds,
                isPower: true)
        default: return false
        }
    }

    /// Whether a stroke belongs to the session that was abandoned while it waited for a status.
    func belongsToAbandonedSession(_ entry: EarlyPackets.Entry) -> Bool {
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

    // MARK: - Statuses

    /// Returns when a piece that is over by now ended. If statuses were missing for long, that is the time
    /// of the last received value.
    func pieceEnd(at now: BootInstant) -> BootInstant {
        guard !link.isReturning, link.isStatusStale(at: now) else { return now }
        return min(now, max(link.lastStatus, session.gaps.lastStroke))
    }

    /// Whether the packets before this first status show a piece after the absent one: a result and later
    /// packets, or strokes that were already released.
    func belongsToNextPiece(_ packet: GeneralStatus) -> Bool {
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

    /// Whether packets of a piece that no status showed are buffered. A nil `packet` means that the link
    /// closed.
    func mayHaveUnseenPieces(before packet: GeneralStatus?, at now: BootInstant) -> Bool {
        guard !link.isReturning else { return false }
        // If a session is open, strokes before the first status belong to it.
        if monitor.status == nil { return !isOpen && link.early.firstStroke != nil }
        return (packet == nil || link.isStatusStale(at: now)) && link.early.hasBeginning
    }

    /// Whether the piece whose end is shown was rowed since the last status.
    func isAnotherEnd(_ packet: GeneralStatus, at now: BootInstant) -> Bool {
        let hasReceivedStatus = link.lastStatus.nanoseconds > 0
        let away = link.lastStatus.duration(to: now)
        return (hasReceivedStatus && monitor.phase == .waiting || session.gaps.isAbandoned(at: now))
            && packet.elapsedCentiseconds > 0 && .centiseconds(packet.elapsedCentiseconds) <= away
    }

    /// The status that would have begun the piece: with the workout at its end, or else the workout before
    /// it.
    func opening(before packet: GeneralStatus?) -> GeneralStatus {
        let isOfEnd = packet?.workoutState.phase == .over
        var opening = (isOfEnd ? packet : monitor.status) ?? packet ?? .blank
        if opening.workoutType == .menu { opening = .blank }
        (opening.elapsedCentiseconds, opening.distanceDecimeters) = (0, 0)
        opening.totalWorkDistanceMeters = 0
        return opening
    }
}

/// Decides which results and statuses belong to a session. Changes nothing.
extension Session {
    /// Whether the last session has the monitor's result with this log entry.
    func hasResult(_ logged: LogTimestamp?) -> Bool {
        head.stage == .closed && summary.main != nil && summary.main?.logged == logged
    }

    /// Whether a result belongs to the current or last session.
    ///
    /// A summary may be read before the status that ends its piece. A late summary of the previous piece
    /// may arrive during a new session. Then only the values decide.
    func belongs(_ packet: WorkoutSummary) -> Bool {
        switch head.stage {
        case .absent: return false
        case .open:
            return abs(Int64(packet.elapsedCentiseconds) - intervals.totalElapsed) <= 200
                && abs(Int64(packet.distanceDecimeters) - intervals.totalDistance) <= 100
        case .ending: return true
        case .closed:
            guard summary.main == nil else { return hasResult(packet.logged) }
            return packet.workoutType == head.workout.type
                && Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
                    >= intervals.totalElapsed
        }
    }

    /// A status can be a second old, and so can the last one before the absence.
    private static let toleranceCentiseconds: Int64 = 500

    /// Whether the monitor can have come from its last known values to those in `packet`.
    ///
    /// - Parameter away: the time since those values, within limits; nil if unknown.
    func isSamePiece(
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
