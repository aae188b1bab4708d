/// A workout to put on the monitor, and the frames that do it.
///
/// Order and split rules: Concept2 CSAFE definition rev 0.25, workout configuration; behaviour on
/// hardware where the document is silent. Watt-minute pieces are left out: their duration type is
/// not confirmed on any monitor. Never program over a running workout: the monitor acknowledges and
/// arms an empty one; send `Command.terminateWorkout` and wait for `WorkoutState.waitToBegin`.
package struct WorkoutProgram: Hashable, Sendable {
    /// How long a piece, an interval or a split is.
    package enum Extent: Hashable, Sendable {
        case meters(UInt32)
        case centiseconds(UInt32)
        case calories(UInt32)
    }

    /// What follows an interval.
    package enum Rest: Hashable, Sendable {
        /// 0 to 595 seconds.
        case seconds(UInt16)
        /// Until the rower starts again, or virtual key D.
        case undefined
    }

    /// One of a list of intervals that may all differ.
    package struct Interval: Hashable, Sendable {
        /// How long it is; its unit decides the interval type.
        package var work: Extent
        /// What follows it; the rest of the last interval is rowed too.
        package var rest: Rest
        /// 0.01 s per 500 m; the meaning of 0 is not documented.
        package var targetPaceCentisecondsPer500m: UInt32?

        package init(
            _ work: Extent, rest: Rest, targetPaceCentisecondsPer500m: UInt32? = nil
        ) {
            self.work = work
            self.rest = rest
            self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
        }
    }

    /// The kinds of workout a monitor can be given.
    package enum Plan: Hashable, Sendable {
        case justRow
        /// Nil leaves the split length to the monitor.
        case justRowWithSplits(Extent?)
        /// Calorie pieces need a split: the monitor has no workout type without.
        case single(Extent, split: Extent?)
        /// Repeats until stopped, whatever the interval count: use `.intervals` for a set number.
        case repeating(Extent, restSeconds: UInt16)
        /// One to fifty; ends after the last.
        case intervals([Interval])
    }

    /// What is to be rowed.
    package var plan: Plan
    /// For single pieces and repeating intervals; others carry theirs or have none.
    package var targetPaceCentisecondsPer500m: UInt32?

    package init(_ plan: Plan, targetPaceCentisecondsPer500m: UInt32? = nil) {
        self.plan = plan
        self.targetPaceCentisecondsPer500m = targetPaceCentisecondsPer500m
    }

    /// The frames to send, each to be acknowledged before the next; only the last one shows it.
    ///
    /// At most 120 bytes each, cut between intervals. Throws before anything is sent when a value
    /// is outside the limits of the monitor, whose reject would not say which.
    package func frames() throws(WorkoutProgramError) -> [Frame] {
        try commandFrames().map(Self.frame)
    }

    /// The commands of each of `frames`, for the wrapper `.setConfiguration`.
    package func commandFrames() throws(WorkoutProgramError) -> [[ProprietaryCommand]] {
        try validate()
        var blocks = commandBlocks()
        blocks[blocks.count - 1].append(.screenState(.workout, .prepareToRowWorkout))
        return Self.pack(blocks)
    }

    /// Fills frames with whole blocks, in order, as many to a frame as fit.
    private static func pack(_ blocks: [[ProprietaryCommand]]) -> [[ProprietaryCommand]] {
        var frames: [[ProprietaryCommand]] = []
        var pending: [ProprietaryCommand] = []
        for block in blocks {
            if pending.isEmpty || frame(pending + block).encodedLength <= Frame.maximumLength {
                pending += block
            } else {
                frames.append(pending)
                pending = block
            }
        }
        return frames + [pending]
    }

    private static func frame(_ commands: [ProprietaryCommand]) -> Frame {
        Frame(.wrapped(.setConfiguration, commands))
    }
}

extension WorkoutProgram {
    /// Commands that must stay together: one block for a piece, one for each interval.
    private func commandBlocks() -> [[ProprietaryCommand]] {
        switch plan {
        case .justRow:
            [[.workoutType(.justRowWithoutSplits)]]
        case .justRowWithSplits(let split):
            [[.workoutType(.justRowWithSplits)] + (split.map { [$0.splitCommand] } ?? [])]
        case .single(let extent, let split):
            [
                [.workoutType(extent.singleType(hasSplits: split != nil)), extent.durationCommand]
                    + (split.map { [$0.splitCommand] } ?? [])
                    + closing(targetPaceCentisecondsPer500m)
            ]
        case .repeating(let extent, let restSeconds):
            [
                [
                    .workoutType(extent.repeatingType), extent.durationCommand,
                    .restDuration(seconds: restSeconds),
                ] + closing(targetPaceCentisecondsPer500m)
            ]
        case .intervals(let intervals):
            variableBlocks(intervals)
        }
    }

    private func variableBlocks(_ intervals: [Interval]) -> [[ProprietaryCommand]] {
        var blocks = intervals.enumerated().map { index, interval in
            [.workoutIntervalCount(UInt8(index))]
                + (index == 0 ? [.workoutType(.variableInterval)] : [])
                + [
                    .intervalType(interval.type), interval.work.durationCommand,
                    .restDuration(seconds: interval.restSeconds),
                ] + closing(interval.targetPaceCentisecondsPer500m)
        }
        if intervals.contains(where: { $0.rest == .undefined }) {
            // The zero split keeps the monitor out of its biathlon logic.
            blocks[blocks.count - 1] += [
                .workoutType(.variableIntervalUndefinedRest), .splitDuration(.distance, 0),
            ]
        }
        return blocks
    }

    private func closing(_ targetPace: UInt32?) -> [ProprietaryCommand] {
        (targetPace.map { [.targetPace(centisecondsPer500m: $0)] } ?? [])
            + [.configureWorkout(.enable)]
    }
}

extension WorkoutProgram {
    /// What 0x0031 shows of a workout that is armed.
    package struct Armed: Hashable, Sendable {
        /// As 0x0031 shows it.
        package var type: WorkoutType
        /// Of the piece or the first interval; nil for a just row, which has none.
        package var extent: Extent?

        /// Whether a status shows this workout: type, length and unit of it.
        package func isShown(by status: GeneralStatus) -> Bool {
            guard status.workoutType == type else { return false }
            guard let (unit, amount) = extent?.wire else { return status.workoutDuration == 0 }
            return status.durationType == unit && status.workoutDuration == amount
        }
    }

    /// What to look for in 0x0031, a packet or two after the monitor has acknowledged.
    package var armed: Armed {
        switch plan {
        case .justRow: Armed(type: .justRowWithoutSplits)
        case .justRowWithSplits: Armed(type: .justRowWithSplits)
        case .single(let extent, let split):
            Armed(type: extent.singleType(hasSplits: split != nil), extent: extent)
        case .repeating(let extent, _): Armed(type: extent.repeatingType, extent: extent)
        case .intervals(let intervals):
            Armed(
                type: intervals.contains { $0.rest == .undefined }
                    ? .variableIntervalUndefinedRest : .variableInterval,
                extent: intervals.first?.work)
        }
    }
}

extension WorkoutProgram.Interval {
    fileprivate var type: IntervalType {
        switch (work, rest) {
        case (.centiseconds, .seconds): .time
        case (.centiseconds, .undefined): .timeUndefinedRest
        case (.meters, .seconds): .distance
        case (.meters, .undefined): .distanceUndefinedRest
        case (.calories, .seconds): .calories
        case (.calories, .undefined): .caloriesUndefinedRest
        }
    }

    fileprivate var restSeconds: UInt16 {
        switch rest {
        case .seconds(let seconds): seconds
        case .undefined: 0
        }
    }
}

extension WorkoutProgram.Extent {
    /// The number and the duration type that names its unit.
    package var wire: (type: DurationType, amount: UInt32) {
        switch self {
        case .meters(let amount): (.distance, amount)
        case .centiseconds(let amount): (.time, amount)
        case .calories(let amount): (.calories, amount)
        }
    }

    fileprivate var durationCommand: ProprietaryCommand {
        .workoutDuration(wire.type, wire.amount)
    }

    fileprivate var splitCommand: ProprietaryCommand {
        .splitDuration(wire.type, wire.amount)
    }

    fileprivate func singleType(hasSplits: Bool) -> WorkoutType {
        switch self {
        case .meters: hasSplits ? .fixedDistanceWithSplits : .fixedDistanceWithoutSplits
        case .centiseconds: hasSplits ? .fixedTimeWithSplits : .fixedTimeWithoutSplits
        case .calories: .fixedCaloriesWithSplits
        }
    }

    fileprivate var repeatingType: WorkoutType {
        switch self {
        case .meters: .fixedDistanceInterval
        case .centiseconds: .fixedTimeInterval
        case .calories: .fixedCalorieInterval
        }
    }
}
