import PM5Codec
import Timeline

/// What names and frames a session.
struct SessionHead: Equatable {
    /// How far a session has come; `SessionStates.md` draws it.
    enum Stage: CaseIterable {
        /// None has been seen yet.
        case absent
        /// Under way, also while its monitor is away.
        case open
        /// Over; its last packets and the monitor's summary may still come.
        case ending
        /// Its summary is out; a later one of the monitor revises it.
        case closed
    }

    private(set) var id = SessionID("")
    private(set) var startedAt = BootInstant(nanoseconds: 0)
    private(set) var workout = Workout(type: .justRowWithoutSplits, target: .none)
    fileprivate(set) var stage = Stage.absent
    fileprivate(set) var endedAt = BootInstant(nanoseconds: 0)
    fileprivate(set) var isComplete = false
    /// Summaries published.
    fileprivate(set) var revision = 0

    mutating func setRepetition(_ repetition: Workout.Repetition?) {
        workout.repetition = repetition
    }

    /// The same head on the clock of another boot.
    func rebased(_ rebase: (BootInstant) -> BootInstant) -> SessionHead {
        var head = self
        head.startedAt = rebase(startedAt)
        if stage != .open { head.endedAt = rebase(endedAt) }
        return head
    }
}

/// All that exists for one session alone, from the status that began it to its last revision.
///
/// Each part keeps its own state to itself; the rules that need several parts are extensions, one
/// file each.
struct Session {
    private(set) var head = SessionHead()
    var ledger = IntervalHistory()
    var totals = SessionTotals()
    var splits = SplitAssembler()
    var summary = SummaryAssembler()
    var gaps = GapWatch(nil)
    var pauses = PauseWatch()
    /// What its strokes are held against.
    var targets = WorkoutTargets()
    var targetTotals = TargetTotals()
    /// Of the last drive.
    private(set) var power: AdditionalStrokeData?
    private(set) var legOpened = BootInstant(nanoseconds: 0)
    /// When we learned of the end: the monitor's summary is waited for from there.
    private(set) var noticedEnd = BootInstant(nanoseconds: 0)
    /// When the monitor accepted the command to end the piece.
    private(set) var terminated: BootInstant?
    /// What it is rowed on; nil as long as the monitor has not told. Once the session is closed it stays,
    /// wherever the monitor is moved to.
    private(set) var machine: ErgMachineType?
    /// Whether the monitor showed that the piece was over, and with which figures.
    private(set) var isEndSeen = false
    /// The last heart rate of the piece, in work and in rest, and when it came.
    private(set) var lastHeartRate: (rate: UInt8, at: BootInstant)?

    /// No session yet.
    init() {}

    /// A session that was begun before this process, as a checkpoint tells of it.
    init(
        head: SessionHead, ledger: IntervalHistory, totals: SessionTotals, splits: SplitAssembler,
        summary: SummaryAssembler, gaps: GapWatch, pauses: PauseWatch, machine: ErgMachineType?
    ) {
        self.machine = machine
        (self.head, self.ledger, self.totals) = (head, ledger, totals)
        (self.splits, self.summary, self.gaps, self.pauses) = (splits, summary, gaps, pauses)
        noticedEnd = head.endedAt
    }

    /// Of what came before this process a checkpoint does not tell whether it was all there was.
    ///
    /// - Parameter strokes: how many were published or declared missing; 0 once it is closed.
    mutating func loseExactness(strokes: Int) {
        ledger.loseExactness()
        totals.add(missingStrokes: max(0, strokes - totals.strokes))
        gaps.loseExactness(isCounted: isCurrent)
    }

    /// A session that is this old when it is first seen was joined in the middle.
    private static let joinLimitCentiseconds: UInt32 = 1000

    /// Begins with the first status that shows somebody rowing.
    ///
    /// - Parameters:
    ///   - workout: what `packet` shows, with what else is known of it.
    ///   - isWhole: its first stroke was received, however late the status came.
    init(
        _ id: SessionID, _ packet: GeneralStatus, of workout: Workout, isWhole: Bool = false,
        at now: BootInstant
    ) {
        let startedAt = now.earlier(by: .centiseconds(packet.elapsedCentiseconds))
        head = SessionHead(id: id, startedAt: startedAt, workout: workout, stage: .open)
        ledger.begin(packet)
        let isLate = packet.elapsedCentiseconds >= Self.joinLimitCentiseconds && !isWhole
        // The monitor counts the strokes of an interval alone.
        let isOfLaterInterval = !ledger.isTimeCertain
        gaps = GapWatch(
            isLate || isOfLaterInterval
                ? GapWatch.Outage(
                    reason: .linkLost, since: startedAt, waiting: startedAt, returned: now,
                    isRecovered: ledger.isTimeCertain) : nil, lastStroke: now)
        if isOfLaterInterval { gaps.missStrokes() }
        pauses = PauseWatch(lastSign: now)
        legOpened = now
    }

    var isOpen: Bool { head.stage == .open }
    /// Whether packets of strokes and splits belong to it: also shortly after its end.
    var isCurrent: Bool { head.stage == .open || head.stage == .ending }
    /// Its name; nil before the first session.
    var id: SessionID? { head.stage == .absent ? nil : head.id }

    /// Takes in what the monitor is mounted on, while the session is current.
    mutating func note(_ type: ErgMachineType?) {
        if isCurrent { machine = type ?? machine }
    }

    // MARK: - Work

    /// Whether a status can follow the last one in the same piece.
    ///
    /// In intervals time and distance restart and the finished distance grows; in a single piece
    /// nothing goes back.
    func continues(_ packet: GeneralStatus) -> Bool {
        guard head.workout.admits(packet) else { return false }
        if ledger.isInterval { return packet.totalWorkDistanceMeters >= ledger.reportedMeters }
        return Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
            >= ledger.elapsed
    }

    /// Takes in a status while the rower works.
    mutating func work(_ packet: GeneralStatus, at now: BootInstant) {
        if packet.strokeState == .driving || packet.strokeState == .dwellingAfterDrive {
            pauses.restart(at: now)
        }
        let wasClosed = ledger.leg.isClosed
        if ledger.work(packet, mayBeLate: mayBeLate(at: now)) == .newLeg {
            if !wasClosed { gaps.missEnd() }
            legOpened = now
            pauses.restart(at: now)
        }
    }

    /// Takes in a status between two intervals.
    mutating func rest(_ packet: GeneralStatus, at now: BootInstant) {
        guard isOpen else { return }
        let wasClosed = ledger.leg.isClosed
        ledger.rest(packet, mayBeLate: mayBeLate(at: now))
        if !wasClosed, ledger.leg.isClosed { gaps.missEnd() }
    }

    /// Whether a status may be of the interval before the one that strokes have opened.
    private func mayBeLate(at now: BootInstant) -> Bool {
        legOpened.duration(to: now) < LinkSilence.staleAfter
    }

    /// The packets of strokes began anew before a status told of it.
    mutating func openLegByStroke(at now: BootInstant) {
        if !ledger.leg.isClosed { gaps.missEnd() }
        ledger.openByStroke(isVariable: head.workout.type.isVariable)
        legOpened = now
    }

    mutating func note(_ packet: AdditionalStrokeData) { power = packet }

    mutating func note(heartRate rate: UInt8, at now: BootInstant) { lastHeartRate = (rate, now) }

    /// The monitor's sums stand still at the end of a single piece, and are those of all of it.
    mutating func noteFinal(_ packet: AdditionalStatus2) {
        guard isEndSeen, !ledger.isInterval, ledger.leg.isFinal,
            abs(Int64(packet.elapsedCentiseconds) - ledger.leg.elapsed) <= 10,
            Int(packet.totalCalories) == totals.calories.sum
        else { return }
        totals.finish()
    }

    /// Its workout was put on the monitor when the rower had begun already.
    mutating func note(_ repetition: Workout.Repetition?) { head.setRepetition(repetition) }

    /// The monitor is back in the same piece.
    ///
    /// - Parameters:
    ///   - away: since it was last heard; nil where nobody knows.
    ///   - lastStroke: the monitor's time of the last stroke that was heard in this leg.
    mutating func rejoin(
        _ packet: GeneralStatus, after away: Duration?, lastStroke: Int64, at now: BootInstant
    ) {
        gaps.rejoin(packet, at: now, from: ledger.leg.elapsed)
        pauses.restart(at: now)
        legOpened = now
        let missed = ledger.rejoin(packet, after: away, lastStroke: lastStroke)
        if missed.strokes { gaps.missStrokes() }
        if missed.legs { totals.restartInterval(isWhole: !missed.strokes) }
    }

    /// It is one of intervals, of which nobody heard the first ones.
    mutating func missBeginning(since begun: BootInstant) {
        ledger.loseCount()
        gaps.lose(since: begun, at: begun)
        gaps.giveUp(returned: begun)
    }

    /// Takes in how many splits or intervals the monitor counts.
    mutating func count(_ packet: AdditionalStatus2, in phase: PiecePhase) {
        guard ledger.count(packet.intervalCount, in: phase) else { return }
        gaps.missStrokes()
        totals.restartInterval(isWhole: false)
    }

    // MARK: - End

    /// Takes in a status that says the piece is over.
    mutating func finish(_ packet: GeneralStatus, at end: BootInstant, noticed now: BootInstant) {
        guard isOpen else { return }
        if head.workout.admits(packet) {
            if !ledger.leg.isClosed { gaps.missEnd() }
            ledger.finish(packet)
            isEndSeen = true
        }
        let reachedEnd = packet.workoutState != .terminate
        self.end(at: end, noticed: now, isComplete: reachedEnd && head.workout.type.hasEnd)
    }

    mutating func terminate(at now: BootInstant) { terminated = now }

    /// The piece is over; what belongs to it may still come.
    mutating func end(at end: BootInstant, noticed now: BootInstant, isComplete: Bool) {
        guard isOpen else { return }
        if !ledger.leg.isClosed { gaps.missEnd() }
        ledger.end()
        head.stage = .ending
        head.endedAt = end
        noticedEnd = now
        head.isComplete = isComplete
        pauses.end()
    }

    /// Where it was given up, strokes of it have come after all.
    mutating func prolong(until now: BootInstant) {
        guard head.stage == .ending else { return }
        ledger.end()
        head.endedAt = max(head.endedAt, now)
        noticedEnd = max(noticedEnd, now)
    }

    mutating func close() { head.stage = .closed }

    /// The number of the next summary.
    mutating func revise() -> Int {
        head.revision += 1
        return head.revision
    }
}
