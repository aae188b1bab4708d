import PM5Codec

extension IntervalHistory {
    /// An interval, or the whole of a single piece.
    struct Leg: Equatable {
        /// What its work is set as, where that is exact as soon as the work is done.
        enum Goal: Int, Equatable { case other, time, distance }

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
        /// As far as strokes told, of which the last may be behind the last status.
        var heardElapsed: Int64 = 0
        var heardDistance: Int64 = 0
        /// The time in the first status of its rest, until the next has shown whether it stands still.
        var restBegan: Int64?
        /// Known when it is closed.
        var goal = Goal.other
        /// The monitor's frozen figures of a piece that ended in it.
        var isFinal = false
        /// The first status of its rest came right behind its last status or stroke.
        var isEndHeard = false
        /// 0x0031 offset 11 in it and in its rest: finished intervals in metres.
        var metersBefore: UInt32?
        var finishedMeters: UInt32?

        /// To 0.1 s, as the monitor's log has it.
        var isTimeExact: Bool { isClosed && (isSettled || isFinal || goal == .time) }
        /// To 0.1 m; its own figures, 0x0037, are cut to 1 m.
        var isDistanceExact: Bool { isClosed && (isFinal || goal == .distance) }
        var endElapsed: Int64 { startElapsed + elapsed }
        var endDistance: Int64 { startDistance + distance }
    }
}

extension IntervalHistory.Leg {
    /// Takes over the monitor's figures, truncated to 0.1 s and 1 m, where ours are no finer.
    mutating func settle(_ split: SplitData) {
        let time = Int64(split.splitDeciseconds) * 10
        let way = Int64(split.splitDistanceMeters) * 10
        if !(time..<time + 10).contains(elapsed) { elapsed = time }
        if !(way..<way + 10).contains(distance) {
            if isAnchored { startDistance -= way - distance }
            distance = way
        }
        isSettled = true
    }

    /// Takes over the time at which the rest began, which the last status of the work was up to a
    /// second short of.
    ///
    /// Only one that stands still: some monitors let it run on until the flywheel stands.
    mutating func take(end: Int64) {
        guard !isSettled, end - elapsed <= IntervalHistory.jitterCentiseconds else { return }
        elapsed = max(elapsed, end)
    }
}
