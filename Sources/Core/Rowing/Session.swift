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
/// Each part encapsulates its state. Rules that need several parts are extensions, each in its own file.
struct Session {
    private(set) var head = SessionHead()
    var intervals = IntervalHistory()
    var totals = SessionTotals()
    var splits = SplitAssembler()
    var summary = SummaryAssembler()
    var gaps = GapTracker(nil)
    var pauses = PauseDetector()
    /// The targets of its strokes.
    var targets = WorkoutTargets()
    var targetTotals = TargetTotals()
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

    /// Restores a session from a checkpoint.
    init(
        head: SessionHead, intervals: IntervalHistory, totals: SessionTotals, splits: SplitAssembler,
        summary: SummaryAssembler, gaps: GapTracker, pauses: PauseDetector, machine: ErgMachineType?
    ) {
        self.machine = machine
        (self.head, self.intervals, self.totals) = (head, intervals, totals)
        (self.splits, self.summary, self.gaps, self.pauses) = (splits, summary, gaps, pauses)
        noticedEnd = head.endedAt
    }

    /// After a restart it is unknown whether all values before it were received.
    ///
    /// - Parameter strokes: number of strokes published or declared missing; 0 once the session is closed.
    mutating func markInexact(strokes: Int) {
        intervals.markInexact()
        totals.add(missingStrokes: max(0, strokes - totals.strokes))
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

    mutating func note(_ packet: AdditionalStrokeData) { power = packet }

    mutating func note(heartRate rate: UInt8, at now: BootInstant) { lastHeartRate = (rate, now) }

    /// Marks the sums as final. At the end of a single piece the monitor freezes its sums of the whole
    /// piece.
    mutating func noteFinal(_ packet: AdditionalStatus2) {
        guard isEndSeen, !intervals.isInterval, intervals.leg.isFinal,
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
        intervals.markCountUncertain()
        gaps.beginOutage(since: begun, at: begun)
        gaps.abandon(returned: begun)
    }

    /// Applies the monitor's count of splits or intervals.
    mutating func count(_ packet: AdditionalStatus2, in phase: PiecePhase) {
        guard intervals.count(packet.intervalCount, in: phase) else { return }
        gaps.noteUncountedStrokes()
        totals.restartInterval(isWhole: false)
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

    /// Counts and returns the revision of the next summary.
    mutating func revise() -> Int {
        head.revision += 1
        return head.revision
    }
}
