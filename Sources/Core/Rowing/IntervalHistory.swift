import Bytes
import PM5Codec
import Timeline

/// Adds up intervals, because the monitor's time and distance restart with each of them.
///
/// A leg (`Leg`) is an interval, or the whole of a single piece. Only work counts: during a rest, time and
/// distance do not change here. Only the current leg and the one before it can change; the exactness of
/// earlier legs is in `earlierLegs`.
///
/// Four things are tracked apart from each other, each by its own state:
/// - `leg.end`: whether the work of the leg goes on, and how its end is known.
/// - `legStart`: whether a status has already shown the current leg.
/// - `missedLegs`: whether legs were missed in an absence, and what is known about them.
/// - `splits`: where the splits of a single piece end.
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

    /// How the monitor counts.
    private enum Format {
        case singlePiece
        /// Time and distance restart with each interval.
        case intervals
        /// Intervals of one length in time, so that the number of an interval gives its start.
        case intervalsOfEqualTime
    }

    /// What has shown the current leg.
    private enum LegStart: Equatable {
        case status
        /// Stroke numbers that restarted; no status of the leg has arrived yet. A status whose time is not
        /// below that of the newest status of the leg before, 0.01 s, may belong to that leg.
        case strokes(newestTimeBefore: Int64)
    }

    /// Legs that were missed in an absence.
    private enum MissedLegs: Equatable {
        /// Every leg was received, or its time is known.
        case none
        /// The piece was over after an absence. The next 0x0033 shows whether legs were missed.
        case possible
        /// Legs were missed. The next 0x0033 shows how many.
        case uncounted
        /// Legs were missed. Their number is known, but not their time.
        case counted
    }

    /// Whether sums are exact to 0.1 s and 0.1 m.
    struct Exactness: Equatable {
        var time = true
        var distance = true

        func and(_ other: Exactness?) -> Exactness {
            guard let other else { return self }
            return Exactness(time: time && other.time, distance: distance && other.distance)
        }
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
    private var previous: Leg?
    private var format = Format.singlePiece
    private var target = Workout.Target.none
    /// 0x0031 offset 11, metres: the monitor's sum of finished intervals.
    private(set) var reportedMeters: UInt32 = 0
    /// 0x0033 offset 3, extended past 8 bits: finished splits or intervals.
    private var intervalCount = 0
    /// The same count at an end that was not received; it includes the last split.
    private(set) var finalCount: Int?
    private var splits = SplitBoundaries()
    private var missedLegs = MissedLegs.none
    /// Of the legs before `previous`.
    private var earlierLegs = Exactness()
    /// How long no values arrived before the piece was last rejoined, 0.01 s; 0 if its beginning was
    /// received.
    private var absence: Int64 = 0
    private var legStart = LegStart.status
    /// The time in the newest status, 0.01 s.
    private var newestTime: Int64 = 0

    init() {}

    // MARK: - Sums

    var isInterval: Bool { format != .singlePiece }
    /// Work since the start of the session, 0.01 s.
    var totalElapsed: Int64 { leg.endElapsed }
    /// Work since the start of the session, 0.1 m.
    var totalDistance: Int64 { leg.endDistance }
    /// False if legs of unknown duration were missed.
    var isTimeCertain: Bool { missedLegs == .none || missedLegs == .possible }
    /// Whether the number of the current interval is known.
    private var isIndexCertain: Bool { missedLegs == .none || missedLegs == .counted }
    /// Whether `totalElapsed` covers all work to 0.1 s, if the end was received.
    var isElapsedExact: Bool { hasEveryLeg && exactness.time }
    /// Whether `totalDistance` covers all work to 0.1 m, if the end was received.
    var isDistanceExact: Bool { hasEveryLeg && exactness.distance }
    private var exactness: Exactness { earlierLegs.and(previous?.exactness).and(leg.exactness) }

    private var hasEveryLeg: Bool {
        switch missedLegs {
        case .none: true
        case .possible: !isInterval
        case .uncounted, .counted: false
        }
    }

    /// The 1-based number of the interval of a leg, or of the split at this time.
    func interval(ofLeg serial: Int, elapsedCentiseconds: UInt32) -> Int {
        guard !isInterval else { return frame(serial).index }
        return splits.number(at: Int64(elapsedCentiseconds), finished: intervalCount)
    }

    /// The number of splits or intervals before the last one.
    var finishedSplits: Int { isInterval ? leg.index - 1 : intervalCount }

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

    // MARK: - Statuses

    /// Begins a session. If the piece is in progress, the monitor's values give the start.
    mutating func begin(_ status: GeneralStatus) {
        self = IntervalHistory()
        let type = status.workoutType
        format =
            !type.isInterval ? .singlePiece : type == .fixedTimeInterval ? .intervalsOfEqualTime : .intervals
        target = Workout.Target(status)
        if isInterval, status.totalWorkDistanceMeters > 0 {
            leg = Leg(startDistance: Int64(status.totalWorkDistanceMeters) * 10)
            reportedMeters = status.totalWorkDistanceMeters
            noteMissedLegs()
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
        var change = Change.none
        switch legStart {
        case .strokes(let newestTimeBefore):
            guard !mayBeLate || time < newestTimeBefore else { return .none }
            legStart = .status
        case .status:
            if isInterval, leg.isClosed || hasRestarted {
                openNextLeg()
                change = .newLeg
            }
        }
        target = Workout.Target(status)
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
        leg.note(metersBefore: status.totalWorkDistanceMeters)
        advance(status)
        return change
    }

    /// Applies a status of a rest: the work of the leg is done.
    mutating func rest(_ status: GeneralStatus, mayBeLate: Bool) {
        guard isInterval, legStart == .status || !mayBeLate else { return }
        legStart = .status
        if leg.isClosed {
            leg.continueRest(status)
        } else {
            leg.close(at: target, inRest: status, isDirect: isDirectlyAfterWork(status))
        }
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
    }

    /// Whether the first status of a rest follows the last status or stroke so soon that only the last
    /// moment of the work can be missing.
    private func isDirectlyAfterWork(_ status: GeneralStatus) -> Bool {
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
        newestTime = Int64(status.elapsedCentiseconds)
        leg.finish(status)
    }

    /// The piece is over, with or without a status of its end.
    mutating func end() {
        if !leg.isClosed, !leg.isSettled { leg.extendToLastStroke() }
    }

    private mutating func advance(_ status: GeneralStatus) {
        newestTime = Int64(status.elapsedCentiseconds)
        leg.advance(status)
    }

    private mutating func openNextLeg() {
        closeLeg()
        // No packet can change the leg before the previous one any more.
        earlierLegs = earlierLegs.and(previous?.exactness)
        previous = leg
        leg = leg.next(index: max(leg.index, intervalCount) + 1)
    }

    private mutating func closeLeg() {
        if !leg.isClosed { leg.close(at: target) }
    }

    // MARK: - Strokes

    /// Notes the time and distance of a stroke, since no later status of the leg may arrive.
    mutating func noteStroke(elapsed: UInt32, distance: UInt32, leg serial: Int) {
        guard serial == leg.serial else { return }
        var (time, decimeters) = (Int64(elapsed), Int64(distance))
        // The work ends at the goal, even if the last recovery ends after it.
        if case .time(let length) = target { time = min(time, length.wholeMilliseconds / 10) }
        if case .distance(let length) = target { decimeters = min(decimeters, length.millimeters / 100) }
        leg.noteStroke(elapsed: time, distance: decimeters)
    }

    /// Stroke numbers restarted before a status showed the new leg.
    ///
    /// - Parameter isVariable: whether each interval has its own goal, which only a status shows.
    mutating func openByStroke(isVariable: Bool) {
        openNextLeg()
        legStart = .strokes(newestTimeBefore: newestTime)
        if isVariable { target = .none }
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

    // MARK: - Counts and values of the monitor

    /// Applies the number of finished splits or intervals in 0x0033.
    ///
    /// - Returns: whether intervals were missed.
    mutating func count(_ count: UInt8, in phase: PiecePhase) -> Bool {
        guard phase != .over else { return countAtEnd(count) }
        intervalCount = intervalCount.continued(by: count)
        guard isInterval, !isIndexCertain else { return false }
        missedLegs = missedLegs == .possible ? .none : .counted
        let expected = leg.index
        leg.renumber(max(1, intervalCount + (phase == .resting ? 0 : 1)))
        if let start = startOfEqualLeg {
            leg.start(at: start)
            missedLegs = .none
        }
        return leg.index > expected
    }

    /// The start of the current leg if its number gives it, 0.01 s. That needs legs of equal time, and an
    /// absence that was too short for another piece.
    private var startOfEqualLeg: Int64? {
        guard format == .intervalsOfEqualTime, case .time(let length) = target else { return nil }
        let finished = leg.index - 1
        guard
            !isLongEnoughForAnotherPiece(
                in: absence, meters: reportedMeters, finished: finished, elapsed: leg.elapsed)
        else { return nil }
        return Int64(finished) * length.wholeMilliseconds / 10
    }

    private mutating func countAtEnd(_ count: UInt8) -> Bool {
        guard !isIndexCertain else { return false }
        let total = intervalCount.continued(by: count)
        finalCount = total
        let hasMissed = isInterval && total > leg.index
        missedLegs = missedLegs == .possible && !hasMissed ? .none : .counted
        return hasMissed
    }

    /// Applies the monitor's values of a finished split or interval: 0x0037.
    ///
    /// - Parameter belongsToPreviousLeg: whether they arrived before the status that opened the current
    ///   leg.
    mutating func settle(_ split: SplitData, number: Int, belongsToPreviousLeg: Bool = false) {
        guard isInterval else {
            return splits.note(number, endingAt: Int64(split.elapsedCentiseconds))
        }
        if belongsToPreviousLeg, !isIndexCertain, !leg.isClosed, number >= leg.index {
            leg.renumber(number + 1)
        } else if number == leg.index {
            leg.settle(split)
        } else if let before = previous, number == before.index, !before.isSettled {
            var settled = before
            settled.settle(split)
            leg.follow(settled, insteadOf: before)
            previous = settled
        }
    }

    // MARK: - Absence

    /// Continues the same piece after an absence.
    ///
    /// There are four cases. The same leg continues: nothing was missed. The rower rests: the leg is over,
    /// and others may have followed. Another leg is in progress: it begins where the monitor's sum of
    /// finished intervals ends. The piece is over. Only the elapsed time decides whether whole legs may have
    /// been missed, since their number comes later, with 0x0033.
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
        absence = away.map { $0.wholeMilliseconds / 10 } ?? Self.longestPiece
        let isSameLeg = phase == .working && !hasGrown && !leg.isClosed
        // The metres of a finished leg are part of the sum.
        let time = phase == .working ? Int64(status.elapsedCentiseconds) : 0
        let mayBeAnotherPiece =
            isInterval && !isSameLeg
            && isLongEnoughForAnotherPiece(in: absence, meters: reportedMeters, elapsed: time)
        if mayBeAnotherPiece { noteMissedLegs() }
        let wasEndReceived = leg.isClosed && !hasGrown && !mayBeAnotherPiece
        switch phase {
        case .over:
            rejoinEnd(status)
            // After a terminate the time may already be 0.
            let sinceStroke = Int64(status.elapsedCentiseconds) - lastStroke
            let isTooShort = (0...Self.driveCentiseconds).contains(sinceStroke)
            return Missed(strokes: !wasEndReceived && (mayBeAnotherPiece || !isTooShort))
        case _ where !isInterval || isSameLeg: return Missed()
        case .resting:
            rejoinRest(total: Int64(status.totalWorkDistanceMeters) * 10)
            return Missed(strokes: !wasEndReceived)
        case .working, .waiting, .unchanged:
            closeLeg()
            leg.moveEnd(to: Int64(status.totalWorkDistanceMeters) * 10)
            openNextLeg()
            noteMissedLegs()
            return Missed(strokes: !wasEndReceived, legs: true)
        }
    }

    /// The rower rests after an absence. The rest follows the known leg or a later one.
    private mutating func rejoinRest(total: Int64) {
        let isOfThisLeg = isIndexCertain && !isLongEnoughForAnotherLeg(in: absence)
        closeLeg()
        if isOfThisLeg {
            leg.extend(toTotal: total)
        } else {
            moveClosedLeg(to: total)
        }
    }

    /// The piece ended during an absence. 0x0033 then shows whether its values belong to the known leg.
    private mutating func rejoinEnd(_ status: GeneralStatus) {
        switch missedLegs {
        case .none: missedLegs = .possible
        case .counted: missedLegs = .uncounted
        case .possible, .uncounted: break
        }
        guard isInterval else { return finish(status) }
        guard !leg.isClosed else {
            return moveClosedLeg(to: Int64(status.totalWorkDistanceMeters) * 10)
        }
        leg.finishInAbsence(status)
        if leg.end != .frozen { missedLegs = .uncounted }
    }

    /// Moves a finished leg so that it ends at the monitor's sum of intervals, 0.1 m.
    private mutating func moveClosedLeg(to total: Int64) {
        // The monitor may round off up to one metre per finished interval.
        guard total - leg.endDistance > 10 * Int64(leg.index) else { return }
        leg.moveEnd(to: total)
        noteMissedLegs()
    }

    /// Notes that legs were missed, and that their number and time are unknown.
    mutating func noteMissedLegs() {
        missedLegs = .uncounted
        earlierLegs.distance = false
    }

    /// Whether `away`, 0.01 s, is long enough for another piece of this workout to reach `elapsed` in a
    /// leg, after finished legs of `meters`.
    func isLongEnoughForAnotherPiece(
        in away: Int64, meters: UInt32 = 0, finished: Int? = nil, elapsed: Int64
    ) -> Bool {
        var least = Int64(meters) * 100 / Self.fastestMetersPerSecond
        if format == .intervalsOfEqualTime, case .time(let length) = target {
            let legs = Int64(finished ?? (meters > 0 ? 1 : 0))
            least = max(least, legs * length.wholeMilliseconds / 10)
        }
        return Self.restart + least + elapsed <= away
    }

    /// Whether `away`, 0.01 s, is long enough for the rest of this leg and another one.
    private func isLongEnoughForAnotherLeg(in away: Int64) -> Bool {
        guard format == .intervalsOfEqualTime, case .time(let length) = target else { return true }
        let goal = length.wholeMilliseconds / 10
        return away >= (leg.isClosed ? 0 : max(0, goal - leg.elapsed)) + goal
    }

    /// After a restart it is unknown whether the earlier legs are exact.
    mutating func markInexact() {
        if isInterval { earlierLegs = Exactness(time: false, distance: false) }
    }

    // MARK: - Published values

    /// The current interval, or the interval before a rest; nil in single pieces.
    var progress: IntervalProgress? {
        guard isInterval else { return nil }
        var progress = IntervalProgress()
        if isIndexCertain { progress.number = leg.index }
        progress.isOver = leg.isClosed
        guard !leg.isClosed || leg.finishedMeters != nil || leg.isSettled else { return progress }
        progress.elapsed = .centiseconds(leg.elapsed)
        progress.distance = Meters(decimeters: presentDistance)
        return progress
    }

    /// In 0.1 m. The last status of a leg can be a second old at the end of the work. The monitor's sum of
    /// finished intervals is complete, in whole metres.
    private var presentDistance: Int64 {
        if case .distance = target { return leg.distance }
        guard leg.isClosed, !leg.isSettled, let before = leg.metersBefore,
            let finished = leg.finishedMeters, finished > before
        else { return leg.distance }
        return max(leg.distance, Int64(finished - before) * 10)
    }

    /// The remaining work; nil if no length is set.
    ///
    /// - Parameter status: holds the monitor's calories; nil before the first one arrived.
    func remainder(_ status: AdditionalStatus2?) -> Remainder? {
        var remainder = Remainder()
        switch target {
        case .distance(let length):
            remainder.distance = Meters(
                millimeters: max(0, length.millimeters - leg.distance * 100))
        case .time(let length):
            remainder.time = max(.zero, length - .centiseconds(leg.elapsed))
        case .calories(let count):
            // Calories and the start of a new interval arrive in different packets.
            guard let status,
                abs(Int64(status.elapsedCentiseconds) - leg.elapsed) <= Self.jitterCentiseconds
            else { return nil }
            remainder.calories = max(0, count - Int(status.totalCalories))
        case .none, .wattMinutes: return nil
        }
        return remainder
    }

    // MARK: - Bytes of a checkpoint

    /// The part that a checkpoint stores. It leaves out the previous leg and an opened one: 0x0037 or a
    /// status settles those within milliseconds.
    var checkpointValue: IntervalHistory {
        var value = self
        value.previous = nil
        value.earlierLegs = Exactness()
        value.leg = leg.checkpointValue
        (value.legStart, value.newestTime, value.absence) = (.status, 0, 0)
        value.finalCount = nil
        return value
    }

    /// Reads or writes the stored part.
    mutating func code(with coder: inout ByteCoder) {
        var flags = [
            isInterval, format == .intervalsOfEqualTime, isTimeCertain, isIndexCertain, leg.isClosed,
            leg.isSettled, leg.isEndFixed,
        ]
        coder.flags(&flags)
        format = !flags[0] ? .singlePiece : flags[1] ? .intervalsOfEqualTime : .intervals
        missedLegs =
            switch (isTimeCertain: flags[2], isIndexCertain: flags[3]) {
            case (true, true): .none
            case (true, false): .possible
            case (false, false): .uncounted
            case (false, true): .counted
            }
        if coder.isReading { leg.restore(isClosed: flags[4], isSettled: flags[5], isEndFixed: flags[6]) }
        target.code(with: &coder)
        leg.code(with: &coder)
        coder.count(&reportedMeters)
        coder.count(&intervalCount)
        splits.code(with: &coder)
    }
}

/// Where the last two splits of a single piece ended. The time goes on over its splits.
///
/// The count in 0x0033 arrives up to a second after the boundary of a split, and strokes are released after
/// their recovery. Therefore the time of the boundary decides.
private struct SplitBoundaries: Equatable {
    private struct End: Equatable {
        var number = 0
        /// 0.01 s.
        var elapsed: Int64 = 0
    }

    private var last = End()
    private var beforeLast = End()

    /// Notes the end of a split, 0.01 s.
    mutating func note(_ number: Int, endingAt elapsed: Int64) {
        beforeLast = last
        last = End(number: number, elapsed: elapsed)
    }

    /// The number of the split at this time.
    ///
    /// - Parameter finished: the monitor's count of finished splits.
    func number(at time: Int64, finished: Int) -> Int {
        if beforeLast.number > 0, time <= beforeLast.elapsed { return beforeLast.number }
        if last.number > 0, time <= last.elapsed { return last.number }
        return max(last.number, finished) + 1
    }

    /// Reads or writes both ends.
    mutating func code(with coder: inout ByteCoder) {
        coder.count(&last.number)
        coder.count(&last.elapsed)
        coder.count(&beforeLast.number)
        coder.count(&beforeLast.elapsed)
    }
}
