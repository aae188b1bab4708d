import PM5Codec
import Timeline

/// Identity, times and stage of a session.
struct SessionHead: Equatable {
    /// The stage of a session; see `SessionStates.md`.
    enum Stage: CaseIterable {
        /// No session yet.
        case absent
        /// In progress, even while the link is closed.
        case open
        /// Over; its last packets and the monitor's summary may still arrive.
        case ending
        /// The summary is published; a later one of the monitor revises it.
        case closed
    }

    private(set) var id = SessionID("")
    private(set) var startedAt = BootInstant(nanoseconds: 0)
    private(set) var workout = Workout(type: .justRowWithoutSplits, target: .none)
    fileprivate(set) var stage = Stage.absent
    fileprivate(set) var endedAt = BootInstant(nanoseconds: 0)
    fileprivate(set) var isComplete = false
    /// Number of published summaries.
    fileprivate(set) var revision = 0

    mutating func setRepetition(_ repetition: Workout.Repetition?) {
        workout.repetition = repetition
    }
    mutating func setPhone(_ isSetByPhone: Bool) { workout.isSetByPhone = isSetByPhone }

    /// Returns the same head on the clock of another boot.
    func rebased(_ rebase: (BootInstant) -> BootInstant) -> SessionHead {
        var head = self
        head.startedAt = rebase(startedAt)
        if stage != .open { head.endedAt = rebase(endedAt) }
        return head
    }
}

/// All state of one session, from its first status to its last revision.
///
/// Each part encapsulates its state, and only this file changes the parts. Other files read them: `Stroke`,
/// `Split` and `Summary` build the published values, and `PieceBoundaries` decides where a session ends.
struct Session {
    private(set) var head = SessionHead()
    private(set) var intervals = IntervalHistory()
    private(set) var totals = SessionTotals()
    private(set) var splits = SplitAssembler()
    private(set) var summary = SummaryAssembler()
    private(set) var gaps = GapTracker(nil)
    private(set) var pauses = PauseDetector()
    /// The targets of its strokes.
    private(set) var targets = WorkoutTargets()
    private(set) var targetTotals = TargetTotals()
    /// The power packet of the last drive.
    private(set) var power: AdditionalStrokeData?
    private(set) var legOpened = BootInstant(nanoseconds: 0)
    /// When the end was noticed. The wait for the monitor's summary begins then.
    private(set) var noticedEnd = BootInstant(nanoseconds: 0)
    /// When the monitor accepted the command to end the piece.
    private(set) var terminated: BootInstant?
    /// The machine; nil until the monitor reports it. It does not change after the session is closed.
    private(set) var machine: ErgMachineType?
    /// Whether the end of the piece, and its final values, were received.
    private(set) var isEndSeen = false
    /// The last heart rate of the piece, in work or rest, and when it arrived.
    private(set) var lastHeartRate: (rate: UInt8, at: BootInstant)?

    /// Creates the empty state before the first session.
    init() {}

    /// Restores a session after a restart. It is unknown whether all values before it were received.
    ///
    /// - Parameters:
    ///   - checkpointTime: when the checkpoint was stored, on the present clock.
    ///   - rebased: returns an instant of the checkpoint on the present clock.
    ///   - outage: the time without values, if the session is open.
    init(
        from checkpoint: SessionCheckpoint, at checkpointTime: BootInstant,
        rebased: (BootInstant) -> BootInstant, outage: GapTracker.Outage
    ) {
        head = checkpoint.head.rebased(rebased)
        intervals = checkpoint.intervals
        totals = checkpoint.totals
        splits = SplitAssembler(released: checkpoint.releasedSplit)
        summary = SummaryAssembler(
            main: checkpoint.main, additional: checkpoint.additional, second: checkpoint.second,
            log: checkpoint.log, unpublishedSince: checkpoint.hasUnpublishedSummary ? checkpointTime : nil)
        gaps = GapTracker(checkpoint.isOpen ? outage : nil)
        gaps.resume(
            hasUncounted: checkpoint.hasUncounted, isOutageUncounted: checkpoint.isOutageUncounted)
        pauses = PauseDetector(isPaused: checkpoint.isPaused)
        machine = checkpoint.machine
        noticedEnd = head.endedAt
        (targets, targetTotals) = (checkpoint.targets, checkpoint.targetTotals)
        intervals.markInexact()
        // All strokes were published or declared missing; none are left once the session is closed.
        totals.add(missingStrokes: max(0, checkpoint.strokes.released - totals.strokes))
        gaps.markInexact(isCounted: isCurrent)
    }

    /// A session that is older than this at its first status was joined in the middle.
    private static let joinLimitCentiseconds: UInt32 = 1000

    /// Begins a session with the first status that shows rowing.
    ///
    /// - Parameters:
    ///   - workout: the workout in `packet`, with its repetition if known.
    ///   - isWhole: whether the first stroke was received, even if the status came late.
    init(
        _ id: SessionID, _ packet: GeneralStatus, of workout: Workout, isWhole: Bool = false,
        at now: BootInstant
    ) {
        let startedAt = now.earlier(by: .centiseconds(packet.elapsedCentiseconds))
        head = SessionHead(id: id, startedAt: startedAt, workout: workout, stage: .open)
        intervals.begin(packet)
        let isLate = packet.elapsedCentiseconds >= Self.joinLimitCentiseconds && !isWhole
        // The monitor counts only the strokes of the current interval.
        let isOfLaterInterval = !intervals.isTimeCertain
        gaps = GapTracker(
            isLate || isOfLaterInterval
                ? GapTracker.Outage(
                    reason: .linkLost, since: startedAt, waiting: startedAt, returned: now,
                    isRecovered: intervals.isTimeCertain) : nil, lastStroke: now)
        if isOfLaterInterval { gaps.noteUncountedStrokes() }
        pauses = PauseDetector(lastStrokeSign: now)
        legOpened = now
    }

    var isOpen: Bool { head.stage == .open }
    /// Whether stroke and split packets belong to it: until shortly after its end.
    var isCurrent: Bool { head.stage == .open || head.stage == .ending }
    /// Its ID; nil before the first session.
    var id: SessionID? { head.stage == .absent ? nil : head.id }

    /// Stores the machine type while the session is current.
    mutating func note(_ type: ErgMachineType?) {
        if isCurrent { machine = type ?? machine }
    }

    // MARK: - Work

    /// Whether a status can follow the last one in the same piece.
    ///
    /// In intervals, time and distance restart and the finished distance grows. In a single piece no value
    /// decreases.
    func continues(_ packet: GeneralStatus) -> Bool {
        guard head.workout.admits(packet) else { return false }
        if intervals.isInterval { return packet.totalWorkDistanceMeters >= intervals.reportedMeters }
        return Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
            >= intervals.totalElapsed
    }

    /// Applies a status during work.
    mutating func work(_ packet: GeneralStatus, at now: BootInstant) {
        if packet.strokeState == .driving || packet.strokeState == .dwellingAfterDrive {
            pauses.restart(at: now)
        }
        let wasClosed = intervals.leg.isClosed
        if intervals.work(packet, mayBeLate: mayBeLate(at: now)) == .newLeg {
            if !wasClosed { gaps.noteLegEnd() }
            legOpened = now
            pauses.restart(at: now)
        }
    }

    /// Applies a status between two intervals.
    mutating func rest(_ packet: GeneralStatus, at now: BootInstant) {
        guard isOpen else { return }
        let wasClosed = intervals.leg.isClosed
        intervals.rest(packet, mayBeLate: mayBeLate(at: now))
        if !wasClosed, intervals.leg.isClosed { gaps.noteLegEnd() }
    }

    /// Whether a status may belong to the previous interval, because strokes have just opened this one.
    private func mayBeLate(at now: BootInstant) -> Bool {
        legOpened.duration(to: now) < LinkTimeouts.staleAfter
    }

    /// Opens a leg because stroke numbers restarted before a status showed it.
    mutating func openLegByStroke(at now: BootInstant) {
        if !intervals.leg.isClosed { gaps.noteLegEnd() }
        intervals.openByStroke(isVariable: head.workout.type.isVariable)
        legOpened = now
    }

    // MARK: - Current values

    /// Notes the last heart rate, in work or rest.
    ///
    /// - Parameter isWorking: whether it counts in the average.
    mutating func note(heartRate rate: UInt8, isWorking: Bool, at now: BootInstant) {
        lastHeartRate = (rate, now)
        if isWorking, !pauses.isPaused { totals.add(heartRate: rate) }
    }

    /// Notes the monitor's average power of the piece.
    mutating func note(averageWatts: Int) { totals.note(averageWatts: averageWatts) }

    /// Notes the monitor's sum of calories.
    mutating func note(calories: Int) { totals.note(calories: calories) }

    /// Returns the transition between rowing and a pause; nil without a change.
    mutating func updatePause(
        _ status: GeneralStatus, _ phase: PiecePhase, receivedAt received: BootInstant
    ) -> SessionTransition.Kind? {
        pauses.update(status, phase, receivedAt: received)
    }

    /// Sets the targets of its strokes.
    mutating func setTargets(_ targets: WorkoutTargets) { self.targets = targets }

    /// Marks the sums as final. At the end of a single piece the monitor freezes its sums of the whole
    /// piece.
    mutating func noteFinal(_ packet: AdditionalStatus2) {
        guard isEndSeen, !intervals.isInterval, intervals.leg.end == .frozen,
            abs(Int64(packet.elapsedCentiseconds) - intervals.leg.elapsed) <= 10,
            Int(packet.totalCalories) == totals.calories.sum
        else { return }
        totals.finish()
    }

    /// Stores the repetition of a workout that was set after the rower had begun.
    mutating func note(_ repetition: Workout.Repetition?) { head.setRepetition(repetition) }

    /// Continues the same piece after an absence.
    ///
    /// - Parameters:
    ///   - away: time since the last status; nil if unknown.
    ///   - lastStroke: the monitor's time of the last received stroke of this leg.
    mutating func rejoin(
        _ packet: GeneralStatus, after away: Duration?, lastStroke: Int64, at now: BootInstant
    ) {
        gaps.rejoin(packet, at: now, from: intervals.leg.elapsed)
        pauses.restart(at: now)
        legOpened = now
        let missed = intervals.rejoin(packet, after: away, lastStroke: lastStroke)
        if missed.strokes { gaps.noteUncountedStrokes() }
        if missed.legs { totals.restartInterval(isWhole: !missed.strokes) }
    }

    /// Marks the first intervals of the workout as not received.
    mutating func markBeginningMissed(since begun: BootInstant) {
        intervals.noteMissedLegs()
        gaps.beginOutage(since: begun, at: begun)
        gaps.abandon(returned: begun)
    }

    /// Applies the monitor's count of splits or intervals.
    mutating func count(_ packet: AdditionalStatus2, in phase: PiecePhase) {
        guard intervals.count(packet.intervalCount, in: phase) else { return }
        gaps.noteUncountedStrokes()
        totals.restartInterval(isWhole: false)
    }

    // MARK: - Strokes

    /// Notes that a stroke has new content.
    mutating func noteStrokePacket(at now: BootInstant) { pauses.noteStroke(at: now) }

    /// Notes the power packet of the last drive.
    mutating func note(_ packet: AdditionalStrokeData) { power = packet }

    /// Notes how far the work of a leg went on, since no later status of it may arrive.
    mutating func noteWork(in packet: StrokeData, leg: Int) {
        intervals.noteStroke(
            elapsed: packet.elapsedCentiseconds, distance: packet.distanceDecimeters, leg: leg)
    }

    /// Appends a complete stroke, and a gap for the strokes before it that are missing.
    ///
    /// - Parameters:
    ///   - released: the number of the stroke that was published before it.
    ///   - readings: the monitor's values at the stroke.
    mutating func append(
        _ stroke: AssembledStroke, after released: Int, _ readings: MonitorReadings,
        at now: BootInstant, into events: inout [SessionEvent]
    ) {
        gaps.resolveSilence(before: stroke.firstSeen)
        if stroke.number > released + 1 || gaps.outage != nil {
            declareGap(
                ofStrokes: released + 1..<stroke.number, until: stroke.firstSeen, at: now,
                into: &events)
        }
        gaps.noteStroke(seen: stroke.firstSeen)
        totals.add(stroke, dragFactor: readings.dragFactor)
        let result = Stroke(stroke, of: self, readings, at: now)
        targetTotals.add(result.target, interval: result.interval)
        events.append(.stroke(result))
    }

    /// Appends a gap for the strokes that have not arrived by the end of the session, if any.
    mutating func declareGapOfMissingStrokes(
        released: Int, highest: Int, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        gaps.resolveSilence(before: nil)
        guard gaps.outage != nil || released < highest else { return }
        declareGap(
            ofStrokes: released + 1..<max(released, highest) + 1, until: now, at: now, into: &events)
    }

    /// Appends a gap of missing strokes, or an outage without missing strokes. The gap ends when values
    /// arrived again, otherwise at `end`.
    private mutating func declareGap(
        ofStrokes missing: Range<Int>, until end: BootInstant, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        totals.add(missingStrokes: missing.count)
        let outage = gaps.removeOutage()
        let since = outage?.since ?? gaps.lastStroke
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: outage?.reason ?? .notificationsLost,
                    strokes: missing.isEmpty ? nil : ClosedRange(missing),
                    isUncounted: outage?.isUncounted ?? false,
                    duration: since.duration(to: outage?.returned ?? end),
                    isRecovered: outage.map { $0.isRecovered && intervals.isTimeCertain } ?? true)))
    }

    // MARK: - Splits

    mutating func receive(_ packet: SplitData, at now: BootInstant) -> PacketOutcome {
        guard isCurrent else { return .stray }
        guard splits.receive(packet, at: now) else { return .duplicate }
        let number = splits.number(packet.splitNumber)
        intervals.settle(packet, number: number, belongsToPreviousLeg: now < legOpened)
        return .accepted
    }

    mutating func receive(_ packet: AdditionalSplitData) -> PacketOutcome {
        guard isCurrent else { return .stray }
        return splits.receive(packet) ? .accepted : .duplicate
    }

    /// Appends the current split if it is complete or overdue.
    ///
    /// - Parameter flush: appends it as it is.
    mutating func appendSplit(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        let released = splits.released
        guard let split = splits.next(at: now, flush: flush) else { return }
        declareGap(ofSplits: released + 1..<split.number, at: now, into: &events)
        gaps.noteSplit()
        let result = Split(split, of: self, at: now)
        totals.add(split, isInterval: intervals.isInterval)
        events.append(.split(result))
    }

    /// Appends a gap for the splits that have not arrived by the end of the session.
    func declareGapOfMissingSplits(at now: BootInstant, into events: inout [SessionEvent]) {
        let missing = splits.released + 1..<max(splits.released, expectedSplitCount) + 1
        declareGap(ofSplits: missing, at: now, into: &events)
    }

    /// Appends a gap of splits that the monitor sent but the gateway did not receive.
    private func declareGap(
        ofSplits missing: Range<Int>, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard !missing.isEmpty else { return }
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: gaps.splitReason ?? .notificationsLost,
                    splits: ClosedRange(missing), duration: .zero,
                    isRecovered: intervals.isTimeCertain)))
    }

    /// The number of splits or intervals that the monitor must have sent by the end of a session.
    ///
    /// If the piece was stopped early, it is unknown whether the monitor sent the last one.
    private var expectedSplitCount: Int {
        guard head.workout.type.hasSplits else { return 0 }
        guard head.isComplete else { return intervals.finalCount ?? intervals.finishedSplits }
        return summary.splitCount ?? intervals.finalCount ?? intervals.finishedSplits + 1
    }

    // MARK: - Absence

    /// Notes a time without values on an open link.
    mutating func noteSilence(since received: BootInstant, until now: BootInstant) {
        gaps.noteSilence(since: received, until: now)
    }

    /// Notes that no values arrive from `received` on; `now` is when the wait for the monitor begins.
    mutating func beginOutage(since received: BootInstant, at now: BootInstant) {
        gaps.beginOutage(since: received, at: now)
    }

    /// Ends a piece that did not continue after an outage, or whose monitor did not return.
    ///
    /// - Parameter returned: when values arrived again; nil if none did.
    mutating func abandon(
        at end: BootInstant, noticed now: BootInstant, returned: BootInstant? = nil
    ) {
        gaps.abandon(returned: returned)
        self.end(at: end, noticed: now, isComplete: false)
    }

    // MARK: - End

    /// Applies a status that shows the end of the piece.
    mutating func finish(_ packet: GeneralStatus, at end: BootInstant, noticed now: BootInstant) {
        guard isOpen else { return }
        if head.workout.admits(packet) {
            if !intervals.leg.isClosed { gaps.noteLegEnd() }
            intervals.finish(packet)
            isEndSeen = true
        }
        let reachedEnd = packet.workoutState != .terminate
        self.end(at: end, noticed: now, isComplete: reachedEnd && head.workout.type.hasEnd)
    }

    mutating func terminate(at now: BootInstant) { terminated = now }

    /// Ends the piece. Its last packets may still arrive.
    mutating func end(at end: BootInstant, noticed now: BootInstant, isComplete: Bool) {
        guard isOpen else { return }
        if !intervals.leg.isClosed { gaps.noteLegEnd() }
        intervals.end()
        head.stage = .ending
        head.endedAt = end
        noticedEnd = now
        head.isComplete = isComplete
        pauses.end()
    }

    /// Moves the end of an abandoned session, because more of its strokes arrived.
    mutating func prolong(until now: BootInstant) {
        guard head.stage == .ending else { return }
        intervals.end()
        head.endedAt = max(head.endedAt, now)
        noticedEnd = max(noticedEnd, now)
    }

    mutating func close() { head.stage = .closed }

    // MARK: - Summary

    mutating func receive(_ packet: WorkoutSummary, at now: BootInstant) -> PacketOutcome {
        guard belongs(packet) else { return .stray }
        return summary.receive(packet, at: now) ? .accepted : .duplicate
    }

    mutating func receive(_ packet: AdditionalWorkoutSummary, at now: BootInstant)
        -> PacketOutcome
    {
        belongs(packet.logged) && !summary.receive(packet, at: now) ? .duplicate : .accepted
    }

    mutating func receive(_ packet: WorkoutSummary2, at now: BootInstant) -> PacketOutcome {
        belongs(packet.logged) && !summary.receive(packet, at: now) ? .duplicate : .accepted
    }

    /// - Parameter result: when the monitor logged the result that the entry belongs to (`LogEntryMatcher`); nil if
    ///   unknown.
    mutating func receive(_ packet: LoggedWorkout, after result: LogTimestamp?, at now: BootInstant)
        -> PacketOutcome
    {
        guard let main = summary.main, main.logged == result else { return .stray }
        return summary.receive(packet, at: now) ? .accepted : .duplicate
    }

    /// Companion packets may arrive first. They are junk if the main packet is junk.
    private func belongs(_ logged: LogTimestamp) -> Bool {
        guard let main = summary.main else {
            return head.stage == .ending || head.stage == .closed
        }
        return main.logged == logged
    }

    /// Whether to close the session: its summary is complete or overdue.
    func isSummaryDue(at now: BootInstant) -> Bool {
        let isLate = noticedEnd.duration(to: now) >= SummaryAssembler.mainLimit
        return summary.isReady(at: now) || (isLate && summary.main == nil)
    }

    /// Returns the next summary and counts its revision; nil if its content equals the last one.
    mutating func nextSummary(at now: BootInstant) -> Summary? {
        var result = presentSummary(at: now)
        guard summary.recordIfChanged(result) else { return nil }
        head.revision += 1
        result.revision = head.revision
        return result
    }
}
