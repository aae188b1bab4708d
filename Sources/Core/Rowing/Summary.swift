import PM5Codec
import Timeline

/// The result of a piece: the monitor's 0x0039 and 0x003A, or our own sums if it sent none.
package struct Summary: Equatable, Sendable {
    /// Starts at 1 and grows with each correction: a late summary of the monitor, or a repeated one with
    /// the recovery heart rate.
    package var revision: Int
    /// The session of the summary.
    package var session: SessionID
    /// The workout on the monitor.
    package var workout: Workout
    /// When the work of the session began.
    package var startedAt: BootInstant
    /// When it was over. If the link never came back: when the last value arrived.
    package var endedAt: BootInstant
    /// When this revision was published.
    package var at: BootInstant
    /// Time of the work, without rests.
    package var result: Duration
    /// Distance of the work, without rests.
    package var distance: Meters
    /// Nil if nothing was rowed.
    package var averagePace: Pace?
    /// Of the work; nil if no power was received.
    package var averagePowerWatts: Int?
    /// Over the published strokes; nil if none had a power. The monitor does not report it.
    package var maximumPowerWatts: Int?
    /// Strokes per minute, truncated.
    package var averageStrokeRate: Int?
    /// Beats per minute: from the monitor, or our mean of the work if it reports 0; nil without a belt.
    package var averageHeartRate: Int?
    /// As `averageHeartRate`.
    package var minimumHeartRate: Int?
    /// As `averageHeartRate`.
    package var maximumHeartRate: Int?
    /// As `averageHeartRate`, at the end.
    package var endingHeartRate: Int?
    /// One minute after the end, in a later revision; nil before and without a belt.
    package var recoveryHeartRate: Int?
    /// From the monitor, or our mean if it reports 0; nil if none was received.
    package var averageDragFactor: Int?
    /// Of the work.
    package var calories: Int?
    /// Number of strokes that the gateway published for the session.
    package var strokes: Int
    /// Number of splits or intervals that the gateway published for the session.
    package var splits: Int
    /// The published share of the piece's strokes in thousandths; nil if all were published, or if their
    /// number is unknown.
    package var receivedThousandths: Int?
    /// Whether the monitor sent no result, and `result` and `distance` may be incomplete.
    package var isPartial = false
    /// Whether the monitor reached the goal. A just row has none and is never complete.
    package var isComplete: Bool
    /// Date and time in the monitor's log, "2016-03-06T11:36"; its clock may be wrong.
    package var monitorLogDate: String?
    /// The entry of the piece in the monitor's log; nil with old firmware, and if it was not received.
    package var monitorLogEntry: LogEntry?
    /// Whether the monitor's result agrees with our own sums. Nil if the monitor sent none; our sums are
    /// then published.
    package var isVerifiedAgainstMonitor: Bool?
    /// Whether the monitor verified the piece (0x003C, only with the multiplexed carrier).
    package var isVerifiedByMonitor: Bool?
    /// The sum of all reported rests; nil without one.
    package var rest: Duration?
    /// Rowed in the rests; nil in single pieces.
    package var restDistance: Meters?
    /// Nil on old firmware.
    package var machine: ErgMachineType?
    /// Over all published strokes; nil without a target.
    package var targetTally: TargetTally?

    /// An entry in the monitor's log (0x003F).
    package struct LogEntry: Equatable, Sendable {
        /// The key of the workout: 16 hexadecimal digits, its bytes in the order in which the monitor sends them.
        package var workoutHash: String
        /// The place of the entry in the monitor's memory.
        package var address: UInt32

        package init(workoutHash: String, address: UInt32) {
            (self.workoutHash, self.address) = (workoutHash, address)
        }
    }
}

/// Builds the result of a session from its parts. Changes nothing.
extension Session {
    /// The result as known now: the monitor's, completed by our own values, or our own sums.
    func presentSummary(at now: BootInstant) -> Summary {
        var result = computedSummary(at: now)
        guard let main = summary.main else { return result }
        let agrees = agrees(main)
        result.isVerifiedAgainstMonitor = agrees
        result.isPartial = false
        // Our own values belong to another result, or to a part of this one.
        if !agrees { clearComputedValues(from: &result) }
        if !isEndSeen, head.workout.isReached(by: main) { result.isComplete = true }
        summary.apply(to: &result)
        return result
    }

    /// Whether our sums equal the monitor's, within 0.1 s and 1 m per interval.
    private func agrees(_ main: WorkoutSummary) -> Bool {
        let legs = Int64(intervals.leg.serial)
        return abs(Int64(main.elapsedCentiseconds) - intervals.totalElapsed) <= 10 * (legs + 1)
            && abs(Int64(main.distanceDecimeters) - intervals.totalDistance) <= 10 * legs
    }

    private func clearComputedValues(from result: inout Summary) {
        let covered = summary.main.map { totals.splitsCover(Int64($0.elapsedCentiseconds)) } ?? false
        if !covered { (result.calories, result.averagePowerWatts) = (nil, nil) }
        // The monitor may count differently. Values that are not known to be incomplete stay.
        guard gaps.wasAway else { return }
        (result.averageHeartRate, result.minimumHeartRate, result.maximumHeartRate) = (nil, nil, nil)
        (result.maximumPowerWatts, result.averageDragFactor) = (nil, nil)
        result.receivedThousandths = nil
    }

    /// The summary computed from received values. A value is nil if a part of it is missing. Averages over
    /// strokes stay if the number of missing strokes is known.
    private func computedSummary(at now: BootInstant) -> Summary {
        let time = Duration.centiseconds(intervals.totalElapsed)
        let distance = Meters(decimeters: intervals.totalDistance)
        var result = Summary(
            revision: head.revision, session: head.id, workout: head.workout,
            startedAt: head.startedAt, endedAt: head.endedAt, at: now, result: time,
            distance: distance,
            strokes: totals.strokes, splits: totals.splits, isComplete: head.isComplete)
        let isTimeExact = isEndSeen && intervals.isElapsedExact
        result.isPartial = !isTimeExact || !intervals.isDistanceExact
        if !result.isPartial { result.averagePace = Pace(rowing: distance, in: time) }
        let isCounted = gaps.isCounted
        let strokes = totals.strokes + totals.missingStrokes
        if isTimeExact, intervals.totalElapsed > 0, strokes > 0, isCounted {
            result.averageStrokeRate = Int(Int64(strokes) * 6000 / intervals.totalElapsed)
        }
        let whole = summary.main.map { Int64($0.elapsedCentiseconds) }
        addSums(to: &result, over: whole ?? (isTimeExact ? intervals.totalElapsed : nil))
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

    /// Adds the monitor's sums: those at the end of a single piece, or of all splits.
    ///
    /// - Parameter time: the time of the whole work, 0.01 s; nil if unknown.
    private func addSums(to result: inout Summary, over time: Int64?) {
        if let time, totals.splitsCover(time) {
            result.calories = totals.splitCalories
            if intervals.isInterval { result.averagePowerWatts = totals.intervalPower.value }
        }
        guard totals.areFinal else { return }
        result.calories = totals.calories.sum
        if totals.reportedWatts > 0 { result.averagePowerWatts = totals.reportedWatts }
    }

    /// Adds averages if every stroke has a number, and extremes if none is missing.
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

    /// The greatest age of the ending heart rate at the end.
    private static let heartLimit = Duration.seconds(2)

    /// Nil if the last heart rate is too old, or the end was not received.
    private var endingHeartRate: Int? {
        guard isEndSeen, let last = lastHeartRate,
            last.at.duration(to: noticedEnd) <= Self.heartLimit
        else { return nil }
        return Int(last.rate)
    }
}

extension Workout {
    /// Whether the monitor's result shows that a single piece reached its goal.
    fileprivate func isReached(by main: WorkoutSummary) -> Bool {
        guard type.hasEnd, !type.isInterval else { return false }
        return switch target {
        case .distance(let length): Int64(main.distanceDecimeters) >= length.millimeters / 100
        case .time(let length): Int64(main.elapsedCentiseconds) >= length.wholeMilliseconds / 10
        case .none, .calories, .wattMinutes: false
        }
    }
}
