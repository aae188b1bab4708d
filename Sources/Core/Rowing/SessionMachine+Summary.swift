import PM5Codec
import Timeline

/// Handles the monitor's summaries. Removes the buffered ones from `link`.
extension SessionMachine {
    mutating func processSummary(_ notification: Notification, at now: BootInstant) {
        switch notification {
        case .workoutSummary(let packet):
            count(SummaryAssembler.isJunk(packet) ? .junk : session.receive(packet, at: now))
        case .additionalWorkoutSummary(let packet): count(session.receive(packet, at: now))
        case .workoutSummary2(let packet): count(session.receive(packet, at: now))
        default: break
        }
    }

    /// Handles the summaries that arrived before the end of the piece was known.
    mutating func processEarlySummaries() {
        for entry in link.drainEarlySummaries() { processSummary(entry.packet, at: entry.at) }
    }

    /// Closes a session whose summary is complete or overdue, and revises a closed session.
    mutating func publishDueSummary(at now: BootInstant, into events: inout [SessionEvent]) {
        switch session.head.stage {
        case .absent, .open: return
        case .ending: if session.isSummaryDue(at: now) { close(at: now, into: &events) }
        case .closed:
            if session.summary.isReady(at: now) { publishSummary(at: now, into: &events) }
        }
    }

    mutating func publishSummary(at now: BootInstant, into events: inout [SessionEvent]) {
        guard let summary = session.nextSummary(session.machine, at: now) else { return }
        events.append(.summary(summary))
    }
}

/// Builds the result of a session. Changes `summary` and the revision in `head`.
extension Session {
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

    /// Companion packets may arrive first. They are junk if the main packet is junk.
    private func belongs(_ logged: LogTimestamp) -> Bool {
        guard let main = summary.main else {
            return head.stage == .ending || head.stage == .closed
        }
        return main.logged == logged
    }

    fileprivate func isSummaryDue(at now: BootInstant) -> Bool {
        let isLate = noticedEnd.duration(to: now) >= SessionMachine.summaryLimit
        return summary.isReady(at: now) || (isLate && summary.main == nil)
    }

    /// The next summary; nil if its content equals the last one.
    fileprivate mutating func nextSummary(_ machine: ErgMachineType?, at now: BootInstant) -> Summary? {
        var result = computedSummary(machine, at: now)
        if let main = summary.main {
            let agrees = agrees(main)
            result.isVerifiedAgainstMonitor = agrees
            result.isPartial = false
            // Our own values belong to another result, or to a part of this one.
            if !agrees { clearComputedValues(from: &result) }
            if !isEndSeen, head.workout.isReached(by: main) { result.isComplete = true }
            summary.apply(to: &result)
        }
        guard summary.recordIfChanged(result) else { return nil }
        result.revision = revise()
        return result
    }

    /// Whether our sums equal the monitor's, within 0.1 s and 1 m per interval.
    private func agrees(_ main: WorkoutSummary) -> Bool {
        let legs = Int64(intervals.leg.serial)
        return abs(Int64(main.elapsedCentiseconds) - intervals.totalElapsed) <= 10 * (legs + 1)
            && abs(Int64(main.distanceDecimeters) - intervals.totalDistance) <= 10 * legs
    }

    private func clearComputedValues(from result: inout Summary) {
        let covered = summary.main.map { totals.splitsCover(Int64($0.elapsedCentiseconds)) } ?? false
        if !covered { (result.calories, result.averagePowerWatts) = (nil, nil) }
        // The monitor may count differently. Values that are not known to be incomplete stay.
        guard gaps.wasAway else { return }
        (result.averageHeartRate, result.minimumHeartRate, result.maximumHeartRate) = (nil, nil, nil)
        (result.maximumPowerWatts, result.averageDragFactor) = (nil, nil)
        result.receivedThousandths = nil
    }

    /// The summary computed from received values. A value is nil if a part of it is missing. Averages over
    /// strokes stay if the number of missing strokes is known.
    private func computedSummary(_ machine: ErgMachineType?, at now: BootInstant) -> Summary {
        let time = Duration.centiseconds(intervals.totalElapsed)
        let distance = Meters(decimeters: intervals.totalDistance)
        var result = Summary(
            revision: head.revision, session: head.id, workout: head.workout,
            startedAt: head.startedAt, endedAt: head.endedAt, at: now, result: time,
            distance: distance,
            strokes: totals.strokes, splits: totals.splits, isComplete: head.isComplete)
        let isTimeExact = isEndSeen && intervals.isElapsedExact
        result.isPartial = !isTimeExact || !intervals.isDistanceExact
        if !result.isPartial { result.averagePace = Pace(rowing: distance, in: time) }
        let isCounted = gaps.isCounted
        let strokes = totals.strokes + totals.missingStrokes
        if isTimeExact, intervals.totalElapsed > 0, strokes > 0, isCounted {
            result.averageStrokeRate = Int(Int64(strokes) * 6000 / intervals.totalElapsed)
        }
        let whole = summary.main.map { Int64($0.elapsedCentiseconds) }
        addSums(to: &result, over: whole ?? (isTimeExact ? intervals.totalElapsed : nil))
        if isCounted { addAverages(to: &result) }
        result.endingHeartRate = endingHeartRate
        if totals.restSeconds > 0 {
            result.rest = .seconds(totals.restSeconds)
            result.restDistance = Meters(Int64(totals.restMeters))
        }
        result.machine = machine
        if targetTotals.all.strokes > 0 { result.targetTally = targetTotals.all }
        return result
    }

    /// Adds the monitor's sums: those at the end of a single piece, or of all splits.
    ///
    /// - Parameter time: the time of the whole work, 0.01 s; nil if unknown.
    private func addSums(to result: inout Summary, over time: Int64?) {
        if let time, totals.splitsCover(time) {
            result.calories = totals.splitCalories
            if intervals.isInterval { result.averagePowerWatts = totals.intervalPower.value }
        }
        guard totals.areFinal else { return }
        result.calories = totals.calories.sum
        if totals.reportedWatts > 0 { result.averagePowerWatts = totals.reportedWatts }
    }

    /// Adds averages if every stroke has a number, and extremes if none is missing.
    private func addAverages(to result: inout Summary) {
        result.receivedThousandths = totals.receivedThousandths
        result.averageHeartRate = totals.heartRate.average
        result.averageDragFactor = totals.dragFactor.value
        if totals.receivedThousandths != nil, result.averagePowerWatts == nil {
            result.averagePowerWatts = totals.strokePower.value
        }
        if totals.hasEveryPower, totals.maximumWatts > 0 {
            result.maximumPowerWatts = totals.maximumWatts
        }
        guard !gaps.wasAway else { return }
        result.minimumHeartRate = totals.heartRate.lowest
        result.maximumHeartRate = totals.heartRate.highest
    }

    /// The greatest age of the ending heart rate at the end.
    private static let heartLimit = Duration.seconds(2)

    /// Nil if the last heart rate is too old, or the end was not received.
    private var endingHeartRate: Int? {
        guard isEndSeen, let last = lastHeartRate,
            last.at.duration(to: noticedEnd) <= Self.heartLimit
        else { return nil }
        return Int(last.rate)
    }
}

extension Workout {
    /// Whether the monitor's result shows that a single piece reached its goal.
    fileprivate func isReached(by main: WorkoutSummary) -> Bool {
        guard type.hasEnd, !type.isInterval else { return false }
        return switch target {
        case .distance(let length): Int64(main.distanceDecimeters) >= length.millimeters / 100
        case .time(let length): Int64(main.elapsedCentiseconds) >= length.wholeMilliseconds / 10
        case .none, .calories, .wattMinutes: false
        }
    }
}
