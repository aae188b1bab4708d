import PM5Codec
import Timeline

/// The activity of an erg.
package enum ActivityState: String, CaseIterable, Sendable {
    case idle, ready, rowing, paused, resting, finished

    /// Whether a session is open: rowgate leaves the erg alone, publishes live values, and stores raw
    /// values.
    package var hasOpenSession: Bool {
        switch self {
        case .rowing, .paused, .resting: true
        case .idle, .ready, .finished: false
        }
    }
}

/// The retained state of a station, for late subscribers.
package struct StationState: Equatable, Sendable {
    /// The activity of the erg.
    package var activity: ActivityState
    /// The open or `finished` session; nil otherwise.
    package var session: SessionID?
    /// The workout on the monitor; nil in the menus and without a link.
    package var workout: Workout?
    /// The interval before the rest; nil unless `.resting`.
    package var interval: IntervalProgress?
}

/// The current interval, or the last one during a rest.
///
/// A monitor reports an interval only after its rest, because that packet includes the rest. Until it
/// arrives, these values come from statuses and strokes.
package struct IntervalProgress: Equatable, Sendable {
    /// 1-based; nil if intervals may have been missed and the monitor's count has not arrived yet.
    package var number: Int?
    /// Work of this interval so far; nil if it is over and its end was not received.
    package var elapsed: Duration?
    /// As `elapsed`. Exact to 1 m once the interval is over.
    package var distance: Meters?
    /// Whether the work of the interval is done.
    package var isOver = false

    /// Of the whole interval; nil before its end.
    package var averagePace: Pace? {
        guard isOver, let elapsed, let distance else { return nil }
        return Pace(rowing: distance, in: elapsed)
    }
}

/// The rest of a piece or interval, in the unit of its goal. At most one value is not nil.
package struct Remainder: Equatable, Sendable {
    package var distance: Meters?
    package var time: Duration?
    package var calories: Int?
}

/// The live values of the dashboard. They are never stored.
package struct MetricsSample: PerformanceValues, Equatable, Sendable {
    /// When the last value of any characteristic arrived.
    package var at: BootInstant
    /// The activity of the erg. Values of motion are set only while `.rowing`.
    package var state: ActivityState
    /// Work time since the start of the session, over all intervals.
    package var elapsed: Duration
    /// As `elapsed`.
    package var distance: Meters
    /// Strokes per minute; nil before the first stroke and while not rowing.
    package var strokeRate: Int?
    /// The current pace; nil before the first stroke and while not rowing.
    package var pace: Pace?
    /// Of the piece or interval; nil before the first stroke.
    package var averagePace: Pace?
    /// Of the last drive; nil before the first one and while not rowing.
    package var powerWatts: Int?
    /// Beats per minute, also in pauses and rests; nil without a belt.
    package var heartRate: Int?
    /// Nil until measured in this interval.
    package var dragFactor: Int?
    /// Nil while not rowing.
    package var strokePhase: StrokeState?
    /// Remaining time of a planned rest; nil outside a rest.
    package var rest: Duration?
    /// Distance rowed in this rest; nil outside a rest.
    package var restDistance: Meters?
    /// Millimetres per second, the unit of the protocol.
    package var speedMillimetersPerSecond: Int?
    /// In a MultiErg workout the machine of the current interval; nil on old firmware.
    package var machine: ErgMachineType?
    /// The comparison of the current values with the target; nil without a target, and outside of work.
    package var target: TargetCheck?
    /// The current interval, or in a rest the one before it; nil in single pieces.
    package var interval: IntervalProgress?
    /// The number of intervals; nil if unknown or unlimited.
    package var intervalCount: Int?
    /// Of the piece or the current interval; nil without a set end, and outside of work.
    package var remainder: Remainder?
    /// No status arrived for `LinkTimeouts.staleAfter`. Momentary values are nil.
    package var isStale = false
}

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
