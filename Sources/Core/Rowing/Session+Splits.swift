import PM5Codec
import Timeline

/// What is published of splits. Changes `splits`, `ledger`, `totals` and `gaps`.
extension Session {
    mutating func receive(_ packet: SplitData, at now: BootInstant) -> PacketVerdict {
        guard isCurrent else { return .stray }
        guard splits.receive(packet, at: now) else { return .duplicate }
        let number = splits.number(packet.splitNumber)
        ledger.settle(packet, number: number, isOfLegBefore: now < legOpened)
        return .taken
    }

    mutating func receive(_ packet: AdditionalSplitData) -> PacketVerdict {
        guard isCurrent else { return .stray }
        return splits.receive(packet) ? .taken : .duplicate
    }

    mutating func releaseSplit(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        let released = splits.released
        guard let split = splits.next(at: now, flush: flush) else { return }
        declareGap(ofSplits: released + 1..<split.number, at: now, into: &events)
        gaps.noteSplit()
        let data = split.data
        var result = Split(
            session: head.id, at: now, number: split.number, type: data.splitType,
            distance: Meters(Int64(data.splitDistanceMeters)),
            duration: .milliseconds(Int64(data.splitDeciseconds) * 100))
        result.averageHeartRate = totals.splitHeartRate.average
        if data.restSeconds > 0 {
            result.rest = .seconds(data.restSeconds)
            result.restDistance = Meters(Int64(data.restDistanceMeters))
        }
        if let additional = split.additional { fill(&result, from: additional) }
        result.targets = targets.bands(ofInterval: split.number)
        result.targetTally = targetTotals.tally(ofInterval: split.number)
        totals.add(split, isInterval: ledger.isInterval)
        events.append(.split(result))
    }

    /// Declares the splits at the end of which nothing came.
    func declareLastSplits(at now: BootInstant, into events: inout [SessionEvent]) {
        let missing = splits.released + 1..<max(splits.released, reportedSplits) + 1
        declareGap(ofSplits: missing, at: now, into: &events)
    }

    /// How many splits or intervals the monitor must have told of, at the end of a session.
    ///
    /// Of a piece that was stopped early nobody knows whether its last one was told.
    var reportedSplits: Int {
        guard head.workout.type.hasSplits else { return 0 }
        guard head.isComplete else { return ledger.finalCount ?? ledger.finishedSplits }
        return summary.splitCount ?? ledger.finalCount ?? ledger.finishedSplits + 1
    }

    private func fill(_ split: inout Split, from packet: AdditionalSplitData) {
        split.averagePowerWatts = Int(packet.powerWatts)
        split.averagePace = packet.knownAveragePaceDecisecondsPer500m.map {
            Pace(decisecondsPer500m: Int64($0))
        }
        split.averageStrokeRate = packet.knownAverageStrokeRatePerMinute.map(Int.init)
        split.workHeartRate = packet.knownWorkHeartRateBeatsPerMinute.map(Int.init)
        split.restHeartRate = packet.knownRestHeartRateBeatsPerMinute.map(Int.init)
        split.averageDragFactor = packet.knownAverageDragFactor.map(Int.init)
        split.calories = Int(packet.totalCalories)
        split.machine = packet.ergMachineType
    }
}
