import PM5Codec
import Timeline

/// Changes `link` by the summaries that waited.
extension SessionMachine {
    mutating func takeSummary(_ notification: Notification, at now: BootInstant) {
        switch notification {
        case .workoutSummary(let packet):
            count(SummaryAssembler.isJunk(packet) ? .junk : session.receive(packet, at: now))
        case .additionalWorkoutSummary(let packet): count(session.receive(packet, at: now))
        case .workoutSummary2(let packet): count(session.receive(packet, at: now))
        default: break
        }
    }

    /// The summaries that came before anything told that the piece was over.
    mutating func takeSummaries() {
        for entry in link.takeSummaries() { takeSummary(entry.packet, at: entry.at) }
    }

    /// Closes a session whose summary is here or not coming, and revises one that is closed.
    mutating func settleSummary(at now: BootInstant, into events: inout [SessionEvent]) {
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

/// What is published as the result of a session. Changes `summary` and the head's revision.
extension Session {
    mutating func receive(_ packet: WorkoutSummary, at now: BootInstant) -> PacketVerdict {
        guard belongs(packet) else { return .stray }
        return summary.receive(packet, at: now) ? .taken : .duplicate
    }

    mutating func receive(_ packet: AdditionalWorkoutSummary, at now: BootInstant)
        -> PacketVerdict
    {
        belongs(packet.logged) && !summary.receive(packet, at: now) ? .duplicate : .taken
    }

    mutating func receive(_ packet: WorkoutSummary2, at now: BootInstant) -> PacketVerdict {
        belongs(packet.logged) && !summary.receive(packet, at: now) ? .duplicate : .taken
    }

    /// Whether the monitor's result of the last session has come, and is this entry of its log.
    func hasResult(_ logged: LogTimestamp?) -> Bool {
        head.stage == .closed && summary.main != nil && summary.main?.logged == logged
    }

    /// Whether a result is of the present or last session.
    ///
    /// A summary can be read before the status that ends its piece, and a late one of the piece
    /// before can meet a new session: there only the figures tell.
    func belongs(_ packet: WorkoutSummary) -> Bool {
        switch head.stage {
        case .absent: return false
        case .open:
            return abs(Int64(packet.elapsedCentiseconds) - ledger.elapsed) <= 200
                && abs(Int64(packet.distanceDecimeters) - ledger.distance) <= 100
        case .ending: return true
        case .closed:
            guard summary.main == nil else { return hasResult(packet.logged) }
            return packet.workoutType == head.workout.type
                && Int64(packet.elapsedCentiseconds) + IntervalHistory.jitterCentiseconds
                    >= ledger.elapsed
        }
    }

    /// Companions may come first, and are junk where the main packet is.
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

    /// The summary as it now is; nil where it says what the last one said.
    fileprivate mutating func nextSummary(_ machine: ErgMachineType?, at now: BootInstant) -> Summary?
    {
        var result = ownSummary(machine, at: now)
        if let main = summary.main {
            let agrees = agrees(main)
            result.isVerifiedAgainstMonitor = agrees
            result.isPartial = false
            // Our own figures are of another result, or of a part of this one.
            if !agrees { dropOwn(from: &result) }
            if !isEndSeen, head.workout.isReached(by: main) { result.isComplete = true }
            summary.apply(to: &result)
        }
        guard summary.isNews(result) else { return nil }
        result.revision = revise()
        return result
    }

    /// Whether our sums are the monitor's, as far as 0.1 s and 1 m per interval can tell.
    private func agrees(_ main: WorkoutSummary) -> Bool {
        let legs = Int64(ledger.leg.serial)
        return abs(Int64(main.elapsedCentiseconds) - ledger.elapsed) <= 10 * (legs + 1)
            && abs(Int64(main.distanceDecimeters) - ledger.distance) <= 10 * legs
    }

    private func dropOwn(from result: inout Summary) {
        let covered = summary.main.map { totals.splitsCover(Int64($0.elapsedCentiseconds)) } ?? false
        if !covered { (result.calories, result.averagePowerWatts) = (nil, nil) }
        // A monitor may count otherwise than we do; what is not known to be a part is kept.
        guard gaps.wasAway else { return }
        (result.averageHeartRate, result.minimumHeartRate, result.maximumHeartRate) = (nil, nil, nil)
        (result.maximumPowerWatts, result.averageDragFactor) = (nil, nil)
        result.receivedThousandths = nil
    }

    /// What can be computed of what was received. A figure of which a part is missing is nil, but for
    /// averages over the strokes where it is known how many of them are missing.
    private func ownSummary(_ machine: ErgMachineType?, at now: BootInstant) -> Summary {
        let time = Duration.centiseconds(ledger.elapsed)
        let distance = Meters(decimeters: ledger.distance)
        var result = Summary(
            revision: head.revision, session: head.id, workout: head.workout,
            startedAt: head.startedAt, endedAt: head.endedAt, at: now, result: time,
            distance: distance,
            strokes: totals.strokes, splits: totals.splits, isComplete: head.isComplete)
        let isTimeExact = isEndSeen && ledger.isElapsedExact
        result.isPartial = !isTimeExact || !ledger.isDistanceExact
        if !result.isPartial { result.averagePace = Pace(rowing: distance, in: time) }
        let isCounted = gaps.isCounted
        let strokes = totals.strokes + totals.missingStrokes
        if isTimeExact, ledger.elapsed > 0, strokes > 0, isCounted {
            result.averageStrokeRate = Int(Int64(strokes) * 6000 / ledger.elapsed)
        }
        let whole = summary.main.map { Int64($0.elapsedCentiseconds) }
        addSums(to: &result, over: whole ?? (isTimeExact ? ledger.elapsed : nil))
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

    /// The monitor's sums: those of the end of a single piece, or of all splits.
    ///
    /// - Parameter time: of the whole work, 0.01 s; nil where it is not known.
    private func addSums(to result: inout Summary, over time: Int64?) {
        if let time, totals.splitsCover(time) {
            result.calories = totals.splitCalories
            if ledger.isInterval { result.averagePowerWatts = totals.intervalPower.value }
        }
        guard totals.areFinal else { return }
        result.calories = totals.calories.sum
        if totals.reportedWatts > 0 { result.averagePowerWatts = totals.reportedWatts }
    }

    /// Averages over the strokes, where each of them has a number; extremes where none is missing.
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

    /// How long before an end the last heart rate of it may be.
    private static let heartLimit = Duration.seconds(2)

    /// nil where the last one came too long before the end, or the end was not seen.
    private var endingHeartRate: Int? {
        guard isEndSeen, let last = lastHeartRate,
            last.at.duration(to: noticedEnd) <= Self.heartLimit
        else { return nil }
        return Int(last.rate)
    }
}

extension Workout {
    /// Whether the monitor's result is that of a single piece which came to the end that was set.
    fileprivate func isReached(by main: WorkoutSummary) -> Bool {
        guard type.hasEnd, !type.isInterval else { return false }
        return switch target {
        case .distance(let length): Int64(main.distanceDecimeters) >= length.millimeters / 100
        case .time(let length): Int64(main.elapsedCentiseconds) >= length.wholeMilliseconds / 10
        case .none, .calories, .wattMinutes: false
        }
    }
}
