import Bytes
import PM5Codec

extension IntervalHistory {
    /// An interval, or the whole of a single piece.
    ///
    /// Work goes on until the leg has an `end`. `Values` says whose time and distance it has by then. Both are
    /// independent: the monitor's own values (0x0037) may arrive shortly before the status that shows the end.
    struct Leg: Equatable {
        /// How the end of the work is known.
        enum End: Equatable {
            /// From the last status or stroke before a rest, the next leg or the end of the piece.
            case estimated
            /// The leg has a length in time, which it reached.
            case timeGoal
            /// The leg has a length in metres, which it reached.
            case distanceGoal
            /// From the values that the monitor froze at the end of the piece.
            case frozen
        }

        /// Where time and distance come from.
        enum Values: Equatable {
            /// Statuses, strokes and the goal.
            case received
            /// The monitor's values of the finished leg, 0x0037.
            case reported
        }

        /// The boundary that stays in place when the length changes.
        enum FixedBoundary: Equatable {
            case start
            /// The monitor's sum of intervals set the end.
            case end
        }

        /// 1, 2, 3, ... in the order seen here; identifies the frame in which packets count.
        private(set) var serial = 1
        /// The monitor's interval number, from 1; ahead of `serial` if legs were missed.
        private(set) var index = 1
        /// Work before this leg in the session, 0.01 s and 0.1 m.
        private(set) var startElapsed: Int64 = 0
        private(set) var startDistance: Int64 = 0
        /// Work of this leg, 0.01 s and 0.1 m.
        private(set) var elapsed: Int64 = 0
        private(set) var distance: Int64 = 0
        /// Nil while the work goes on.
        private(set) var end: End?
        private(set) var values = Values.received
        private var fixedBoundary = FixedBoundary.start
        /// The highest time and distance in its strokes, which may be later than its last status.
        private(set) var furthestStrokeElapsed: Int64 = 0
        private(set) var furthestStrokeDistance: Int64 = 0
        /// The time in the first status of the rest, until the next status shows whether that time is
        /// frozen.
        private var unconfirmedRestTime: Int64?
        /// 0x0031 offset 11 during the work: metres of finished intervals.
        private(set) var metersBefore: UInt32?
        /// The same in a rest whose first status directly followed the work; nil if the last moment of the
        /// work may be missing.
        private(set) var finishedMeters: UInt32?

        /// The work is done: a rest, the next leg or the end followed.
        var isClosed: Bool { end != nil }
        /// The monitor's own values of the finished leg have arrived.
        var isSettled: Bool { values == .reported }
        var endElapsed: Int64 { startElapsed + elapsed }
        var endDistance: Int64 { startDistance + distance }

        /// Time: exact to 0.1 s, as in the monitor's log. Distance: exact to 0.1 m; the monitor truncates
        /// the values in 0x0037 to 1 m.
        var exactness: Exactness {
            switch end {
            case nil: Exactness(time: false, distance: false)
            case .estimated: Exactness(time: isSettled, distance: false)
            case .timeGoal: Exactness(time: true, distance: false)
            case .distanceGoal: Exactness(time: isSettled, distance: true)
            case .frozen: Exactness(time: true, distance: true)
            }
        }

        /// The first leg of a session, after work of earlier legs, in 0.1 m.
        init(startDistance: Int64 = 0) { self.startDistance = startDistance }

        /// Returns the leg that follows this one.
        func next(index: Int) -> Leg {
            var leg = Leg(startDistance: endDistance)
            (leg.serial, leg.index, leg.startElapsed) = (serial + 1, index, endElapsed)
            return leg
        }

        // MARK: - Work

        /// Applies a status.
        mutating func advance(_ status: GeneralStatus) {
            elapsed = max(elapsed, Int64(status.elapsedCentiseconds))
            distance = max(distance, Int64(status.distanceDecimeters))
        }

        /// Notes the monitor's sum of the intervals before this one.
        mutating func note(metersBefore meters: UInt32) { metersBefore = meters }

        /// Notes the time and distance of a stroke.
        mutating func noteStroke(elapsed: Int64, distance: Int64) {
            furthestStrokeElapsed = max(furthestStrokeElapsed, elapsed)
            furthestStrokeDistance = max(furthestStrokeDistance, distance)
        }

        /// Extends the work to its last stroke.
        mutating func extendToLastStroke() {
            elapsed = max(elapsed, furthestStrokeElapsed)
            distance = max(distance, furthestStrokeDistance)
        }

        // MARK: - End

        /// Ends the work at its goal. The last status can be a second old, but the goal is exact.
        mutating func close(at goal: Workout.Target) {
            end =
                switch goal {
                case .time: .timeGoal
                case .distance: .distanceGoal
                default: .estimated
                }
            guard !isSettled else { return }
            extendToLastStroke()
            switch goal {
            case .time(let length): elapsed = max(elapsed, length.wholeMilliseconds / 10)
            case .distance(let length): distance = max(distance, length.millimeters / 100)
            default: break
            }
        }

        /// Ends the work with the first status of a rest.
        ///
        /// - Parameter isDirect: whether the status followed the work directly.
        mutating func close(at goal: Workout.Target, inRest status: GeneralStatus, isDirect: Bool) {
            finishedMeters = isDirect ? status.totalWorkDistanceMeters : nil
            close(at: goal)
            unconfirmedRestTime = Int64(status.elapsedCentiseconds)
        }

        /// Applies a later status of the rest. If its time did not change, the work lasted until the rest
        /// began; the last status of the work can be a second older. Some monitors count on until the
        /// flywheel stops.
        mutating func continueRest(_ status: GeneralStatus) {
            guard let time = unconfirmedRestTime else { return }
            unconfirmedRestTime = nil
            guard time == Int64(status.elapsedCentiseconds), !isSettled,
                time - elapsed <= IntervalHistory.jitterCentiseconds
            else { return }
            elapsed = max(elapsed, time)
        }

        /// Ends the piece with its frozen values. After a terminate they may already be zero.
        mutating func finish(_ status: GeneralStatus) {
            let time = Int64(status.elapsedCentiseconds)
            // The monitor truncates the frozen time of the end to 0.1 s.
            let isFrozen = time + 10 > elapsed
            advance(status)
            if isFrozen { elapsed = time }
            end = isFrozen ? .frozen : .estimated
        }

        /// Ends an interval workout that was over when its monitor returned. After a rest the frozen values
        /// are not those of the work alone.
        mutating func finishInAbsence(_ status: GeneralStatus) {
            let time = Int64(status.elapsedCentiseconds)
            let sum = Int64(status.totalWorkDistanceMeters) * 10 - startDistance
            let isOfWork = abs(sum - Int64(status.distanceDecimeters)) <= 10 * Int64(index)
            let isFrozen = time >= elapsed && isOfWork
            if time >= elapsed { elapsed = time }
            distance = max(distance, isFrozen ? Int64(status.distanceDecimeters) : sum)
            end = isFrozen ? .frozen : .estimated
        }

        /// Extends the work so that the leg ends at this sum, 0.1 m.
        mutating func extend(toTotal total: Int64) { distance = max(distance, total - startDistance) }

        // MARK: - Values of the monitor

        /// Applies the monitor's values, truncated to 0.1 s and 1 m, unless ours are finer.
        mutating func settle(_ split: SplitData) {
            let splitElapsed = Int64(split.splitDeciseconds) * 10
            let splitDistance = Int64(split.splitDistanceMeters) * 10
            if !(splitElapsed..<splitElapsed + 10).contains(elapsed) { elapsed = splitElapsed }
            if !(splitDistance..<splitDistance + 10).contains(distance) {
                if fixedBoundary == .end { startDistance -= splitDistance - distance }
                distance = splitDistance
            }
            values = .reported
        }

        /// Moves the leg so that it ends at this sum, 0.1 m, if it seemed to end before. The missing distance
        /// was rowed in earlier legs. `settle` does not move the end again.
        mutating func moveEnd(to total: Int64) {
            guard total > endDistance else { return }
            startDistance += total - endDistance
            fixedBoundary = .end
        }

        /// Moves the leg because the one before it, `old`, now has the values of `new`.
        mutating func follow(_ new: Leg, insteadOf old: Leg) {
            startElapsed += new.endElapsed - old.endElapsed
            startDistance += new.endDistance - old.endDistance
        }

        /// Sets the monitor's interval number.
        mutating func renumber(_ index: Int) { self.index = index }

        /// Sets the work before this leg, 0.01 s.
        mutating func start(at elapsed: Int64) { startElapsed = elapsed }
    }
}

// MARK: - Bytes of a checkpoint

extension IntervalHistory.Leg {
    /// The part that a checkpoint stores.
    var checkpointValue: Self {
        var value = self
        value.end = end.map { _ in .estimated }
        (value.furthestStrokeElapsed, value.furthestStrokeDistance) = (0, 0)
        (value.unconfirmedRestTime, value.metersBefore, value.finishedMeters) = (nil, nil, nil)
        return value
    }

    /// Whether the monitor's sum of intervals set the end.
    var isEndFixed: Bool { fixedBoundary == .end }

    /// Restores the states that a checkpoint stores.
    mutating func restore(isClosed: Bool, isSettled: Bool, isEndFixed: Bool) {
        end = isClosed ? .estimated : nil
        values = isSettled ? .reported : .received
        fixedBoundary = isEndFixed ? .end : .start
    }

    /// Reads or writes the stored numbers.
    mutating func code(with coder: inout ByteCoder) {
        coder.count(&serial)
        coder.count(&index)
        coder.count(&startElapsed)
        coder.count(&startDistance)
        coder.count(&elapsed)
        coder.count(&distance)
    }
}
