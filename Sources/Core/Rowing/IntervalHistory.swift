import Bytes
import PM5Codec
import Timeline

/// Adds up intervals, because the monitor's time and distance restart with each of them.
///
/// A leg (`Leg`) is an interval, or the whole of a single piece. Only work counts: during a rest, time and
/// distance do not change here. A leg is *closed* when its work is over. It is *settled* when the monitor's
/// own values of it have arrived (0x0037). It is *anchored* when its start was moved to match the monitor's
/// sum of finished intervals.
struct IntervalHistory: Equatable {
    /// Characteristics are read one after the other, so the time in one may be ahead of another by this
    /// much.
    static let jitterCentiseconds: Int64 = 200
    /// How far a boat may run on after its last drive, in 0.1 m. The monitor does not count it as work.
    private static let runOnDecimeters: Int64 = 100
    /// Faster than any rower.
    static let fastestMetersPerSecond: Int64 = 8
    /// Longer than any piece, 0.01 s.
    static let longestPiece: Int64 = 24 * 3600 * 100
    /// Ending a piece, setting another and beginning it takes longer, 0.01 s.
    private static let restart: Int64 = 500
    /// A drive lasts longer than this after the last packet of the stroke before.
    private static let driveCentiseconds: Int64 = 50

    private struct SplitEnd: Equatable {
        var number = 0
        var elapsed: Int64 = 0
    }

    /// The effect of a status.
    enum Change: Equatable {
        case none
        /// Time and distance restarted.
        case newLeg
    }

    /// What may be lost in an absence.
    struct Missed: Equatable {
        /// Strokes at the end of a leg or piece. They have no number, because the monitor then counts from
        /// 1.
        var strokes = false
        /// Another leg began, with its own sums.
        var legs = false
    }

    private(set) var leg = Leg()
    private(set) var previous: Leg?
    private(set) var isInterval = false
    private(set) var target = Workout.Target.none
    /// 0x0031 offset 11, metres: the monitor's sum of finished intervals.
    private(set) var reportedMeters: UInt32 = 0
    /// 0x0033 offset 3, extended past 8 bits: finished splits or intervals.
    private(set) var intervalCount = 0
    /// The same count at an end that was not received; it includes the last split.
    private(set) var finalCount: Int?
    /// The last two splits in 0x0037 of a single piece, and when they ended, 0.01 s.
    private var lastSplit = SplitEnd()
    private var splitBeforeLast = SplitEnd()
    /// False if legs of unknown duration were missed.
    private(set) var isTimeCertain = true
    private(set) var isIndexCertain = true
    /// Of the legs before `previous`.
    private var areTimesExact = true
    private var areDistancesExact = true
    private var isOfEqualTime = false
    /// How long no values arrived before this leg was joined, 0.01 s; 0 if its beginning was received.
    private var absence: Int64 = 0
    /// Stroke packets opened this leg, and no status of it has arrived yet.
    private var isAhead = false
    /// The time in the newest status of this leg, 0.01 s. A status with a smaller time is a late one.
    private var reported: Int64 = 0
    /// The same of the previous leg, while strokes have opened this one.
    private var reportedBefore: Int64 = 0

    init() {}

    /// Work since the start of the session, 0.01 s.
    var totalElapsed: Int64 { leg.endElapsed }
    /// Work since the start of the session, 0.1 m.
    var totalDistance: Int64 { leg.endDistance }
    /// Whether `totalElapsed` covers all work to 0.1 s, if the end was received.
    var isElapsedExact: Bool {
        isTimeCertain && (isIndexCertain || !isInterval) && areTimesExact
            && (previous?.isTimeExact ?? true) && leg.isTimeExact
    }
    /// Whether `totalDistance` covers all work to 0.1 m, if the end was received.
    var isDistanceExact: Bool {
        isTimeCertain && (isIndexCertain || !isInterval) && areDistancesExact
            && (previous?.isDistanceExact ?? true) && leg.isDistanceExact
    }

    /// The 1-based number of the interval of a leg, or of the split at this time.
    ///
    /// 0x0033 arrives up to a second after the boundary of a split, and strokes are released after their
    /// recovery. Therefore the time of the boundary decides.
    func interval(ofLeg serial: Int, elapsedCentiseconds: UInt32) -> Int {
        guard !isInterval else { return frame(serial).index }
        let time = Int64(elapsedCentiseconds)
        for split in [splitBeforeLast, lastSplit]
        where split.number > 0 && time <= split.elapsed { return split.number }
        return max(lastSplit.number, intervalCount) + 1
    }

    /// The number of splits or intervals before the last one.
    var finishedSplits: Int { isInterval ? leg.index - 1 : intervalCount }

    /// Begins a session. If the piece is in progress, the monitor's values give the start.
    mutating func begin(_ status: GeneralStatus) {
        self = IntervalHistory()
        isInterval = status.workoutType.isInterval
        isOfEqualTime = status.workoutType == .fixedTimeInterval
        target = Workout.Target(status)
        if isInterval, status.totalWorkDistanceMeters > 0 {
            leg.startDistance = Int64(status.totalWorkDistanceMeters) * 10
            reportedMeters = status.totalWorkDistanceMeters
            markCountUncertain()
        }
        advance(status)
    }

    /// Applies a status during work.
    ///
    /// - Parameter mayBeLate: strokes opened the leg a moment ago, so a status of the previous leg may
    ///   still arrive.
    mutating func work(_ status: GeneralStatus, mayBeLate: Bool) -> Change {
        let time = Int64(status.elapsedCentiseconds)
        let hasRestarted = time + Self.jitterCentiseconds < leg.elapsed
        if isAhead {
            guard !mayBeLate || time < reportedBefore else { return .none }
            isAhead = false
        } else if isInterval, leg.isClosed || hasRestarted {
            open()
            note(status)
            return .newLeg
        }
        note(status)
        return .none
    }

    /// Applies a status of a rest: the work of the leg is done.
    mutating func rest(_ status: GeneralStatus, mayBeLate: Bool) {
        guard isInterval, !isAhead || !mayBeLate else { return }
        isAhead = false
        let time = Int64(status.elapsedCentiseconds)
        if !leg.isClosed {
            leg.isEndReceived = isEnd(status)
            leg.finishedMeters = leg.isEndReceived ? status.totalWorkDistanceMeters : nil
            close()
            leg.restBegan = time
        } else if let end = leg.restBegan {
            if time == end { leg.extend(toEnd: end) }
            leg.restBegan = nil
        }
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
    }

    /// Whether the first status of a rest follows the last status or stroke so soon that only the last
    /// moment of the work can be missing.
    private func isEnd(_ status: GeneralStatus) -> Bool {
        let last = max(leg.elapsed, leg.furthestStrokeElapsed)
        if case .time(let length) = target {
            return length.wholeMilliseconds / 10 - last <= Self.jitterCentiseconds
        }
        // The monitor truncates the frozen time of a rest to 0.1 s.
        return (-9...Self.jitterCentiseconds).contains(Int64(status.elapsedCentiseconds) - last)
    }

    /// Applies the frozen values of the end. After a terminate they may already be zero.
    mutating func finish(_ status: GeneralStatus) {
        guard !leg.isClosed else { return }
        let time = Int64(status.elapsedCentiseconds)
        // The monitor truncates the frozen time of the end to 0.1 s.
        leg.isFinal = time + 10 > leg.elapsed
        advance(status)
        if leg.isFinal { leg.elapsed = time }
        leg.isClosed = true
    }

    /// The piece is over, with or without a status of its end.
    mutating func end() {
        if !leg.isClosed, !leg.isSettled { extendToLastStroke() }
    }

    /// Notes the time and distance of a stroke, since no later status of the leg may arrive.
    mutating func noteStroke(elapsed: UInt32, distance: UInt32, leg serial: Int) {
        guard serial == leg.serial else { return }
        var (time, decimeters) = (Int64(elapsed), Int64(distance))
        // The work ends at the goal, even if the last recovery ends after it.
        if case .time(let length) = target { time = min(time, length.wholeMilliseconds / 10) }
        if case .distance(let length) = target { decimeters = min(decimeters, length.millimeters / 100) }
        leg.furthestStrokeElapsed = max(leg.furthestStrokeElapsed, time)
        leg.furthestStrokeDistance = max(leg.furthestStrokeDistance, decimeters)
    }

    /// Whether a status can continue a piece that is known from strokes only. Its finished intervals must
    /// include the received distance.
    func canContinue(_ status: GeneralStatus) -> Bool {
        let phase = status.workoutState.phase
        guard phase != .over else { return true }
        guard isInterval else { return phase != .working }
        let time = Int64(status.elapsedCentiseconds) + Self.jitterCentiseconds
        let isSameLeg = phase == .working && time >= max(leg.elapsed, leg.furthestStrokeElapsed)
        let least = isSameLeg ? leg.startDistance : leg.startDistance + leg.furthestStrokeDistance
        return Self.hasFinished(status, decimeters: least)
    }

    /// Whether the status reports at least this distance in finished intervals.
    static func hasFinished(_ status: GeneralStatus, decimeters: Int64) -> Bool {
        Int64(status.totalWorkDistanceMeters) * 10 + runOnDecimeters >= decimeters
    }

    private mutating func extendToLastStroke() {
        leg.elapsed = max(leg.elapsed, leg.furthestStrokeElapsed)
        leg.distance = max(leg.distance, leg.furthestStrokeDistance)
    }

    /// Stroke numbers restarted before a status showed the new leg.
    ///
    /// - Parameter isVariable: whether each interval has its own goal, which only a status shows.
    mutating func openByStroke(isVariable: Bool) {
        reportedBefore = reported
        open()
        isAhead = true
        if isVariable { target = .none }
    }

    private mutating func open() {
        if !leg.isClosed { close() }
        foldPrevious()
        previous = leg
        leg = Leg(
            serial: leg.serial + 1, index: max(leg.index, intervalCount) + 1,
            startElapsed: leg.endElapsed,
            startDistance: leg.endDistance)
    }

    /// Folds the previous leg into the sums when no packet can change it any more.
    private mutating func foldPrevious() {
        guard let previous else { return }
        areTimesExact = areTimesExact && previous.isTimeExact
        areDistancesExact = areDistancesExact && previous.isDistanceExact
    }

    /// Applies the number of finished splits or intervals in 0x0033.
    ///
    /// - Returns: whether intervals were missed.
    mutating func count(_ count: UInt8, in phase: PiecePhase) -> Bool {
        guard phase != .over else { return countAtEnd(count) }
        intervalCount = intervalCount.continued(by: count)
        guard isInterval, !isIndexCertain else { return false }
        isIndexCertain = true
        let expected = leg.index
        leg.index = max(1, intervalCount + (phase == .resting ? 0 : 1))
        // With equal times, the number of an interval gives its start time.
        if isOfEqualTime, case .time(let length) = target,
            !isLongEnoughForAnotherPiece(
                in: absence, meters: reportedMeters, finished: leg.index - 1, elapsed: leg.elapsed)
        {
            leg.startElapsed = Int64(leg.index - 1) * length.wholeMilliseconds / 10
            isTimeCertain = true
        }
        return leg.index > expected
    }

    private mutating func countAtEnd(_ count: UInt8) -> Bool {
        guard !isIndexCertain else { return false }
        isIndexCertain = true
        let total = intervalCount.continued(by: count)
        finalCount = total
        guard isInterval, total > leg.index else { return false }
        isTimeCertain = false
        return true
    }

    /// Applies the monitor's values of a finished split or interval: 0x0037.
    ///
    /// - Parameter belongsToPreviousLeg: whether they arrived before the status that opened the current
    ///   leg.
    mutating func settle(_ split: SplitData, number: Int, belongsToPreviousLeg: Bool = false) {
        guard isInterval else {
            // In a single piece the time continues over its splits.
            splitBeforeLast = lastSplit
            lastSplit = SplitEnd(number: number, elapsed: Int64(split.elapsedCentiseconds))
            return
        }
        if belongsToPreviousLeg, !isIndexCertain, !leg.isClosed, number >= leg.index {
            leg.index = number + 1
        } else if number == leg.index {
            leg.settle(split)
        } else if let before = previous, number == before.index, !before.isSettled {
            var settled = before
            settled.settle(split)
            leg.startElapsed += settled.endElapsed - before.endElapsed
            leg.startDistance += settled.endDistance - before.endDistance
            previous = settled
        }
    }

    /// Continues the same piece after an absence.
    ///
    /// There are four cases. The same leg continues: nothing was missed. The rower rests: the leg is over,
    /// and others may have followed. Another leg is in progress: it begins where the monitor's sum of
    /// finished intervals ends. The piece is over: `rejoinEnd`. Only the elapsed time decides whether whole
    /// legs may have been missed, since their number comes later, with 0x0033.
    ///
    /// - Parameters:
    ///   - away: time since the last status; nil if unknown.
    ///   - lastStroke: the monitor's time of the last received stroke of the leg.
    mutating func rejoin(
        _ status: GeneralStatus, after away: Duration?, lastStroke: Int64
    ) -> Missed {
        let phase = status.workoutState.phase
        let hasGrown = status.totalWorkDistanceMeters > reportedMeters
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
        let isSameLeg = phase == .working && !hasGrown && !leg.isClosed
        absence = away.map { $0.wholeMilliseconds / 10 } ?? Self.longestPiece
        // The metres of a finished leg are part of the sum.
        let time = phase == .working ? Int64(status.elapsedCentiseconds) : 0
        let mayBeAnother =
            isInterval && !isSameLeg
            && isLongEnoughForAnotherPiece(in: absence, meters: reportedMeters, elapsed: time)
        if mayBeAnother { markCountUncertain() }
        let wasReceived = leg.isClosed && !hasGrown && !mayBeAnother
        if phase == .over {
            rejoinEnd(status)
            // After a terminate the time may already be 0.
            let sinceStroke = Int64(status.elapsedCentiseconds) - lastStroke
            let isTooShort = (0...Self.driveCentiseconds).contains(sinceStroke)
            return Missed(strokes: !wasReceived && (mayBeAnother || !isTooShort))
        }
        guard isInterval else { return Missed() }
        let total = Int64(status.totalWorkDistanceMeters) * 10
        if phase == .resting {
            let isOfThisLeg = isIndexCertain && !isLongEnoughForAnotherLeg(in: absence)
            if !leg.isClosed { close() }
            if isOfThisLeg {
                leg.distance = max(leg.distance, total - leg.startDistance)
            } else {
                anchor(at: total)
            }
            return Missed(strokes: !wasReceived)
        }
        guard !isSameLeg else { return Missed() }
        if !leg.isClosed { close() }
        setEnd(at: total)
        open()
        markCountUncertain()
        return Missed(strokes: !wasReceived, legs: true)
    }

    /// Legs of unknown number and time were missed.
    mutating func markCountUncertain() {
        isIndexCertain = false
        isTimeCertain = false
        areDistancesExact = false
    }

    /// Whether `away`, 0.01 s, is long enough for another piece of this workout to reach `elapsed` in a
    /// leg, after finished legs of `meters`.
    func isLongEnoughForAnotherPiece(
        in away: Int64, meters: UInt32 = 0, finished: Int? = nil, elapsed: Int64
    ) -> Bool {
        var least = Int64(meters) * 100 / Self.fastestMetersPerSecond
        if isOfEqualTime, case .time(let length) = target {
            let legs = Int64(finished ?? (meters > 0 ? 1 : 0))
            least = max(least, legs * length.wholeMilliseconds / 10)
        }
        return Self.restart + least + elapsed <= away
    }

    /// Whether `away`, 0.01 s, is long enough for the rest of this leg and another one.
    private func isLongEnoughForAnotherLeg(in away: Int64) -> Bool {
        guard isOfEqualTime, case .time(let length) = target else { return true }
        let goal = length.wholeMilliseconds / 10
        return away >= (leg.isClosed ? 0 : max(0, goal - leg.elapsed)) + goal
    }

    /// Ends a finished leg at the monitor's sum of intervals, 0.1 m.
    private mutating func anchor(at total: Int64) {
        // The monitor may round off up to one metre per finished interval.
        guard total - leg.endDistance > 10 * Int64(leg.index) else { return }
        setEnd(at: total)
        markCountUncertain()
    }

    /// Moves the leg so that it ends at this sum, 0.1 m, if it seemed to end before. The missing distance
    /// was rowed in earlier legs. `Leg.settle` does not move the end again.
    private mutating func setEnd(at total: Int64) {
        guard total > leg.endDistance else { return }
        leg.startDistance += total - leg.endDistance
        leg.isAnchored = true
    }

    /// The piece ended during an absence.
    ///
    /// After a rest the frozen values are not those of the work alone. 0x0033 then shows whether they
    /// belong to the known leg.
    private mutating func rejoinEnd(_ status: GeneralStatus) {
        isIndexCertain = false
        guard isInterval else { return finish(status) }
        guard !leg.isClosed else {
            return anchor(at: Int64(status.totalWorkDistanceMeters) * 10)
        }
        let knownElapsed = leg.elapsed
        let time = Int64(status.elapsedCentiseconds)
        let sum = Int64(status.totalWorkDistanceMeters) * 10 - leg.startDistance
        let isOfWork = abs(sum - Int64(status.distanceDecimeters)) <= 10 * Int64(leg.index)
        if time >= knownElapsed { leg.elapsed = time }
        leg.isFinal = time >= knownElapsed && isOfWork
        if leg.isFinal {
            leg.distance = max(leg.distance, Int64(status.distanceDecimeters))
        } else {
            leg.distance = max(leg.distance, sum)
            isTimeCertain = false
        }
        leg.isClosed = true
    }

    /// The session time and distance of a packet that was counted in a leg. A stroke in the rest gets those
    /// of the end of the leg.
    func sessionPosition(
        elapsedCentiseconds: UInt32, distanceDecimeters: UInt32?, leg serial: Int
    ) -> (elapsed: Int64, distance: Int64) {
        let frame = frame(serial)
        var time = Int64(elapsedCentiseconds)
        var decimeters = distanceDecimeters.map(Int64.init) ?? frame.distance
        if frame.isClosed {
            if !isOfEnd(time, of: frame) { time = min(time, frame.elapsed) }
            decimeters = min(decimeters, frame.distance)
        }
        return (frame.startElapsed + time, frame.startDistance + decimeters)
    }

    /// Whether a time is that of the end of a leg, which the monitor truncates to 0.1 s.
    private func isOfEnd(_ time: Int64, of frame: Leg) -> Bool {
        if case .time = target { return false }
        return frame.elapsed % 10 == 0 && (frame.elapsed..<frame.elapsed + 10).contains(time)
    }

    private func frame(_ serial: Int) -> Leg {
        serial == leg.serial ? leg : previous ?? leg
    }

    private mutating func note(_ status: GeneralStatus) {
        target = Workout.Target(status)
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
        leg.metersBefore = status.totalWorkDistanceMeters
        advance(status)
    }

    private mutating func advance(_ status: GeneralStatus) {
        reported = Int64(status.elapsedCentiseconds)
        leg.elapsed = max(leg.elapsed, Int64(status.elapsedCentiseconds))
        leg.distance = max(leg.distance, Int64(status.distanceDecimeters))
    }

    /// Closes the leg. The last status can be a second old, but the goal is exact.
    private mutating func close() {
        leg.isClosed = true
        leg.goal =
            switch target {
            case .time: .time
            case .distance: .distance
            default: .other
            }
        guard !leg.isSettled else { return }
        extendToLastStroke()
        switch target {
        case .time(let length): leg.elapsed = max(leg.elapsed, length.wholeMilliseconds / 10)
        case .distance(let length): leg.distance = max(leg.distance, length.millimeters / 100)
        default: break
        }
    }
}

// MARK: - Bytes of a checkpoint

extension IntervalHistory {
    /// The part that a checkpoint stores. It leaves out the previous leg and an opened one: 0x0037 or a
    /// status settles those within milliseconds.
    var checkpointValue: IntervalHistory {
        var value = self
        value.previous = nil
        (value.areTimesExact, value.areDistancesExact) = (true, true)
        (value.leg.goal, value.leg.isFinal) = (.other, false)
        value.isAhead = false
        (value.reported, value.reportedBefore, value.leg.restBegan) = (0, 0, nil)
        (value.leg.isEndReceived, value.leg.metersBefore, value.leg.finishedMeters) = (false, nil, nil)
        value.finalCount = nil
        (value.leg.furthestStrokeElapsed, value.leg.furthestStrokeDistance, value.absence) = (0, 0, 0)
        return value
    }

    /// Reads or writes the stored part.
    mutating func code(with coder: inout ByteCoder) {
        var flags = [
            isInterval, isOfEqualTime, isTimeCertain, isIndexCertain, leg.isClosed, leg.isSettled,
            leg.isAnchored,
        ]
        coder.flags(&flags)
        (isInterval, isOfEqualTime) = (flags[0], flags[1])
        (isTimeCertain, isIndexCertain) = (flags[2], flags[3])
        (leg.isClosed, leg.isSettled, leg.isAnchored) = (flags[4], flags[5], flags[6])
        target.code(with: &coder)
        coder.count(&leg.serial)
        coder.count(&leg.index)
        coder.count(&leg.startElapsed)
        coder.count(&leg.startDistance)
        coder.count(&leg.elapsed)
        coder.count(&leg.distance)
        coder.count(&reportedMeters)
        coder.count(&intervalCount)
        coder.count(&lastSplit.number)
        coder.count(&lastSplit.elapsed)
        coder.count(&splitBeforeLast.number)
        coder.count(&splitBeforeLast.elapsed)
    }

    /// After a restart it is unknown whether the earlier legs are exact.
    mutating func markInexact() {
        guard isInterval else { return }
        (areTimesExact, areDistancesExact) = (false, false)
    }
}
