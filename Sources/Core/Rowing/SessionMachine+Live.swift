import PM5Codec
import Timeline

/// The dashboard's numbers. Changes nothing.
extension SessionMachine {
    /// The dashboard's numbers as of the last notification; nil without a link that has spoken.
    ///
    /// Behind `LinkSilence.staleAfter` without a status the sample is stale: it is of `now`, tells how far the piece
    /// has come, and leaves out what holds for a moment only.
    package func live(at now: BootInstant) -> MetricsSample? {
        guard link.isOpen, !link.isReturning, let status = monitor.status else { return nil }
        let state = activity
        let isSession = isCurrent && state != .ready && state != .idle
        let ledger = isSession ? session.ledger : nil
        let elapsed = ledger?.elapsed ?? Int64(status.elapsedCentiseconds)
        let distance = ledger?.distance ?? Int64(status.distanceDecimeters)
        var sample = MetricsSample(
            at: link.lastHeard, state: state, elapsed: .centiseconds(elapsed),
            distance: Meters(decimeters: distance))
        sample.machine = monitor.machine
        sample.dragFactor = monitor.dragFactor.map(Int.init)
        if state != .ready && state != .idle {
            sample.averagePace = monitor.status1?.knownAveragePaceCentisecondsPer500m.map {
                Pace(centisecondsPer500m: Int64($0))
            }
        }
        if isSession { addInterval(to: &sample) }
        guard !link.isStarved(at: now) else {
            sample.at = now
            sample.isStale = true
            return sample
        }
        addMoment(to: &sample, status)
        return sample
    }

    private func addMoment(to sample: inout MetricsSample, _ status: GeneralStatus) {
        sample.heartRate = monitor.status1?.knownHeartRateBeatsPerMinute.map(Int.init)
        if sample.state == .resting, let status1 = monitor.status1 {
            sample.rest = .centiseconds(status1.restCentiseconds)
            sample.restDistance = Meters(Int64(status1.restDistanceMeters))
        }
        // A monitor freezes these in a pause and at the end, as if someone still rowed.
        if sample.state == .rowing { addMotion(to: &sample, status) }
        if sample.state == .rowing || sample.state == .paused {
            addTarget(to: &sample)
            if !session.head.workout.type.isJustRow {
                sample.remainder = session.ledger.remainder(monitor.status2)
            }
        }
    }

    private func addInterval(to sample: inout MetricsSample) {
        guard let figures = session.ledger.figures else { return }
        sample.interval = figures
        guard let count = session.head.workout.repetition?.count else { return }
        if figures.number.map({ $0 <= count }) ?? true { sample.intervalCount = count }
    }

    private func addTarget(to sample: inout MetricsSample) {
        let leg = session.ledger.leg
        let interval = session.ledger.interval(
            ofLeg: leg.serial, elapsedCentiseconds: UInt32(clamping: leg.elapsed))
        sample.target = session.targets.check(sample, ofInterval: interval)
    }

    private func addMotion(to sample: inout MetricsSample, _ status: GeneralStatus) {
        sample.strokePhase = status.strokeState
        sample.powerWatts = session.power.map { Int($0.strokePowerWatts) }
        guard let status1 = monitor.status1,
            status1.strokeRatePerMinute > 0 || status1.speedMillimetersPerSecond > 0
        else { return }
        sample.strokeRate = status1.knownStrokeRatePerMinute.map(Int.init)
        sample.speedMillimetersPerSecond = Int(status1.speedMillimetersPerSecond)
        sample.pace = status1.knownCurrentPaceCentisecondsPer500m.map {
            Pace(centisecondsPer500m: Int64($0))
        }
    }
}
