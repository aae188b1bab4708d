import PM5Codec
import Timeline

extension SessionMachine {
    // MARK: - Timed group

    mutating func receive(_ packet: AdditionalStatus1) {
        status1 = packet
        if let type = packet.ergMachineType { machine = type }
        note(watts: packet.averagePowerWatts)
        guard isOpen, phase == .working, !isPaused else { return }
        if let rate = packet.knownHeartRateBeatsPerMinute { totals.add(heartRate: rate) }
    }

    mutating func receive(_ packet: AdditionalStatus2) {
        status2 = packet
        guard isCurrent, !isReturning, phase != .waiting else { return }
        note(watts: packet.averagePowerWatts)
        totals.calories.update(Int(packet.totalCalories))
        if isOpen { ledger.count(packet.intervalCount, isWorking: phase != .resting) }
    }

    /// The average of the piece: in 0x0033, or in 0x0032 when multiplexed.
    private mutating func note(watts: UInt16?) {
        guard let watts, watts > 0, isCurrent, !isReturning, phase != .waiting else { return }
        totals.reportedWatts = Int(watts)
    }

    // MARK: - Strokes

    mutating func receive(_ packet: StrokeData, at now: BootInstant) {
        guard packet.strokeCount > 0 || strokes.highest > 0 else { return }
        let leg = leg(
            count: packet.strokeCount, elapsed: packet.elapsedCentiseconds, isPower: false, at: now)
        note(stroke: strokes.receive(packet, leg: leg, at: now), at: now)
    }

    mutating func receive(_ packet: AdditionalStrokeData, at now: BootInstant) {
        guard packet.strokeCount > 0 || strokes.highest > 0 else { return }
        let leg = leg(
            count: packet.strokeCount, elapsed: packet.elapsedCentiseconds, isPower: true, at: now)
        let number = strokes.receive(packet, leg: leg, at: now)
        if let number {
            power = packet
            joiner.end(driveOf: number, at: now)
        }
        note(stroke: number, at: now)
    }

    private mutating func note(stroke number: Int?, at now: BootInstant) {
        guard let number else {
            counters.duplicates += 1
            return
        }
        lastStrokeSign = max(lastStrokeSign, now)
        joiner.add(stroke: number, at: now)
    }

    /// The leg that a packet of a stroke was counted in.
    private mutating func leg(
        count: UInt16, elapsed: UInt32, isPower: Bool, at now: BootInstant
    ) -> Int {
        guard ledger.isInterval, isCurrent, count > 0 else { return strokes.leg }
        if strokes.isRestart(count: count, elapsedCentiseconds: elapsed, isPower: isPower),
            strokes.leg == ledger.leg.serial, !isReturning
        {
            ledger.openByStroke()
            legOpened = now
        }
        let clock = ledger.leg.elapsed + IntervalHistory.jitterCentiseconds
        let isAhead = Int64(elapsed) > clock && legOpened.duration(to: now) <= .seconds(3)
        if strokes.leg < ledger.leg.serial {
            if isAhead, strokes.goesOn(count: count, elapsedCentiseconds: elapsed) {
                return strokes.leg
            }
            strokes.enter(leg: ledger.leg.serial)
        } else if isAhead, strokes.isOfPreviousLeg(count: count, elapsedCentiseconds: elapsed) {
            return strokes.previousLeg
        }
        return strokes.leg
    }

    mutating func releaseStrokes(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        var released = strokes.released
        while let stroke = strokes.next(at: now, flush: flush) {
            let isMissing = stroke.number > released + 1
            if isMissing || outage != nil {
                reportGap(before: stroke, since: released, at: now, into: &events)
            }
            released = stroke.number
            lastStrokeReported = stroke.firstSeen
            totals.add(stroke)
            if let drag = status?.knownDragFactor { totals.dragFactor.add(Int(drag)) }
            if let told = telling(stroke, at: now) { events.append(.stroke(told)) }
        }
    }

    private func telling(_ stroke: AssembledStroke, at now: BootInstant) -> Stroke? {
        guard let head else { return nil }
        let place = ledger.place(
            elapsedCentiseconds: stroke.elapsedCentiseconds,
            distanceDecimeters: stroke.data?.distanceDecimeters, leg: stroke.leg)
        var result = Stroke(
            session: head.id, at: now, number: stroke.number,
            elapsed: .centiseconds(place.elapsed), distance: Meters(decimeters: place.distance))
        result.interval = ledger.interval(
            ofLeg: stroke.leg, elapsedCentiseconds: stroke.elapsedCentiseconds)
        if let status1 {
            if status1.strokeRatePerMinute > 0 {
                result.strokeRate = Int(status1.strokeRatePerMinute)
            }
            result.heartRate = status1.knownHeartRateBeatsPerMinute.map(Int.init)
            result.pace = status1.knownCurrentPaceCentisecondsPer500m.map {
                Pace(centisecondsPer500m: Int64($0))
            }
        }
        if status2 != nil { result.calories = totals.calories.sum }
        if let data = stroke.data { fill(&result, from: data, hasRecovery: stroke.hasRecovery) }
        if let power = stroke.power { fill(&result, from: power) }
        return result
    }

    private func fill(_ stroke: inout Stroke, from data: StrokeData, hasRecovery: Bool) {
        stroke.driveLength = Meters(centimeters: Int64(data.driveLengthCentimeters))
        stroke.driveTime = .centiseconds(data.driveCentiseconds)
        if hasRecovery {
            stroke.recoveryTime = data.knownRecoveryCentiseconds.map { .centiseconds($0) }
        }
        stroke.strokeDistance = Meters(centimeters: Int64(data.strokeDistanceCentimeters))
        stroke.peakForce = Newtons(deciPoundsForce: Int64(data.peakDriveForceTenthsOfPound))
        stroke.averageForce = Newtons(deciPoundsForce: Int64(data.averageDriveForceTenthsOfPound))
        stroke.work = data.knownWorkPerStrokeDecijoules.map { Joules(decijoules: Int64($0)) }
    }

    private func fill(_ stroke: inout Stroke, from power: AdditionalStrokeData) {
        stroke.powerWatts = Int(power.strokePowerWatts)
        stroke.projectedTime = power.knownProjectedWorkSeconds.map { .seconds($0) }
        stroke.projectedDistance = power.knownProjectedWorkDistanceMeters.map {
            Meters(Int64($0))
        }
        if let work = power.knownWorkPerStrokeDecijoules {
            stroke.work = Joules(decijoules: Int64(work))
        }
    }

    /// Declares what is missing before a stroke, or before the end where `stroke` is nil.
    mutating func reportGap(
        before stroke: AssembledStroke?, since released: Int, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        guard let head else { return }
        let last = stroke.map { $0.number - 1 } ?? strokes.highest
        let missing = last > released ? released + 1...last : nil
        let reason = outage?.reason ?? .notificationsLost
        let since = outage?.since ?? lastStrokeReported
        let until = outage?.returned ?? stroke?.firstSeen ?? now
        events.append(
            .gap(
                Gap(
                    session: head.id, at: now, reason: reason, strokes: missing,
                    duration: since.duration(to: until),
                    isRecovered: outage.map { $0.isRecovered && ledger.isTimeCertain } ?? true)))
        outage = nil
    }

    // MARK: - Force curves

    mutating func receive(_ packet: ForceCurvePiece, at now: BootInstant) {
        if let curve = curves.receive(packet, at: now) { add(curve) }
    }

    /// Takes the curve of a drive from a monitor that has to be asked for it.
    package mutating func receive(
        _ curve: PolledForceCurve, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        add(
            AssembledCurve(
                begun: curve.ended, isComplete: curve.isComplete, poundsForce: curve.poundsForce))
        settle(at: now, into: &events)
    }

    mutating func add(_ curve: AssembledCurve) {
        if !curve.isComplete { counters.incompleteCurves += 1 }
        joiner.add(curve)
    }

    mutating func releaseCurves(at now: BootInstant, into events: inout [SessionEvent]) {
        guard let head else { return }
        while let (curve, stroke) = joiner.next() {
            events.append(
                .force(
                    ForceCurve(
                        session: head.id, at: now, stroke: stroke, isComplete: curve.isComplete,
                        poundsForce: curve.poundsForce)))
        }
    }

    // MARK: - Splits

    mutating func receive(_ packet: SplitData, at now: BootInstant) {
        guard isCurrent else {
            counters.strayPackets += 1
            return
        }
        guard splits.receive(packet, at: now) else {
            counters.duplicates += 1
            return
        }
        ledger.settle(packet, number: splits.number(packet.splitNumber))
    }

    mutating func receive(_ packet: AdditionalSplitData) {
        if let type = packet.ergMachineType { machine = type }
        guard isCurrent else {
            counters.strayPackets += 1
            return
        }
        if !splits.receive(packet) { counters.duplicates += 1 }
    }

    mutating func releaseSplit(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        let released = splits.released
        guard let head, let split = splits.next(at: now, flush: flush) else { return }
        reportGap(ofSplits: released + 1..<split.number, at: now, into: &events)
        outageOfSplits = nil
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
        totals.add(split, isInterval: ledger.isInterval)
        events.append(.split(result))
    }

    /// Declares splits that the monitor has told and nobody here has heard.
    mutating func reportGap(
        ofSplits missing: Range<Int>, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard let head, let first = missing.first, let last = missing.last else { return }
        var gap = Gap(
            session: head.id, at: now, reason: outageOfSplits ?? .notificationsLost, strokes: nil,
            duration: .zero, isRecovered: ledger.isTimeCertain)
        gap.splits = first...last
        events.append(.gap(gap))
    }

    private func fill(_ split: inout Split, from packet: AdditionalSplitData) {
        split.averagePowerWatts = Int(packet.powerWatts)
        split.averagePace = packet.knownAveragePaceDecisecondsPer500m.map {
            Pace(decisecondsPer500m: Int64($0))
        }
        split.averageStrokeRate = Int(packet.averageStrokeRatePerMinute)
        split.workHeartRate = packet.knownWorkHeartRateBeatsPerMinute.map(Int.init)
        split.restHeartRate = packet.knownRestHeartRateBeatsPerMinute.map(Int.init)
        if packet.averageDragFactor > 0 {
            split.averageDragFactor = Int(packet.averageDragFactor)
        }
        split.calories = Int(packet.totalCalories)
        split.machine = packet.ergMachineType
    }
}
