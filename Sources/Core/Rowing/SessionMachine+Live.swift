import PM5Codec
import Timeline

/// The live values of the dashboard. Changes nothing.
extension SessionMachine {
    /// The live values as of the last notification; nil without a link and a status.
    ///
    /// After `LinkTimeouts.staleAfter` without a status the sample is stale: its time is `now`, it has the
    /// progress of the piece, and momentary values are nil.
    package func live(at now: BootInstant) -> MetricsSample? {
        guard link.isOpen, !link.isReturning, let status = monitor.status else { return nil }
        let state = activity
        let isSession = isCurrent && state != .ready && state != .idle
        let intervals = isSession ? session.intervals : nil
        let elapsed = intervals?.totalElapsed ?? Int64(status.elapsedCentiseconds)
        let distance = intervals?.totalDistance ?? Int64(status.distanceDecimeters)
        var sample = MetricsSample(
            at: link.lastReceived, state: state, elapsed: .centiseconds(elapsed),
            distance: Meters(decimeters: distance))
        sample.machine = monitor.machine
        sample.dragFactor = monitor.dragFactor.map(Int.init)
        if state != .ready && state != .idle {
            sample.averagePace = monitor.status1?.knownAveragePaceCentisecondsPer500m.map {
                Pace(centisecondsPer500m: Int64($0))
            }
        }
        if isSession { addInterval(to: &sample) }
        guard !link.isStatusStale(at: now) else {
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
        // The monitor freezes these values in a pause and at the end, as if the rower continued.
        if sample.state == .rowing { addMotion(to: &sample, status) }
        if sample.state == .rowing || sample.state == .paused {
            addTarget(to: &sample)
            if !session.head.workout.type.isJustRow {
                sample.remainder = session.intervals.remainder(monitor.status2)
            }
        }
    }

    private func addInterval(to sample: inout MetricsSample) {
        guard let progress = session.intervals.progress else { return }
        sample.interval = progress
        guard let count = session.head.workout.repetition?.count else { return }
        if progress.number.map({ $0 <= count }) ?? true { sample.intervalCount = count }
    }

    private func addTarget(to sample: inout MetricsSample) {
        let leg = session.intervals.leg
        let interval = session.intervals.interval(
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
