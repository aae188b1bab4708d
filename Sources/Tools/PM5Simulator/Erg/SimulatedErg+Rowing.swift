import PM5Codec

/// Advances the time and the rower. Changes `piece`, `pieceCount` and `ended`, the rower's
/// intentions (`wantsToRow`, `wantedPause`), the use noted by `power`, and the drive's curve in
/// `control`.
extension SimulatedErg {
    // MARK: - Strokes

    /// The first movement of the flywheel.
    mutating func beginPiece() {
        guard piece == nil, state == .waitToBegin else { return }
        schedule.remove { if case .piece = $0 { true } else { false } }
        ended = nil
        pieceCount += 1
        wantsToRow = repeats
        control.joinedRunningPiece = false
        piece = Piece(workout, number: pieceCount, at: now)
        state = workingState
        record(.init(.session, sessionFields(edge: "started")))
        if case .afterMilliseconds(let stop) = rowerStop {
            schedule.add(.rowerPressesMenu, at: now + stop)
        }
        beginStroke(after: nil)
    }

    var workingState: WorkoutState {
        guard workout.hasIntervals else { return .workoutRow }
        return piece?.currentInterval.isTimed == true ? .intervalWorkTime : .intervalWorkDistance
    }

    mutating func beginStroke(after previous: Stroke?) {
        var next = strokes.next(after: previous, at: now)
        if previous == nil { next.startMeters = 0 }
        piece?.stroke = next
        if previous != nil { schedule.add(.catchOfNextStroke, at: next.catchMilliseconds) }
        schedule.add(.finish, at: next.finishMilliseconds)
        scheduleBoundaries()
    }

    /// The end of a drive: the count increases and the stroke is sent.
    mutating func finishDrive() {
        guard let stroke = piece?.stroke else { return }
        power.noteUse(at: now)
        piece?.strokeCount = stroke.number
        control.finishedDrive = stroke
        updateAverages(stroke)
        var pending = pendingStroke(stroke)
        pending.isSent = send(pending.data)
        pending.isSent = send(pending.additional) && pending.isSent
        piece?.pending = pending
        sendForceCurve(stroke)
        if let milliseconds = wantedPause {
            beginPause(milliseconds)
        } else {
            beginStroke(after: stroke)
        }
    }

    /// The end of the recovery: the same stroke again, with its own recovery time.
    mutating func completeStroke() {
        guard let next = piece?.stroke else { return }
        completeStroke(recoveryMilliseconds: next.recoveryMilliseconds)
    }

    private mutating func completeStroke(recoveryMilliseconds: Int) {
        guard var pending = piece?.pending else { return }
        pending.data.elapsedCentiseconds = elapsedCentiseconds
        pending.data.distanceDecimeters = distanceDecimeters
        pending.data.recoveryCentiseconds = UInt16(clamping: recoveryMilliseconds / 10)
        pending.isSent = send(pending.data) && pending.isSent
        close(pending)
    }

    /// A piece can end in the recovery of its last stroke, of which only the first packet is sent.
    ///
    /// The recovery time in that packet belongs to the previous stroke; its own is not known.
    mutating func closeLastStroke() {
        guard var pending = piece?.pending else { return }
        pending.data.recoveryCentiseconds = 0
        close(pending)
    }

    private mutating func close(_ pending: PendingStroke) {
        piece?.pending = nil
        record(strokeRecord(pending))
    }

    private mutating func updateAverages(_ stroke: Stroke) {
        guard var piece else { return }
        piece.averages = Piece.Averages(
            strokeRate: stroke.number > 1 ? stroke.ratePerMinute : 0,
            currentSpeed: stroke.meanSpeed, interval: piece.result(of: piece.interval, at: now),
            split: piece.result(of: piece.lap, at: now))
        self.piece = piece
    }

    // MARK: - Pauses

    package mutating func pause(forMilliseconds milliseconds: Int) { wantedPause = milliseconds }

    /// The wheel is left to itself: distance, pace and rate stay as they are.
    private mutating func beginPause(_ milliseconds: Int) {
        wantedPause = nil
        guard let stroke = piece?.stroke else { return }
        piece?.pause = Piece.Standstill(
            milliseconds: now, meters: stroke.startMeters + stroke.meters)
        piece?.stroke = nil
        schedule.add(.rowerResumes, at: now + milliseconds)
        scheduleBoundaries()
    }

    /// Starts the next stroke from rest; the stroke before is reported with the pause as its recovery.
    mutating func resumeRowing() {
        guard let pause = piece?.pause else { return }
        let length = now - pause.milliseconds
        completeStroke(recoveryMilliseconds: length)
        if workout.isJustRow { piece?.intervalStart += length }
        piece?.pause = nil
        var next = strokes.next(after: nil, at: now)
        next.number = (piece?.strokeCount ?? 0) + 1
        next.startMeters = pause.meters
        piece?.stroke = next
        schedule.add(.finish, at: next.finishMilliseconds)
        scheduleBoundaries()
    }

    // MARK: - Boundaries

    /// Finds where in the stroke being rowed the next split and the goal lie.
    mutating func scheduleBoundaries() {
        schedule.remove { $0 == .splitReached || $0 == .goalReached }
        guard let piece, piece.stroke != nil || piece.pause != nil else { return }
        let goal = moment(of: piece.currentInterval.goal, in: piece)
        if let goal { schedule.add(.goalReached, at: goal) }
        guard let length = workout.splitLength, !workout.hasIntervals else { return }
        let whole = piece.currentInterval.goal
        let next = WorkoutGoal(whole.durationType, (piece.splitsInInterval + 1) * length)
        // The last split of a piece is reported with the end of the piece.
        if let split = moment(of: next, in: piece), split < goal ?? .max,
            whole == .none || next.count < whole.count
        {
            schedule.add(.splitReached, at: split)
        }
    }

    /// The first millisecond at which a goal is reached, up to the end of the stroke or, since
    /// the clock goes on in a pause, within the longest piece.
    private func moment(of goal: WorkoutGoal, in piece: Piece) -> Int? {
        func isReached(_ time: Int) -> Bool {
            goal.isReached(
                milliseconds: piece.elapsedMilliseconds(at: time),
                meters: piece.workMeters(at: time))
        }
        if goal.isOfPower, piece.stroke == nil { return nil }
        var (early, late) = (now, piece.stroke?.finishMilliseconds ?? now + 36_000_000)
        guard isReached(late) else { return nil }
        while early < late {
            let middle = (early + late) / 2
            if isReached(middle) { late = middle } else { early = middle + 1 }
        }
        return late
    }

    mutating func endSplit() {
        guard let piece else { return }
        let result = piece.result(of: piece.lap, at: now)
        sendLap(result, rest: (0, 0))
        beginLap()
        scheduleBoundaries()
    }

    /// Starts counting the next split at the current position of the interval.
    mutating func beginLap() {
        guard var piece else { return }
        piece.splitsInInterval += 1
        piece.lap = Lap(start: piece.mark(at: now))
        self.piece = piece
    }

    mutating func reachGoal() {
        guard piece?.isWorking == true else { return }
        if workout.hasIntervals { endWork() } else { finishPiece() }
    }

    /// Stops clock and distance where the log cuts them: 0.1 s, and the very distance of the goal.
    mutating func freeze() {
        guard var piece else { return }
        let time = piece.elapsedMilliseconds(at: now) / 100 * 100
        var meters = piece.meters(at: now)
        let goal = piece.currentInterval.goal
        if goal.durationType == .distance, goal.count > 0 {
            meters = min(meters, Double(goal.count))
        }
        piece.frozen = Piece.Standstill(milliseconds: time, meters: meters)
        piece.stroke = nil
        piece.pause = nil
        self.piece = piece
        schedule.remove { event in
            switch event {
            case .finish, .catchOfNextStroke, .splitReached, .goalReached, .rowerResumes: true
            default: false
            }
        }
    }

    mutating func record(_ record: TruthRecord) { output.append(.truth(record)) }
}
