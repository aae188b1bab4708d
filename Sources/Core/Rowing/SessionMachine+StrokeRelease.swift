import PM5Codec
import Timeline

/// When strokes are given out, and what is published of them. Changes `strokes`, and of the session
/// its gaps and both totals.
extension SessionMachine {
    mutating func releaseStrokes(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        var released = strokes.released
        while let stroke = strokes.next(at: now, flush: flush) {
            // What the status said long ago is not of this stroke.
            let readings = link.isStarved(at: stroke.firstSeen) ? MonitorReadings() : monitor
            session.publish(stroke, after: released, readings, at: now, into: &events)
            released = stroke.number
        }
    }
}

extension Session {
    fileprivate mutating func publish(
        _ stroke: AssembledStroke, after released: Int, _ monitor: MonitorReadings,
        at now: BootInstant, into events: inout [SessionEvent]
    ) {
        gaps.passHole(before: stroke.firstSeen)
        if stroke.number > released + 1 || gaps.outage != nil {
            declareGap(
                ofStrokes: released + 1..<stroke.number, until: stroke.firstSeen, at: now,
                into: &events)
        }
        gaps.noteStroke(seen: stroke.firstSeen)
        totals.add(stroke, dragFactor: monitor.dragFactor)
        let result = published(stroke, monitor, at: now)
        targetTotals.add(result.target, interval: result.interval)
        events.append(.stroke(result))
    }

    private func published(
        _ stroke: AssembledStroke, _ monitor: MonitorReadings, at now: BootInstant
    ) -> Stroke {
        let place = ledger.place(
            elapsedCentiseconds: stroke.elapsedCentiseconds,
            distanceDecimeters: stroke.data?.distanceDecimeters, leg: stroke.leg)
        var result = Stroke(
            session: head.id, at: now, number: stroke.number,
            elapsed: .centiseconds(place.elapsed), distance: Meters(decimeters: place.distance))
        result.interval = ledger.interval(
            ofLeg: stroke.leg, elapsedCentiseconds: stroke.elapsedCentiseconds)
        if let status1 = monitor.status1 {
            if let rate = status1.knownStrokeRatePerMinute, rate > 0 {
                result.strokeRate = Int(rate)
            }
            result.heartRate = status1.knownHeartRateBeatsPerMinute.map(Int.init)
            result.pace = status1.knownCurrentPaceCentisecondsPer500m.map {
                Pace(centisecondsPer500m: Int64($0))
            }
        }
        if monitor.status2 != nil { result.calories = totals.calories.sum }
        if let data = stroke.data { fill(&result, from: data, hasRecovery: stroke.hasRecovery) }
        if let power = stroke.power { fill(&result, from: power) }
        result.target = targets.check(result, ofInterval: result.interval)
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
}
