import PM5Codec
import Timeline

/// Publishes splits. Changes `splits`, `intervals`, `totals` and `gaps`.
extension Session {
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
        if let additional = split.additional { copyFields(from: additional, to: &result) }
        result.targets = targets.bands(ofInterval: split.number)
        result.targetTally = targetTotals.tally(ofInterval: split.number)
        totals.add(split, isInterval: intervals.isInterval)
        events.append(.split(result))
    }

    /// Appends a gap for the splits that have not arrived by the end of the session.
    func declareGapOfMissingSplits(at now: BootInstant, into events: inout [SessionEvent]) {
        let missing = splits.released + 1..<max(splits.released, expectedSplitCount) + 1
        declareGap(ofSplits: missing, at: now, into: &events)
    }

    /// The number of splits or intervals that the monitor must have sent by the end of a session.
    ///
    /// If the piece was stopped early, it is unknown whether the monitor sent the last one.
    var expectedSplitCount: Int {
        guard head.workout.type.hasSplits else { return 0 }
        guard head.isComplete else { return intervals.finalCount ?? intervals.finishedSplits }
        return summary.splitCount ?? intervals.finalCount ?? intervals.finishedSplits + 1
    }

    private func copyFields(from packet: AdditionalSplitData, to split: inout Split) {
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
