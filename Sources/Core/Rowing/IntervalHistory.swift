import Bytes
import PM5Codec

/// Adds up intervals: the monitor's time and distance restart with each of them.
///
/// A leg is an interval, or the whole of a single piece. Only work counts: during a rest time and
/// distance stand still here, whatever the monitor's fields do.
struct IntervalHistory: Equatable {
    /// Characteristics are read one after the other, so one may be this much ahead of another.
    static let jitterCentiseconds: Int64 = 200

    struct Leg: Equatable {
        /// 1, 2, 3, ... as they were seen here; names the frame that packets are counted in.
        var serial = 1
        /// The monitor's number of it, from 1; ahead of `serial` when legs passed unseen.
        var index = 1
        /// Work of the session before this leg, 0.01 s and 0.1 m.
        var startElapsed: Int64 = 0
        var startDistance: Int64 = 0
        /// Work of this leg.
        var elapsed: Int64 = 0
        var distance: Int64 = 0
        /// Its work is done: a rest, the next leg or the end followed.
        var isClosed = false
        /// The monitor's own figures of the finished leg have come.
        var isSettled = false
        /// Its end was set by the monitor's sum of intervals: later news only moves its start.
        var isAnchored = false

        var endElapsed: Int64 { startElapsed + elapsed }
        var endDistance: Int64 { startDistance + distance }
    }

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

    private(set) var leg = Leg()
    private(set) var previous: Leg?
    private(set) var isInterval = false
    private var target = Workout.Target.none
    /// 0x0031 offset 11, metres: finished intervals as the monitor adds them up.
    private(set) var reportedMeters: UInt32 = 0
    /// 0x0033 offset 3, continued where it runs over: finished splits or intervals.
    private(set) var intervalCount = 0
    /// The last two splits of a single piece that 0x0037 told of, and when they ended, 0.01 s.
    private var lastSplit = SplitEnd()
    private var splitBeforeLast = SplitEnd()
    /// Cleared when legs passed unseen whose time nobody told us.
    private(set) var isTimeCertain = true
    private var isIndexCertain = true
    private var isOfEqualTime = false
    /// The packets of strokes have opened this leg and no status has followed yet.
    private var isAhead = false
    /// The time in the newest status of a leg, and in that of the leg before when strokes opened
    /// this one: not corrected by anything, so that older statuses can be told by it.
    private var told: Int64 = 0
    private var reportedBefore: Int64 = 0

    init() {}

    /// Work since the start of the session, 0.01 s.
    var elapsed: Int64 { leg.endElapsed }
    /// Work since the start of the session, 0.1 m.
    var distance: Int64 { leg.endDistance }

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
            isIndexCertain = false
            isTimeCertain = false
        }
        advance(status)
    }

    /// Takes in a status while the rower works.
    mutating func work(_ status: GeneralStatus) -> Change {
        let hasBegunAnew =
            Int64(status.elapsedCentiseconds) + Self.jitterCentiseconds < leg.elapsed
        if isAhead {
            guard Int64(status.elapsedCentiseconds) < reportedBefore else { return .none }
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
    mutating func rest(_ status: GeneralStatus) {
        guard isInterval, !isAhead else { return }
        if !leg.isClosed { close() }
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
    }

    /// Takes in the frozen figures of the end; after a terminate they may be zero already.
    mutating func finish(_ status: GeneralStatus) {
        guard !leg.isClosed else { return }
        advance(status)
        leg.isClosed = true
    }

    /// The packets of strokes began anew before a status told of it.
    mutating func openByStroke() {
        reportedBefore = told
        open()
        isAhead = true
    }

    private mutating func open() {
        if !leg.isClosed { close() }
        previous = leg
        leg = Leg(
            serial: leg.serial + 1, index: max(leg.index, intervalCount) + 1,
            startElapsed: leg.endElapsed,
            startDistance: leg.endDistance)
    }

    /// Takes in the finished splits or intervals that 0x0033 counts; `isWorking` unless in a rest.
    mutating func count(_ count: UInt8, isWorking: Bool) {
        intervalCount = intervalCount.continued(by: count)
        guard isInterval, !isIndexCertain else { return }
        isIndexCertain = true
        leg.index = max(1, intervalCount + (isWorking ? 1 : 0))
        // Intervals of equal time: their number is their time.
        if isOfEqualTime, case .time(let length) = target {
            leg.startElapsed = Int64(leg.index - 1) * length.wholeMilliseconds / 10
            isTimeCertain = true
        }
    }

    /// Takes in the monitor's figures of a finished split or interval: 0x0037.
    mutating func settle(_ split: SplitData, number: Int) {
        guard isInterval else {
            // The time of a single piece runs on over its splits.
            splitBeforeLast = lastSplit
            lastSplit = SplitEnd(number: number, elapsed: Int64(split.elapsedCentiseconds))
            return
        }
        if number == leg.index {
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
    /// Gives back whether legs may have ended meanwhile.
    mutating func rejoin(_ status: GeneralStatus) -> Bool {
        guard isInterval else { return false }
        let total = Int64(status.totalWorkDistanceMeters) * 10
        let hasGrown = status.totalWorkDistanceMeters > reportedMeters
        let isReset = Int64(status.elapsedCentiseconds) < leg.elapsed
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
        if status.workoutState.phase == .resting {
            if !leg.isClosed { close() }
            // Each finished interval may have lost up to a metre by rounding.
            let unseen = total - leg.endDistance
            guard unseen > 10 * Int64(leg.index) else { return false }
            leg.startDistance += unseen
            leg.isAnchored = true
        } else {
            guard isReset || hasGrown || leg.isClosed else { return false }
            open()
            leg.startDistance = max(leg.startDistance, total)
        }
        isIndexCertain = false
        isTimeCertain = false
        return true
    }

    /// Session time and distance of a packet that was counted in a leg.
    func place(
        elapsedCentiseconds: UInt32, distanceDecimeters: UInt32?, leg serial: Int
    ) -> (elapsed: Int64, distance: Int64) {
        let frame = frame(serial)
        var time = Int64(elapsedCentiseconds)
        var way = distanceDecimeters.map(Int64.init) ?? frame.distance
        if frame.isClosed {
            time = min(time, frame.elapsed)
            way = min(way, frame.distance)
        }
        return (frame.startElapsed + time, frame.startDistance + way)
    }

    private func frame(_ serial: Int) -> Leg {
        serial == leg.serial ? leg : previous ?? leg
    }

    private mutating func note(_ status: GeneralStatus) {
        target = Workout.Target(status)
        reportedMeters = max(reportedMeters, status.totalWorkDistanceMeters)
        advance(status)
    }

    private mutating func advance(_ status: GeneralStatus) {
        told = Int64(status.elapsedCentiseconds)
        leg.elapsed = max(leg.elapsed, Int64(status.elapsedCentiseconds))
        leg.distance = max(leg.distance, Int64(status.distanceDecimeters))
    }

    /// The last status of a leg is up to a second old when the leg ends; its goal is exact.
    private mutating func close() {
        leg.isClosed = true
        guard !leg.isSettled else { return }
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
        kept.isAhead = false
        (kept.told, kept.reportedBefore) = (0, 0)
        return kept
    }

    /// Appends what is kept.
    func encode(into writer: inout ByteWriter) {
        writer.flags([
            isInterval, isOfEqualTime, isTimeCertain, isIndexCertain, leg.isClosed, leg.isSettled,
            leg.isAnchored,
        ])
        target.encode(into: &writer)
        for value in [
            Int64(leg.serial), Int64(leg.index), leg.startElapsed, leg.startDistance, leg.elapsed,
            leg.distance, Int64(reportedMeters), Int64(intervalCount),
            Int64(lastSplit.number), lastSplit.elapsed, Int64(splitBeforeLast.number),
            splitBeforeLast.elapsed,
        ] { writer.count(Int(value)) }
    }

    init?(decoding reader: inout ByteReader) {
        guard let flags = reader.flags(7), let target = Workout.Target(decoding: &reader),
            let values = reader.counts(12)
        else { return nil }
        (isInterval, isOfEqualTime) = (flags[0], flags[1])
        (isTimeCertain, isIndexCertain) = (flags[2], flags[3])
        self.target = target
        leg = Leg(
            serial: values[0], index: values[1], startElapsed: Int64(values[2]),
            startDistance: Int64(values[3]), elapsed: Int64(values[4]),
            distance: Int64(values[5]), isClosed: flags[4], isSettled: flags[5],
            isAnchored: flags[6])
        reportedMeters = UInt32(clamping: values[6])
        intervalCount = values[7]
        lastSplit = SplitEnd(number: values[8], elapsed: Int64(values[9]))
        splitBeforeLast = SplitEnd(number: values[10], elapsed: Int64(values[11]))
    }
}

extension IntervalHistory.Leg {
    /// Takes over the monitor's figures, truncated to 0.1 s and 1 m, where ours are no finer.
    fileprivate mutating func settle(_ split: SplitData) {
        let time = Int64(split.splitDeciseconds) * 10
        let way = Int64(split.splitDistanceMeters) * 10
        if !(time..<time + 10).contains(elapsed) { elapsed = time }
        if !(way..<way + 10).contains(distance) {
            if isAnchored { startDistance -= way - distance }
            distance = way
        }
        isSettled = true
    }
}
