import PM5Codec

extension IntervalHistory {
    /// An interval, or the whole of a single piece.
    struct Leg: Equatable {
        /// The unit of the goal, if that makes the end exact.
        enum Goal: Int, Equatable { case other, time, distance }

        /// 1, 2, 3, ... in the order seen here; identifies the frame in which packets count.
        var serial = 1
        /// The monitor's interval number, from 1; ahead of `serial` if legs were missed.
        var index = 1
        /// Work before this leg in the session, 0.01 s and 0.1 m.
        var startElapsed: Int64 = 0
        var startDistance: Int64 = 0
        /// Work of this leg, 0.01 s and 0.1 m.
        var elapsed: Int64 = 0
        var distance: Int64 = 0
        /// The work is done: a rest, the next leg or the end followed.
        var isClosed = false
        /// The monitor's own values of the finished leg have arrived.
        var isSettled = false
        /// The monitor's sum of intervals set its end. Later values only move its start.
        var isAnchored = false
        /// The highest time and distance in its strokes, which may be later than its last status.
        var furthestStrokeElapsed: Int64 = 0
        var furthestStrokeDistance: Int64 = 0
        /// The time in the first status of the rest, until the next status shows whether that time is
        /// frozen.
        var restBegan: Int64?
        /// Set when the leg is closed.
        var goal = Goal.other
        /// Holds the monitor's frozen values of the end of the piece.
        var isFinal = false
        /// The first status of the rest came directly after the last status or stroke.
        var isEndReceived = false
        /// 0x0031 offset 11 in the leg and in its rest: finished intervals in metres.
        var metersBefore: UInt32?
        var finishedMeters: UInt32?

        /// Exact to 0.1 s, as in the monitor's log.
        var isTimeExact: Bool { isClosed && (isSettled || isFinal || goal == .time) }
        /// Exact to 0.1 m; the monitor truncates the values in 0x0037 to 1 m.
        var isDistanceExact: Bool { isClosed && (isFinal || goal == .distance) }
        var endElapsed: Int64 { startElapsed + elapsed }
        var endDistance: Int64 { startDistance + distance }
    }
}

extension IntervalHistory.Leg {
    /// Applies the monitor's values, truncated to 0.1 s and 1 m, unless ours are finer.
    mutating func settle(_ split: SplitData) {
        let splitElapsed = Int64(split.splitDeciseconds) * 10
        let splitDistance = Int64(split.splitDistanceMeters) * 10
        if !(splitElapsed..<splitElapsed + 10).contains(elapsed) { elapsed = splitElapsed }
        if !(splitDistance..<splitDistance + 10).contains(distance) {
            if isAnchored { startDistance -= splitDistance - distance }
            distance = splitDistance
        }
        isSettled = true
    }

    /// Extends the leg to the time at which the rest began; the last status of the work can be a second
    /// older.
    ///
    /// - Parameter end: a time that does not change any more. Some monitors count on until the flywheel
    ///   stops.
    mutating func extend(toEnd end: Int64) {
        guard !isSettled, end - elapsed <= IntervalHistory.jitterCentiseconds else { return }
        elapsed = max(elapsed, end)
    }
}
