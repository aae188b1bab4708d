import Bytes
import PM5Codec
import Timeline

/// Adds up intervals: the monitor's time and distance restart with each of them.
///
/// A leg (`Leg`) is an interval, or the whole of a single piece. Only work counts: during a rest time
/// and distance stand still here, whatever the monitor's fields do. A leg is *closed* when its work is
/// over, *settled* when the monitor's own figures of it have come (0x0037), and *anchored* when its
/// beginning was moved to where the monitor's sum of finished intervals says that it was.
struct IntervalHistory: Equatable {
    /// Characteristics are read one after the other, so one may be this much ahead of another.
    static let jitterCentiseconds: Int64 = 200
    /// How far a boat may run on after its last drive, which the monitor does not count as work, 0.1 m.
    private static let runOnDecimeters: Int64 = 100
    /// Faster than any rower.
    static let fastestMetersPerSecond: Int64 = 8
    /// Longer than any piece, 0.01 s.
    static let longestPiece: Int64 = 24 * 3600 * 100
    /// Nobody ends a piece, sets another and begins it this soon, 0.01 s.
    private static let restart: Int64 = 500
    /// Nobody ends a drive this soon after the last packet of the stroke before.
    private static let driveCentiseconds: Int64 = 50

    private struct SplitEnd: Equatable {
        var number = 0
        var elapsed: Int64 = 0
    }

    /// What a status changed.
    enum Change: Equatable {
        case none
        /// Time and distance began anew.
        case newLeg
    }

    /// What may have gone by unheard in an absence.
    struct Missed: Equatable {
        /// Strokes at the end of a leg or piece. The monitor counts from 1 again after it, so no number
        /// tells how many they were.
        var strokes = false
        /// Another leg has begun, and the sums of its own with it.
        var legs = false
    }

    private(set) var leg = Leg()
    private(set) var previous: Leg?
    private(set) var isInterval = false
    private(set) var target = Workout.Target.none
    /// 0x0031 offset 11, metres: finished intervals as the monitor adds them up.
    private(set) var reportedMeters: UInt32 = 0
    /// 0x0033 offset 3, continued where it runs over: finished splits or intervals.
    private(set) var intervalCount = 0
    /// The same at the end of a piece that ended unheard: the last one is counted too.
    private(set) var finalCount: Int?
    /// The last two splits of a single piece that 0x0037 told of, and when they ended, 0.01 s.
    private var lastSplit = SplitEnd()
    private var splitBeforeLast = SplitEnd()
    /// Cleared when legs passed unseen whose time nobody told us.
    private(set) var isTimeCertain = true
    private(set) var isIndexCertain = true
    /// Of the legs before `previous`.
    private var areTimesExact = true
    private var areDistancesExact = true
    private var isOfEqualTime = false
    /// How long the monitor had not been heard when it came back in this leg, 0.01 s; 0 for a leg whose
    /// beginning was heard.
    private var absence: Int64 = 0
    /// The packets of strokes have opened this leg and no status has followed yet.
    private var isAhead = false
    /// The time in the newest status of this leg as the monitor sent it, 0.01 s: a status with less is an
    /// older one that comes late.
    private var reported: Int64 = 0
    /// The same of the leg before, while strokes have opened this one.
    private var reportedBefore: Int64 = 0

    init() {}

    /// Work since the start of the session, 0.01 s.
    var elapsed: Int64 { leg.endElapsed }
    /// Work since the start of the session, 0.1 m.
    var distance: Int64 { leg.endDistance }
    /// Whether `elapsed` is all of the work to 0.1 s, provided that its end was seen.
    var isElapsedExact: Bool {
        isTimeCertain && (isIndexCertain || !isInterval) && areTimesExact
            && (previous?.isTimeExact ?? true) && leg.isTimeExact
    }
    /// Whether `distance` is all of the work to 0.1 m, provided that its end was seen.
    var isDistanceExact: Bool {
        isTimeCertain && (isIndexCertain || !isInterval) && areDistancesExact
            && (previous?.isDistanceExact ?? true) && leg.isDistanceExact
    }

    /// 1-based number of the interval that a leg is, or of the split that such a time falls into.
    ///
    /// 0x0033 comes up to a second after the boundary of a split, and strokes are told when their
    /// recovery is over, so the time of the boundary decides.
    func interval(ofLeg serial: Int, elapsedCentiseconds: UInt32) -> Int {
        guard !isInterval else { return frame(serial).index }
        let time = Int64(elapsedCentiseconds)
        for split in [splitBeforeLast, lastSplit]
        where split.number > 0 && time <= split.elapsed { return split.number }
        return max(lastSplit.number, intervalCount) + 1
    }

    /// How many splits or intervals were over when the last one began.
    var finishedSplits: Int { isInterval ? leg.index - 1 : intervalCount }

    /// Begins a session; one that is under way counts from what the monitor says of it.
    mutating func begin(_ status: GeneralStatus) {
        self = IntervalHistory()
        isInterval = status.workoutType.isInterval
        isOfEqualTime = status.workoutType == .fixedTimeInterval
        target = Workout.Target(status)
        if isInterval, status.totalWorkDistanceMeters > 0 {
            leg.startDistance = Int64(status.totalWorkDistanceMeters) * 10
            reportedMeters = status.totalWorkDistanceMeters
            loseCount()
        }
        advance(status)
    }

    /// Takes in a status while the rower works.
    ///
    /// - Parameter mayBeLate: strokes have opened the leg a moment ago, so that a status of the leg
    ///   before may still come.
    mutating func work(_ status: GeneralStatus, mayBeLate: Bool) -> Change {
        let time = Int64(status.elapsedCentiseconds)
        let hasBegunAnew = time + Self.jitterCentiseconds < leg.elapsed
        if isAhead {
            guard !mayBeLate || time < reportedBefore else { return .none }
            isAhead = false
        } else if isInterval, leg.isClosed || hasBegunAnew {
            open()
            note(status)
            return .newLeg
        }
        note(status)
        return .none
    }

    /// Takes in that the work of the leg is done and its rest has begun or goes on.
    mutating func rest(_ status: GeneralStatus, mayBeLate: Bool) {
        guard isInterval, !isAhead || !mayBeLate else { return }
        isAhead = false
        let time = Int64(status.elapsedCentiseconds)
        if !leg.isClosed {
            leg.isEndHeard = isEnd(status)
            leg.finishedMeters = leg.isEndHeard ? status.totalWorkDistanceMeters : nil
            close()
            leg.restBegan = time
        } else if let end = leg.restBegan {
            if time == end { leg.take(end: end) }
            leg.restBegan = nil
        }
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
    }

    /// Whether the first status of a rest follows the last status or stroke of the work so soon that
    /// nothing but the last moment of it can be missing.
    private func isEnd(_ status: GeneralStatus) -> Bool {
        let last = max(leg.elapsed, leg.heardElapsed)
        if case .time(let length) = target {
            return length.wholeMilliseconds / 10 - last <= Self.jitterCentiseconds
        }
        // The time that stands in a rest is cut to 0.1 s.
        return (-9...Self.jitterCentiseconds).contains(Int64(status.elapsedCentiseconds) - last)
    }

    /// Takes in the frozen figures of the end; after a terminate they may be zero already.
    mutating func finish(_ status: GeneralStatus) {
        guard !leg.isClosed else { return }
        let time = Int64(status.elapsedCentiseconds)
        // The time that stands at the end is cut to 0.1 s.
        leg.isFinal = time + 10 > leg.elapsed
        advance(status)
        if leg.isFinal { leg.elapsed = time }
        leg.isClosed = true
    }

    /// The piece is over, whether a status told its last figures or not.
    mutating func end() {
        if !leg.isClosed, !leg.isSettled { takeHeard() }
    }

    /// A stroke was told, behind which no status of the leg need come.
    mutating func hear(elapsed: UInt32, distance: UInt32, leg serial: Int) {
        guard serial == leg.serial else { return }
        var (time, way) = (Int64(elapsed), Int64(distance))
        // A goal is where the work ends, whatever a recovery behind it says.
        if case .time(let length) = target { time = min(time, length.wholeMilliseconds / 10) }
        if case .distance(let length) = target { way = min(way, length.millimeters / 100) }
        leg.heardElapsed = max(leg.heardElapsed, time)
        leg.heardDistance = max(leg.heardDistance, way)
    }

    /// Whether a piece of which strokes alone have told may be the one that a status is of: its
    /// finished intervals have added what was heard of them.
    func goesOn(_ status: GeneralStatus) -> Bool {
        let phase = status.workoutState.phase
        guard phase != .over else { return true }
        guard isInterval else { return phase != .working }
        let time = Int64(status.elapsedCentiseconds) + Self.jitterCentiseconds
        let isSameLeg = phase == .working && time >= max(leg.elapsed, leg.heardElapsed)
        let least = isSameLeg ? leg.startDistance : leg.startDistance + leg.heardDistance
        return Self.hasFinished(status, decimeters: least)
    }

    /// Whether a status counts so much way in finished intervals.
    static func hasFinished(_ status: GeneralStatus, decimeters way: Int64) -> Bool {
        Int64(status.totalWorkDistanceMeters) * 10 + runOnDecimeters >= way
    }

    private mutating func takeHeard() {
        leg.elapsed = max(leg.elapsed, leg.heardElapsed)
        leg.distance = max(leg.distance, leg.heardDistance)
    }

    /// The packets of strokes began anew before a status told of it.
    ///
    /// - Parameter isVariable: each interval has a goal of its own, which only a status tells.
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

    /// What the leg before leaves behind when no packet can change it any more.
    private mutating func foldPrevious() {
        guard let previous else { return }
        areTimesExact = areTimesExact && previous.isTimeExact
        areDistancesExact = areDistancesExact && previous.isDistanceExact
    }

    /// Takes in the finished splits or intervals that 0x0033 counts.
    ///
    /// Gives back whether intervals turn out to have passed unheard.
    mutating func count(_ count: UInt8, in phase: PiecePhase) -> Bool {
        guard phase != .over else { return countAtEnd(count) }
        intervalCount = intervalCount.continued(by: count)
        guard isInterval, !isIndexCertain else { return false }
        isIndexCertain = true
        let expected = leg.index
        leg.index = max(1, intervalCount + (phase == .resting ? 0 : 1))
        // Intervals of equal time: their number is their time.
        if isOfEqualTime, case .time(let length) = target,
            !hadTimeForAnother(
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

    /// Takes in the monitor's figures of a finished split or interval: 0x0037.
    ///
    /// - Parameter isOfLegBefore: they came before the status that told of the present leg.
    mutating func settle(_ split: SplitData, number: Int, isOfLegBefore: Bool = false) {
        guard isInterval else {
            // The time of a single piece runs on over its splits.
            splitBeforeLast = lastSplit
            lastSplit = SplitEnd(number: number, elapsed: Int64(split.elapsedCentiseconds))
            return
        }
        if isOfLegBefore, !isIndexCertain, !leg.isClosed, number >= leg.index {
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

    /// Goes on after an absence; the status is of the same piece.
    ///
    /// There are four cases. The leg goes on that was under way: nothing is missed. The rower rests: the
    /// leg is over, and perhaps others after it. Another leg is under way: it begins where the
    /// monitor's sum of finished intervals ends. The piece is over: `rejoinEnd`. Whether whole legs may
    /// have passed unheard is decided by time alone, since their number comes with 0x0033 only.
    ///
    /// - Parameters:
    ///   - away: since it was last heard; nil where nobody knows.
    ///   - lastStroke: when the last stroke of the leg was heard, on the monitor's clock.
    mutating func rejoin(
        _ status: GeneralStatus, after away: Duration?, lastStroke: Int64
    ) -> Missed {
        let phase = status.workoutState.phase
        let hasGrown = status.totalWorkDistanceMeters > reportedMeters
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
        let isSameLeg = phase == .working && !hasGrown && !leg.isClosed
        absence = away.map { $0.wholeMilliseconds / 10 } ?? Self.longestPiece
        // Where a leg is over, its metres are among those of the finished ones.
        let time = phase == .working ? Int64(status.elapsedCentiseconds) : 0
        let mayBeAnother =
            isInterval && !isSameLeg
            && hadTimeForAnother(in: absence, meters: reportedMeters, elapsed: time)
        if mayBeAnother { loseCount() }
        let wasHeard = leg.isClosed && !hasGrown && !mayBeAnother
        if phase == .over {
            rejoinEnd(status)
            // After a terminate the time may be 0 already.
            let sinceStroke = Int64(status.elapsedCentiseconds) - lastStroke
            let isTooShort = (0...Self.driveCentiseconds).contains(sinceStroke)
            return Missed(strokes: !wasHeard && (mayBeAnother || !isTooShort))
        }
        guard isInterval else { return Missed() }
        let total = Int64(status.totalWorkDistanceMeters) * 10
        if phase == .resting {
            let isOfThisLeg = isIndexCertain && !hadTimeForAnotherLeg(in: absence)
            if !leg.isClosed { close() }
            if isOfThisLeg {
                leg.distance = max(leg.distance, total - leg.startDistance)
            } else {
                anchor(at: total)
            }
            return Missed(strokes: !wasHeard)
        }
        guard !isSameLeg else { return Missed() }
        if !leg.isClosed { close() }
        setEnd(at: total)
        open()
        loseCount()
        return Missed(strokes: !wasHeard, legs: true)
    }

    /// Legs have passed of which nobody here knows the number and the time.
    mutating func loseCount() {
        isIndexCertain = false
        isTimeCertain = false
        areDistancesExact = false
    }

    /// Whether there was time in `away`, 0.01 s, for another piece of this workout to come so far: to
    /// `elapsed` in a leg, behind others of so many metres.
    func hadTimeForAnother(
        in away: Int64, meters: UInt32 = 0, finished: Int? = nil, elapsed: Int64
    ) -> Bool {
        var least = Int64(meters) * 100 / Self.fastestMetersPerSecond
        if isOfEqualTime, case .time(let length) = target {
            let legs = Int64(finished ?? (meters > 0 ? 1 : 0))
            least = max(least, legs * length.wholeMilliseconds / 10)
        }
        return Self.restart + least + elapsed <= away
    }

    /// Whether the leg may have ended within `away`, 0.01 s, and another one too.
    private func hadTimeForAnotherLeg(in away: Int64) -> Bool {
        guard isOfEqualTime, case .time(let length) = target else { return true }
        let goal = length.wholeMilliseconds / 10
        return away >= (leg.isClosed ? 0 : max(0, goal - leg.elapsed)) + goal
    }

    /// The monitor's sum of intervals, 0.1 m, tells where a leg ended that is over.
    private mutating func anchor(at total: Int64) {
        // Each finished interval may have lost up to a metre by rounding.
        guard total - leg.endDistance > 10 * Int64(leg.index) else { return }
        setEnd(at: total)
        loseCount()
    }

    /// Moves the leg so that it ends at this sum, 0.1 m, if it seemed to end before: what is missing was
    /// rowed in earlier legs. `Leg.settle` does not move it again when its own figures come.
    private mutating func setEnd(at total: Int64) {
        guard total > leg.endDistance else { return }
        leg.startDistance += total - leg.endDistance
        leg.isAnchored = true
    }

    /// The piece is over, and nobody heard how.
    ///
    /// Behind a rest the figures that stand on the screen are not those of the work alone; 0x0033
    /// will tell whether they are of the leg that was heard at all.
    private mutating func rejoinEnd(_ status: GeneralStatus) {
        isIndexCertain = false
        guard isInterval else { return finish(status) }
        guard !leg.isClosed else {
            return anchor(at: Int64(status.totalWorkDistanceMeters) * 10)
        }
        let heard = leg.elapsed
        let time = Int64(status.elapsedCentiseconds)
        let sum = Int64(status.totalWorkDistanceMeters) * 10 - leg.startDistance
        let isOfWork = abs(sum - Int64(status.distanceDecimeters)) <= 10 * Int64(leg.index)
        if time >= heard { leg.elapsed = time }
        leg.isFinal = time >= heard && isOfWork
        if leg.isFinal {
            leg.distance = max(leg.distance, Int64(status.distanceDecimeters))
        } else {
            leg.distance = max(leg.distance, sum)
            isTimeCertain = false
        }
        leg.isClosed = true
    }

    /// Session time and distance of a packet that was counted in a leg. A stroke in the rest after it has
    /// the time and the distance of the leg's end.
    func place(
        elapsedCentiseconds: UInt32, distanceDecimeters: UInt32?, leg serial: Int
    ) -> (elapsed: Int64, distance: Int64) {
        let frame = frame(serial)
        var time = Int64(elapsedCentiseconds)
        var way = distanceDecimeters.map(Int64.init) ?? frame.distance
        if frame.isClosed {
            if !isOfEnd(time, of: frame) { time = min(time, frame.elapsed) }
            way = min(way, frame.distance)
        }
        return (frame.startElapsed + time, frame.startDistance + way)
    }

    /// Whether a time is that of a leg's end, which the monitor tells cut to tenths.
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

    /// The last status of a leg is up to a second old when the leg ends; its goal is exact.
    private mutating func close() {
        leg.isClosed = true
        leg.goal =
            switch target {
            case .time: .time
            case .distance: .distance
            default: .other
            }
        guard !leg.isSettled else { return }
        takeHeard()
        switch target {
        case .time(let length): leg.elapsed = max(leg.elapsed, length.wholeMilliseconds / 10)
        case .distance(let length): leg.distance = max(leg.distance, length.millimeters / 100)
        default: break
        }
    }
}

// MARK: - Bytes of a checkpoint

extension IntervalHistory {
    /// What a checkpoint keeps: all but the leg before, of which 0x0037 tells within milliseconds
    /// of the boundary, as does a status of the leg that strokes have opened.
    var kept: IntervalHistory {
        var kept = self
        kept.previous = nil
        (kept.areTimesExact, kept.areDistancesExact) = (true, true)
        (kept.leg.goal, kept.leg.isFinal) = (.other, false)
        kept.isAhead = false
        (kept.reported, kept.reportedBefore, kept.leg.restBegan) = (0, 0, nil)
        (kept.leg.isEndHeard, kept.leg.metersBefore, kept.leg.finishedMeters) = (false, nil, nil)
        kept.finalCount = nil
        (kept.leg.heardElapsed, kept.leg.heardDistance, kept.absence) = (0, 0, 0)
        return kept
    }

    /// Reads or writes what is kept.
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

    /// Of what came before this process nobody knows whether it is exact.
    mutating func loseExactness() {
        guard isInterval else { return }
        (areTimesExact, areDistancesExact) = (false, false)
    }
}
