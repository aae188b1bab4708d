import PM5Codec
import Timeline

extension SessionMachine {
    mutating func receive(_ packet: WorkoutSummary, at now: BootInstant) {
        if SummaryAssembler.isJunk(packet) {
            counters.junkSummaries += 1
        } else if !belongs(packet) {
            counters.strayPackets += 1
        } else if !summary.receive(packet, at: now) {
            counters.duplicates += 1
        }
    }

    mutating func receive(_ packet: AdditionalWorkoutSummary, at now: BootInstant) {
        if belongs(packet.logged), !summary.receive(packet, at: now) { counters.duplicates += 1 }
    }

    mutating func receive(_ packet: WorkoutSummary2, at now: BootInstant) {
        if belongs(packet.logged), !summary.receive(packet, at: now) { counters.duplicates += 1 }
    }

    /// Whether a result is of the present or last session.
    ///
    /// A summary can be read before the status that ends its piece, and a late one of the piece
    /// before can meet a new session: there only the figures tell.
    private func belongs(_ packet: WorkoutSummary) -> Bool {
        guard let head else { return false }
        switch head.phase {
        case .open:
            return abs(Int64(packet.elapsedCentiseconds) - ledger.elapsed) <= 200
                && abs(Int64(packet.distanceDecimeters) - ledger.distance) <= 100
        case .ending: return true
        case .closed:
            guard let main = summary.main else { return packet.workoutType == head.workout.type }
            return packet.logged == main.logged
        }
    }

    /// Companions may come first, and are junk where the main packet is.
    private func belongs(_ logged: LogTimestamp) -> Bool {
        guard let head else { return false }
        guard let main = summary.main else { return head.phase != .open }
        return main.logged == logged
    }

    mutating func settleSummary(at now: BootInstant, into events: inout [SessionEvent]) {
        guard let head else { return }
        switch head.phase {
        case .open: return
        case .ending:
            let isLate = head.ended.duration(to: now) >= Self.summaryLimit
            if summary.isReady(at: now) || (isLate && summary.main == nil) {
                close(at: now, into: &events)
            }
        case .closed:
            if summary.isReady(at: now) { reportSummary(at: now, into: &events) }
        }
    }

    mutating func reportSummary(at now: BootInstant, into events: inout [SessionEvent]) {
        guard let head else { return }
        var result = ownSummary(head, at: now)
        if let main = summary.main {
            result.isVerifiedAgainstMonitor = agrees(main)
            summary.apply(to: &result)
        }
        summary.markReported()
        // Companion packets may come after the summary is out, and often add nothing to it.
        if let last = reportedSummary, last.says(sameAs: result) { return }
        reportedSummary = result
        result.revision += 1
        self.head?.revision = result.revision
        events.append(.summary(result))
    }

    /// Whether our sums are the monitor's, as far as 0.1 s and 1 m per interval can tell.
    private func agrees(_ main: WorkoutSummary) -> Bool {
        let legs = Int64(ledger.leg.serial)
        return abs(Int64(main.elapsedCentiseconds) - ledger.elapsed) <= 10 * (legs + 1)
            && abs(Int64(main.distanceDecimeters) - ledger.distance) <= 10 * legs
    }

    private func ownSummary(_ head: Head, at now: BootInstant) -> Summary {
        let time = Duration.centiseconds(ledger.elapsed)
        let distance = Meters(decimeters: ledger.distance)
        var result = Summary(
            revision: head.revision, session: head.id, workout: head.workout,
            started: head.started, ended: head.ended, at: now, result: time, distance: distance,
            strokes: totals.strokes, splits: totals.splits, isComplete: head.isComplete)
        result.averagePace = Pace(rowing: distance, in: time)
        result.averagePowerWatts = totals.averageWatts(isInterval: ledger.isInterval)
        if totals.maximumWatts > 0 { result.maximumPowerWatts = totals.maximumWatts }
        if ledger.elapsed > 0, strokes.released > 0 {
            result.averageStrokeRate = Int(Int64(strokes.released) * 6000 / ledger.elapsed)
        }
        result.averageHeartRate = totals.heartRate.average
        result.minimumHeartRate = totals.heartRate.lowest
        result.maximumHeartRate = totals.heartRate.highest
        result.endingHeartRate = totals.heartRate.ending
        result.averageDragFactor = totals.dragFactor.value
        result.calories = totals.calories.sum
        if totals.restSeconds > 0 {
            result.rest = .seconds(totals.restSeconds)
            result.restDistance = Meters(Int64(totals.restMeters))
        }
        result.machine = machine
        return result
    }
}

extension Summary {
    /// Whether two summaries differ in nothing but their revision and the time of telling.
    fileprivate func says(sameAs other: Summary) -> Bool {
        var same = other
        same.revision = revision
        same.at = at
        return self == same
    }
}
