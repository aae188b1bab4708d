import PM5Codec
import Timeline

/// Releases complete strokes and publishes them. Changes `strokes`, and the session's gaps and totals.
extension SessionMachine {
    mutating func releaseStrokes(
        at now: BootInstant, flush: Bool = false, into events: inout [SessionEvent]
    ) {
        var released = strokes.released
        while let stroke = strokes.next(at: now, flush: flush) {
            // An old status does not describe this stroke.
            let readings = link.isStatusStale(at: stroke.firstSeen) ? MonitorReadings() : monitor
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
        gaps.resolveSilence(before: stroke.firstSeen)
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
        let position = intervals.sessionPosition(
            elapsedCentiseconds: stroke.elapsedCentiseconds,
            distanceDecimeters: stroke.data?.distanceDecimeters, leg: stroke.leg)
        var result = Stroke(
            session: head.id, at: now, number: stroke.number,
            elapsed: .centiseconds(position.elapsed), distance: Meters(decimeters: position.distance))
        result.interval = intervals.interval(
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
        if let data = stroke.data { copyFields(from: data, hasRecovery: stroke.hasRecovery, to: &result) }
        if let power = stroke.power { copyFields(from: power, to: &result) }
        result.target = targets.check(result, ofInterval: result.interval)
        return result
    }

    private func copyFields(from data: StrokeData, hasRecovery: Bool, to stroke: inout Stroke) {
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

    private func copyFields(from power: AdditionalStrokeData, to stroke: inout Stroke) {
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
