/// From one interval or split to the next. Changes `piece`.
extension SimulatedErg {
    /// How long the short states between work and rest last; a status every 500 ms may miss them.
    private static let transitionMilliseconds = 250

    /// The work of an interval is done: rest, the next interval, or the end.
    mutating func endWork() {
        closeLastStroke()
        freeze()
        guard let ended = piece else { return }
        let result = ended.result(of: ended.lap, at: now)
        addToTotals(result)
        piece?.finishedWork = result
        switch ended.currentInterval.rest {
        case .none:
            if workout.interval(ended.intervalIndex + 1) == nil { return finishPiece() }
            beginInterval()
            reportInterval(rest: (0, 0))
            // Without a rest the rower takes another stroke before pressing Menu.
            if case .afterIntervals(ended.intervalIndex + 1) = rowerStop {
                schedule.add(.rowerPressesMenu, at: now + 1000)
            }
        case .seconds(let seconds):
            beginRest(seconds: seconds, lasting: seconds * 1000)
        case .undefined:
            beginRest(seconds: nil, lasting: generator.integer(15_000...40_000))
        }
    }

    private mutating func beginRest(seconds: Int?, lasting milliseconds: Int) {
        guard let piece else { return }
        self.piece?.phase = .rest(since: now, seconds: seconds)
        self.piece?.lapCount += 1
        state =
            piece.currentInterval.isTimed
            ? .intervalWorkTimeToRest : .intervalWorkDistanceToRest
        schedule.add(.state(.intervalRest), at: now + Self.transitionMilliseconds)
        schedule.add(.restOver, at: now + milliseconds)
        if case .afterIntervals(let count) = rowerStop, piece.intervalIndex + 1 == count {
            schedule.add(.rowerPressesMenu, at: now + milliseconds * 3 / 4)
        }
    }

    /// Ends a rest and reports its interval.
    mutating func endRest() {
        guard let piece, case .rest = piece.phase else { return }
        sendZeroedStroke()
        let rest = finishRest()
        reportInterval(rest: rest)
        if workout.interval(piece.intervalIndex + 1) == nil { return finishPiece() }
        beginInterval()
        state =
            workingState == .intervalWorkTime
            ? .intervalRestEndToWorkTime : .intervalRestEndToWorkDistance
        schedule.add(.state(workingState), at: now + Self.transitionMilliseconds)
    }

    /// Seconds and metres of the rest so far, which then counts in the piece.
    mutating func finishRest() -> (seconds: Int, meters: Int) {
        guard let piece, case .rest(let since, _) = piece.phase else { return (0, 0) }
        let meters = Int(piece.coastedMeters(at: now))
        self.piece?.restMeters += meters
        return ((now - since) / 1000, meters)
    }

    /// 0x0037 and 0x0038 of the interval whose work has ended.
    ///
    /// Behind a rest the index already counts it; between two works it counts from here.
    mutating func reportInterval(rest: (seconds: Int, meters: Int)) {
        guard let result = piece?.finishedWork else { return }
        if case .rest = piece?.phase { self.piece?.lapCount -= 1 }
        sendLap(result, rest: rest)
        piece?.finishedWork = nil
    }

    /// Everything of an interval starts from zero; the rower pulls at once.
    private mutating func beginInterval() {
        guard var piece else { return }
        piece.phase = .work
        piece.intervalIndex += 1
        piece.intervalStart = now
        piece.frozen = nil
        piece.strokeCount = 0
        piece.splitsInInterval = 0
        piece.lap = Lap()
        piece.interval = Lap()
        piece.averages = Piece.Averages()
        self.piece = piece
        state = workingState
        beginStroke(after: nil)
    }

    mutating func addToTotals(_ result: LapResult) {
        piece?.finished.deciseconds += result.span.deciseconds
        piece?.finished.meters += result.exactMeters
        piece?.finished.strokes += result.strokes
        piece?.finished.calories += result.calories
        piece?.finished.exactMilliseconds += result.exactMilliseconds
    }
}
